// Finding a caller without unwind data.
#ifndef GECKOPROF_UNWIND_FALLBACK_STEP_H_
#define GECKOPROF_UNWIND_FALLBACK_STEP_H_

#include <cstdint>
#include <span>

#include "geckoprof/modules/module_table.h"
#include "geckoprof/unwind/registers.h"
#include "geckoprof/unwind/stack_view.h"

namespace geckoprof {

// FallbackStep: for JIT code and hand-written code: first the frame pointer, then a scan of the words next to sp.
//
// Conservative: a word counts as a return address only if it points into executable memory and the bytes before it are
// a call; of generated code also if it stands in a chain of frame records, since interpreters push the address to come
// back to and jump (HotSpot's does). What was learnt about such a word is kept, tagged like the rule cache, since
// looking at code costs a system call. Threads: owned by the sampler thread. Context: no allocation; system calls.
class FallbackStep {
 public:
  explicit FallbackStep(const ModuleTable& modules) : modules_(modules) {}

  // Changes `registers` to a plausible caller's, and says what it went by; kNothing, with them unchanged, if none was
  // found.
  enum class Found : uint8_t { kNothing, kFramePointer, kScan };
  Found Step(std::span<const StackView> stacks, Registers& registers);
  // The same for a frame of generated code; first of all a return address right above a copy of the frame pointer,
  // which is how HotSpot's compilers begin a function. A chain of records without calls is followed only where the scan
  // finds nothing below its first record: compiled code that keeps no frame pointer leaves its caller's in the
  // register.
  Found StepInGeneratedCode(std::span<const StackView> stacks, Registers& registers);

  // The scan alone, from `from_avma` on: behind a hit that turned out to be none. `registers` are those that Step was
  // given, so that the scan ends where it would have; after a hit their sp is where the next one would begin.
  bool StepByScan(std::span<const StackView> stacks, uint64_t from_avma, Registers& registers);

  // Whether the address lies in executable memory, behind a call.
  bool IsReturnAddress(uint64_t avma);

  // Words that are looked at: JIT frames are mostly smaller, and each word more is a chance of a false hit.
  static constexpr unsigned kScannedWords = 64;

 private:
  struct FrameRecord {
    uint64_t caller_fp;
    uint64_t return_address;
  };
  static bool ReadRecord(std::span<const StackView> stacks, uint64_t fp, FrameRecord& record);
  bool ByFramePointer(std::span<const StackView> stacks, Registers& registers);
  bool BesideSavedFramePointer(std::span<const StackView> stacks, Registers& registers);
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
