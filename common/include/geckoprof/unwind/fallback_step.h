// Finding a caller without unwind data.
#ifndef GECKOPROF_UNWIND_FALLBACK_STEP_H_
#define GECKOPROF_UNWIND_FALLBACK_STEP_H_

#include <cstdint>
#include <span>

#include "geckoprof/modules/module_table.h"
#include "geckoprof/unwind/registers.h"
#include "geckoprof/unwind/stack_view.h"

namespace geckoprof {

// FallbackStep finds the caller in JIT code and hand-written code. It uses the frame pointer first, and then scans the
// words next to sp.
//
// It is conservative. A word counts as a return address only if it points into executable memory, after a call
// instruction. A word that points into generated code must also stand in a chain of frame records. Interpreters such as
// HotSpot's push the address to continue at, and jump. Looking at code costs a system call, so results are cached with
// the same tags as in the rule cache.
//
// Threads: owned by the sampler thread. Context: no allocation, but system calls.
class FallbackStep {
 public:
  explicit FallbackStep(const ModuleTable& modules) : modules_(modules) {}

  // Changes `registers` to a plausible caller's, and returns the way in which it was found. If there is none, the
  // result is kNone and `registers` are unchanged.
  enum class Found : uint8_t { kNone, kFramePointer, kScan };
  Found Step(std::span<const StackView> stacks, Registers& registers);
  // Does the same for a frame of generated code. It first looks for a return address right above a copy of the frame
  // pointer, because functions of HotSpot's compilers begin that way. Compiled code without a frame pointer may leave
  // its caller's in the register. A chain of records without calls is therefore followed only if the scan finds nothing
  // below its first record.
  Found StepInGeneratedCode(std::span<const StackView> stacks, Registers& registers);

  // Scans without the frame pointer, starting at `from_avma`, after an earlier hit turned out to be wrong. `registers`
  // are the arguments of the earlier Step, so that the scan ends at the same word. After a hit their sp is the start of
  // the next scan.
  bool StepByScan(std::span<const StackView> stacks, uint64_t from_avma, Registers& registers);

  // Returns true if the address lies in executable memory, after a call instruction.
  bool IsReturnAddress(uint64_t avma);

  // The number of words to scan. Most JIT frames are smaller, and each further word is a chance of a false hit.
  static constexpr unsigned kScannedWords = 64;

 private:
  struct FrameRecord {
    uint64_t caller_fp;
    uint64_t return_address;
  };
  static bool ReadRecord(std::span<const StackView> stacks, uint64_t fp, FrameRecord& record);
  bool ByFramePointer(std::span<const StackView> stacks, Registers& registers);
  bool FindSavedFramePointer(std::span<const StackView> stacks, Registers& registers);
  bool BeginsChain(std::span<const StackView> stacks, const Registers& registers) const;
  bool Scan(std::span<const StackView> stacks, uint64_t from_avma, uint64_t end_avma, Registers& registers);
  bool IsExecutable(uint64_t avma) const;
  bool LooksLikeReturnAddress(uint64_t avma) const;

  static constexpr unsigned kKnownWordBits = 9;
  struct KnownWord {
    uint64_t avma = 0;
    uint32_t generation = 0;
    bool is_return_address = false;
  };

  const ModuleTable& modules_;
  KnownWord known_words_[1u << kKnownWordBits];
};

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_FALLBACK_STEP_H_
