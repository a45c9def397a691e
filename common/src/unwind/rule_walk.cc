#include "geckoprof/unwind/rule_walk.h"

#include "compact_step.h"

namespace geckoprof {
namespace {

// Goes on as the last walk did, as far as the stack is the same.
void Follow(const StackView& stack, std::span<UnwoundFrame> out, LastWalks& last, CompactState& state, size_t& count) {
  const WalkedFrame* known = last.Seek(state.sp);
  const WalkedFrame* const end = last.last_end();
  if (known == end || known->sp != state.sp || known->pc != state.pc || known->fp != state.fp) return;
  known = FollowLastWalk(stack, known, end, out, count, last);
  state = {known->pc, known->sp, known->fp, true, false};
}

RuleWalk Walk(const SharedRules::View& view, const StackView& stack, std::span<UnwoundFrame> out, LastWalks* last,
              CompactState state) {
  const Registers nothing;
  size_t count = 1;
  for (;;) {
    if (last != nullptr && state.has_fp) Follow(stack, out, *last, state, count);
    CompactRule rule;
    if (!view.Find(state.pc - 1, rule)) return {count};
    if (rule.kind == CompactRule::kStart) return {count, /*reached_start=*/true};
    const CompactState callee = state;
    if (count == out.size()) return {count};
    const CompactStep step = StepByCompactRule(rule, stack, nothing, state);
    if (step != CompactStep::kDone) return {count, false, /*left_stack=*/step == CompactStep::kOutside};
    if (last != nullptr && callee.has_fp) last->Note({callee.pc, callee.sp, callee.fp, rule});
    out[count++] = {state.pc, state.sp};
  }
}

}  // namespace

RuleWalk WalkByRules(const SharedRules& rules, const CallerFrame& caller, const StackView& stack,
                     std::span<UnwoundFrame> out, LastWalks* last) {
  if (out.empty()) return {};
  out[0] = {caller.return_address, caller.sp};
  SharedRules::View view;
  if (!rules.StartRead(view)) return {1};
  if (last != nullptr) last->Begin(stack, caller.sp, static_cast<uint32_t>(view.tag >> 32));
  const RuleWalk walk = Walk(view, stack, out, last, {caller.return_address, caller.sp, caller.fp, true, false});
  const bool held = rules.IsValid(view);
  if (last != nullptr) held ? last->End() : last->Discard();
  return held ? walk : RuleWalk{1};
}

}  // namespace geckoprof
