// Finding a caller without unwind data.
#ifndef GECKOPROF_UNWIND_FALLBACK_STEP_H_
#define GECKOPROF_UNWIND_FALLBACK_STEP_H_

#include <cstdint>
#include <span>

#include "geckoprof/modules/module_table.h"
#include "geckoprof/unwind/call_search.h"
#include "geckoprof/unwind/registers.h"
#include "geckoprof/unwind/stack_view.h"

namespace geckoprof {

// FallbackStep finds the caller in JIT code, in hand-written code, and in code that was compiled without unwind data.
// It tries these ways, in this order:
//   1. the instructions at pc, if they are the end of a function or the middle of a prologue
//   2. the frame pointer
//   3. the calls on the stack (CallSearch), unless the call before the record's return address is one of this function
//
// An innermost function may have no frame of its own. The frame pointer then belongs to its caller, so the third way
// comes before the second one there.
//
// It is conservative. A word counts as a return address only if it points into executable memory, after a call
// instruction. A word that points into generated code must also stand in a chain of frame records. Interpreters such as
// HotSpot's push the address to continue at, and jump.
//
// Threads: owned by the sampler thread. Context: no allocation, but system calls.
class FallbackStep {
 public:
  // `sites` and `calls` must outlive this object.
  FallbackStep(const ModuleTable& modules, ReturnSites* sites, CallSearch* calls)
      : modules_(modules), sites_(*sites), calls_(*calls) {}

  enum class Found : uint8_t {
    kNone,
    kByCode,        // by the instructions at or before pc
    kFramePointer,  // by a frame record
    kScan,          // by a scan alone, which may be wrong
    kStart,         // The chain of frame records ends here. There is no caller.
    kOtherStack,    // The frame pointer points to a record on a stack that was not copied.
  };
  // Changes `registers` to a plausible caller's, and returns the way in which it was found. If there is no caller,
  // `registers` are unchanged. `exact` means that pc is the instruction itself and not a return address.
  Found Step(std::span<const StackView> stacks, bool exact, Registers& registers);
  // Does the same for a frame of generated code. It first looks for a return address right above a copy of the frame
  // pointer, because functions of HotSpot's compilers begin that way. Compiled code without a frame pointer may leave
  // its caller's in the register. A chain of records without calls is therefore followed only if the scan finds nothing
  // below its first record.
  Found StepInGeneratedCode(std::span<const StackView> stacks, bool exact, Registers& registers);

  // Scans without the frame pointer, starting at `from_avma`, after an earlier hit turned out to be wrong. `registers`
  // are the arguments of the earlier Step, so that the scan ends at the same word. After a hit their sp is the start of
  // the next scan. `function` is empty for generated code.
  bool StepByScan(std::span<const StackView> stacks, const CallSearch::Function& function, uint64_t from_avma,
                  Registers& registers);

  static constexpr unsigned kScannedWords = CallSearch::kGuessedWords;

 private:
  struct FrameRecord {
    uint64_t caller_fp;
    uint64_t return_address;
  };
  static bool ReadRecord(std::span<const StackView> stacks, uint64_t fp, FrameRecord& record);
  bool ByCode(std::span<const StackView> stacks, bool exact, Registers& registers);
  bool ByFramePointer(std::span<const StackView> stacks, Registers& registers);
  bool IsRecordElsewhere(uint64_t fp);
  bool FindSavedFramePointer(std::span<const StackView> stacks, Registers& registers);
  bool BeginsChain(std::span<const StackView> stacks, const Registers& registers) const;
  bool IsExecutable(uint64_t avma) const;

  const ModuleTable& modules_;
  ReturnSites& sites_;
  CallSearch& calls_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_FALLBACK_STEP_H_
