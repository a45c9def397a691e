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
    if (!view.Find(state.pc - 1, rule)) return {count, false, true};
    if (rule.kind == CompactRule::kStart) return {count, true, false};
    const CompactState callee = state;
    if (count == out.size()) return {count, false, false};
    const bool is_steppable =
        rule.kind == CompactRule::kFromSp ||
        (state.has_fp && (rule.kind == CompactRule::kFromFp || rule.kind == CompactRule::kFromFpSlot));
    if (!StepByCompactRule(rule, stack, nothing, state)) return {count, false, !is_steppable};
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
  if (!rules.Look(view)) return {1, false, true};
  if (last != nullptr) last->Begin(stack, caller.sp, static_cast<uint32_t>(view.tag >> 32));
  const RuleWalk walk = Walk(view, stack, out, last, {caller.return_address, caller.sp, caller.fp, true, false});
  const bool held = rules.Held(view);
  if (last != nullptr) held ? last->End() : last->Discard();
  return held ? walk : RuleWalk{1, false, true};
}

}  // namespace geckoprof
