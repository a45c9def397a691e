// Finding a frame record without a frame pointer.
#ifndef GECKOPROF_UNWIND_FRAME_RECORD_SEARCH_H_
#define GECKOPROF_UNWIND_FRAME_RECORD_SEARCH_H_

#include <cstdint>
#include <optional>
#include <span>

#include "geckoprof/modules/module_table.h"
#include "geckoprof/unwind/call_search.h"
#include "geckoprof/unwind/fallback_step.h"
#include "geckoprof/unwind/registers.h"
#include "geckoprof/unwind/stack_view.h"

namespace geckoprof {

// FrameRecordSearch finds the caller of a frame if its rule needs an unknown frame pointer. A blocked thread gives only
// pc and sp. Functions that wait for the kernel seldom save the frame pointer.
//
//   sp ->  | locals, some never written: records that earlier, deeper calls left lie here      |
//          | caller's frame pointer | return address |  <- the record to find
//
// The call before the return address shows if a record is valid. The search takes the first of these:
//   1. the record where the function's prologue stores it, if the call may have led to the function
//   2. the first record after a direct call of this very function
//   3. the first record after a call that may have led here, through a pointer or through a stub that jumps
// The prologue's code names the reserved bytes, and unwind data names the pushed registers. A record after a direct
// call of another function is not valid. No caller is better than a false one.
//
// Threads: owned by the sampler thread. Context: no allocation, but system calls to look at code.
class FrameRecordSearch {
 public:
  // `sites` and `calls` must outlive this object.
  FrameRecordSearch(const ModuleTable& modules, ReturnSites* sites, CallSearch* calls)
      : modules_(modules), sites_(*sites), calls_(*calls) {}

  // The function that a frame belongs to.
  struct Function {
    uint64_t start_avma = 0;
    uint64_t saved_bytes = 0;  // of registers that it saves below the frame pointer
  };
  // Changes `registers` to the caller's. They belong to a frame of `function`. The result is kFramePointer, kScan for a
  // record of the third kind, or kNone. In the last case `registers` are unchanged.
  FallbackStep::Found Step(std::span<const StackView> stacks, const Function& function, Registers& registers);

  // The number of words to scan from sp on. The poll function of libuv has 12 KiB of locals.
  static constexpr unsigned kScannedWords = 4096;
  static constexpr unsigned kMaxLooks = 256;  // at code, for one step

 private:
  struct Record {
    uint64_t avma = 0;
    uint64_t caller_fp = 0;
    uint64_t return_avma = 0;
  };

  std::optional<Record> ReadRecord(std::span<const StackView> stacks, uint64_t avma);
  std::optional<Record> FindByPrologue(std::span<const StackView> stacks, const Function& function, uint64_t sp);

  const ModuleTable& modules_;
  ReturnSites& sites_;
  CallSearch& calls_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_FRAME_RECORD_SEARCH_H_
