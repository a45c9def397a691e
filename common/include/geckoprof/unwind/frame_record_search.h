// Finding a frame record without a frame pointer.
#ifndef GECKOPROF_UNWIND_FRAME_RECORD_SEARCH_H_
#define GECKOPROF_UNWIND_FRAME_RECORD_SEARCH_H_

#include <cstdint>
#include <optional>
#include <span>

#include "geckoprof/modules/module_table.h"
#include "geckoprof/unwind/fallback_step.h"
#include "geckoprof/unwind/registers.h"
#include "geckoprof/unwind/stack_view.h"

namespace geckoprof {

// FrameRecordSearch: for a frame that is found through a frame pointer whose value is not known. A blocked thread gives
// only pc and sp, and what was waiting for the kernel seldom saved the frame pointer.
//
//   sp ->  | locals, some never written: records that earlier, deeper calls left lie here      |
//          | caller's frame pointer | return address |  <- the record that is looked for
//
// What tells the record from a dead one is the call before its return address:
//   1. where the function's prologue keeps it, if the call may have led to the function
//   2. the first one behind a direct call of this very function
//   3. the first one behind a call that may have led here: through a pointer, or a stub that jumps
// A record behind a direct call of something else is none: rather no caller than a false one.
//
// Threads: owned by the sampler thread. Context: no allocation; system calls to look at code.
class FrameRecordSearch {
 public:
  // `fallback` knows what return addresses are.
  FrameRecordSearch(const ModuleTable& modules, FallbackStep& fallback) : modules_(modules), fallback_(fallback) {}

  // Changes `registers`, of a frame of the function that begins at `function_avma`, to the caller's. False, with them
  // unchanged: not found.
  bool Step(std::span<const StackView> stacks, uint64_t function_avma, Registers& registers);

  // From sp on: libuv's poll has 12 KiB of locals.
  static constexpr unsigned kScannedWords = 4096;
  static constexpr unsigned kMaxLooks = 256;  // at code, for one step

 private:
  enum class Call : uint8_t { kNone, kOfAnother, kPossible, kOfFunction };
  struct Record {
    uint64_t avma = 0;
    uint64_t caller_fp = 0;
    uint64_t return_avma = 0;
  };

  std::optional<Record> ReadRecord(std::span<const StackView> stacks, uint64_t avma);
  std::optional<Record> WherePrologueKeepsIt(std::span<const StackView> stacks, uint64_t function_avma, uint64_t sp);
  Call CallBefore(uint64_t return_avma, uint64_t function_avma);

  const ModuleTable& modules_;
  FallbackStep& fallback_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_FRAME_RECORD_SEARCH_H_
