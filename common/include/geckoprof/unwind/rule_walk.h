// A thread's own stack, by rules that the sampler has.
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

// A function that has called the one that asks: where it goes on, and its registers then.
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

// Fills `out`, innermost frame first, each with a return address, from `caller` to the thread's start, or as far as
// there are rules that are known to be true. `last`, if there is one, is the calling thread's, used with these rules
// alone. Threads: any, beside the rules' owner. Context: any; 8 ns a frame, 2 for one that was there the last time.
RuleWalk WalkByRules(const SharedRules& rules, const CallerFrame& caller, const StackView& stack,
                     std::span<UnwoundFrame> out, LastWalks* last = nullptr);

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_RULE_WALK_H_
