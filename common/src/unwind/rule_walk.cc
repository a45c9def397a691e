#include "geckoprof/unwind/rule_walk.h"

#include "compact_step.h"

namespace geckoprof {

RuleWalk WalkByRules(const SharedRules& rules, const CallerFrame& caller, const StackView& stack,
                     std::span<UnwoundFrame> out) {
  if (out.empty()) return {};
  out[0] = {caller.return_address, caller.sp};
  SharedRules::View view;
  if (!rules.Look(view)) return {1, false};
  const Registers nothing;
  CompactState state = {caller.return_address, caller.sp, caller.fp, true, false};
  size_t count = 1;
  CompactRule rule;
  while (view.Find(state.pc - 1, rule)) {
    if (rule.kind == CompactRule::kStart) return rules.Held(view) ? RuleWalk{count, true} : RuleWalk{1, false};
    if (count == out.size() || !StepByCompactRule(rule, stack, nothing, state)) break;
    out[count++] = {state.pc, state.sp};
  }
  return {rules.Held(view) ? count : 1, false};
}

}  // namespace geckoprof
