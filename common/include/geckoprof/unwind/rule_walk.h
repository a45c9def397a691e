// Walks a thread's own stack by the sampler's rules.
#ifndef GECKOPROF_UNWIND_RULE_WALK_H_
#define GECKOPROF_UNWIND_RULE_WALK_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "geckoprof/unwind/last_walks.h"
#include "geckoprof/unwind/shared_rules.h"
#include "geckoprof/unwind/stack_view.h"
#include "geckoprof/unwind/unwinder.h"

namespace geckoprof {

// The calling function's caller. It has the return address, and the registers at that point.
struct CallerFrame {
  uint64_t return_address;
  uint64_t sp;
  uint64_t fp;
};

struct RuleWalk {
  size_t frame_count = 0;      // at least 1, if there is room for it
  bool reached_start = false;  // if not, the Unwinder must do it
  bool left_stack = false;     // why: the next frame is not in the view
};

// Fills `out`, innermost frame first, each with a return address. The walk goes from `caller` to the thread's start, or
// as far as there are valid rules. `last` may be null. Otherwise it belongs to the calling thread, and is used with
// these rules only. A frame takes some nanoseconds.
//
// Threads: any, beside the rules' owner. Context: any.
RuleWalk WalkByRules(const SharedRules& rules, const CallerFrame& caller, const StackView& stack,
                     std::span<UnwoundFrame> out, LastWalks* last = nullptr);

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_RULE_WALK_H_
