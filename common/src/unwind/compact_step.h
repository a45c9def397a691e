// The two fast ways from a frame to its caller by a compact rule.
#ifndef GECKOPROF_COMMON_UNWIND_COMPACT_STEP_H_
#define GECKOPROF_COMMON_UNWIND_COMPACT_STEP_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "geckoprof/arch/registers.h"
#include "geckoprof/unwind/compact_rule.h"
#include "geckoprof/unwind/last_walks.h"
#include "geckoprof/unwind/registers.h"
#include "geckoprof/unwind/stack_view.h"
#include "geckoprof/unwind/unwinder.h"

namespace geckoprof {

// The registers of a frame that compact rules follow.
struct CompactState {
  uint64_t pc;
  uint64_t sp;
  uint64_t fp;
  bool has_fp;  // fp is known
  bool exact;   // pc is the instruction itself, not one behind a call
};

enum class CompactStep {
  kDone,
  kOutside,   // the caller's part of the stack is not in the view
  kNotTaken,  // the rule is of another kind, the stack pointer would not grow, or the return address is 0
};

// Changes `state` to the caller's. `state` is unchanged unless the result is kDone.
inline CompactStep StepByCompactRule(const CompactRule& rule, const StackView& stack, const Registers& innermost,
                                     CompactState& state) {
  uint64_t cfa;
  if (rule.kind == CompactRule::kFromSp) {
    cfa = state.sp + static_cast<uint64_t>(8 * rule.cfa);
  } else if (rule.kind == CompactRule::kFromFp && state.has_fp) {
    cfa = state.fp + static_cast<uint64_t>(8 * rule.cfa);
  } else if (rule.kind == CompactRule::kFromFpSlot && state.has_fp) {
    if (!stack.ReadWord(state.fp + static_cast<uint64_t>(8 * rule.cfa), cfa)) return CompactStep::kOutside;
  } else {
    return CompactStep::kNotTaken;
  }
  uint64_t return_address;
  if (rule.ra != CompactRule::kNotSaved) {
    if (!stack.ReadWord(cfa + static_cast<uint64_t>(8 * rule.ra), return_address)) return CompactStep::kOutside;
  } else {
    if (!state.exact || !innermost.Has(kDwarfLink)) return CompactStep::kNotTaken;
    return_address = innermost.values[kDwarfLink];
  }
  return_address = StripReturnAddress(return_address);
  if (return_address == 0 || cfa <= state.sp) return CompactStep::kNotTaken;
  if (rule.fp != CompactRule::kNotSaved) {
    const bool realigned = rule.kind == CompactRule::kFromFpSlot;
    const uint64_t slot = realigned ? state.fp : cfa + static_cast<uint64_t>(8 * rule.fp);
    // A word below sp was popped already (see cfi_row.cc), and fp has the caller's value again.
    if (!stack.ReadWord(slot, state.fp)) state.has_fp = state.has_fp && slot < state.sp;
  }
  state.pc = return_address;
  state.sp = cfa;
  state.exact = false;
  return CompactStep::kDone;
}

// Follows the last walk of this stack from the present `frame`, while the words on the stack agree with it. It stops at
// `end`, or when `out` has no room after the `count` frames in it. Returns the frame that was reached.
//
// An iteration uses only data that is noted in `frame`, and no word that the iteration before read from the stack. The
// processor therefore runs the reads of many iterations at once.
inline const WalkedFrame* FollowLastWalk(const StackView& stack, const WalkedFrame* frame, const WalkedFrame* end,
                                         std::span<UnwoundFrame> out, size_t& count, LastWalks& walks) {
  for (; frame + 1 != end && count != out.size(); ++frame) {
    const CompactRule rule = frame->rule;
    const WalkedFrame& next = frame[1];
    if (rule.kind > CompactRule::kFromFp || rule.ra == CompactRule::kNotSaved) break;
    const uint64_t base = rule.kind == CompactRule::kFromSp ? frame->sp : frame->fp;
    const uint64_t cfa = base + static_cast<uint64_t>(8 * rule.cfa);
    if (cfa != next.sp || cfa <= frame->sp) break;
    uint64_t word;
    if (!stack.ReadWord(cfa + static_cast<uint64_t>(8 * rule.ra), word) || StripReturnAddress(word) != next.pc) break;
    if (rule.fp == CompactRule::kNotSaved) {
      if (next.fp != frame->fp) break;
    } else if (!stack.ReadWord(cfa + static_cast<uint64_t>(8 * rule.fp), word) || word != next.fp) {
      break;
    }
    walks.Note(*frame);
    out[count++] = {next.pc, next.sp};
  }
  return frame;
}

}  // namespace geckoprof

#endif  // GECKOPROF_COMMON_UNWIND_COMPACT_STEP_H_
