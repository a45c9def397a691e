// The stack of a sample.
#ifndef GECKOPROF_UNWIND_UNWINDER_H_
#define GECKOPROF_UNWIND_UNWINDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "geckoprof/modules/module_table.h"
#include "geckoprof/unwind/dwarf_expression.h"
#include "geckoprof/unwind/fallback_step.h"
#include "geckoprof/unwind/fde_finder.h"
#include "geckoprof/unwind/frame_record_search.h"
#include "geckoprof/unwind/last_walks.h"
#include "geckoprof/unwind/registers.h"
#include "geckoprof/unwind/rule_cache.h"
#include "geckoprof/unwind/scan_hits.h"
#include "geckoprof/unwind/stack_view.h"
#include "geckoprof/unwind/unwind_end.h"

namespace geckoprof {

struct UnwoundFrame {
  // Frame 0: the pc. Others: a return address; for code that a signal interrupted, its pc plus 1, as for the trampoline
  // that a handler returns to. So for all but frame 0, address - 1 lies in the instruction that is executed.
  uint64_t address = 0;
  // The frame's stack pointer: what lies from here to the next frame's belongs to this frame (labels are merged by it).
  uint64_t cfa_or_sp = 0;
};

struct UnwindResult {
  size_t frame_count = 0;
  UnwindEnd end = UnwindEnd::kNoRule;
  uint32_t fallback_frames = 0;  // frames found by frame pointer or scan, not by unwind data
  uint64_t missing_avma = 0;     // kStackCut: the address that was needed
};

// Unwinder: a function of (registers, copied stacks, modules) to frames; not of the running thread.
//
//   pc --[RuleCache]-- hit ----------------------------> CompactRule -> caller          7 ns
//          miss --[FdeFinder]--[FindRow]-- fits -------> stored in the cache            0.5 us
//                                     |--- does not ---> StepByRow, each time           0.3 us
//                      no entry -------> thread's start? signal trampoline? FallbackStep
//
// Reads copied stacks, unwind sections, and, for fall-backs only, code through ModuleTable::memory(). A stack that
// needs a register which compact rules do not follow is done again from the start with StepByRow alone. Invariant:
// stack pointers grow from frame to frame, except where a signal frame leads to another stack. Threads: owned by the
// sampler thread. Context: not signal context; no allocation once warm.
//
//   jit --scan--> stale word --> rule --> a register is not known       taken back, with what LastWalks noted of it
//          '------go on-------> word --> rule --> ... --> start         returned
//
// What a scan finds may be left from an earlier call. If the walk behind it does not end at a start that unwind data
// names, the last scan goes on from behind its hit, then the one before (see ScanHits), within bounds. If nothing gets
// there, the first walk is done again and returned with its reason: a longer one would only be made of more guesses.
// A walk that has met no scan pays one look at an empty list. Where a rule gives a word that nothing returns to, a scan
// that found nothing is noted, and the same goes on from there.
class Unwinder {
 public:
  // More than any sensible stack; bounds the time on a damaged one.
  static constexpr size_t kMaxFrames = 1024;
  // How often a scan's hit is taken back in one stack, and the frames after which no more is tried. With the words that
  // each of ScanHits::kMax scans may look at, 64, that bounds the time.
  static constexpr unsigned kMaxRetries = 64;
  static constexpr size_t kMaxRetriedFrames = 1024;

  // `shared`: see RuleCache.
  explicit Unwinder(const ModuleTable& modules, SharedRules* shared = nullptr)
      : modules_(modules), cache_(shared), fallback_(modules), records_(modules, fallback_) {}

  // Fills `out`, innermost frame first. At least one frame is given if `out` has room for one.
  UnwindResult Unwind(const Registers& registers, const StackView& stack, std::span<UnwoundFrame> out) {
    return Unwind(registers, std::span(&stack, 1), out);
  }
  UnwindResult Unwind(const Registers& registers, std::span<const StackView> stacks, std::span<UnwoundFrame> out);

  // After a change of the modules, for who shares the rules; Unwind sees it by itself.
  void DropStaleRules() { cache_.SetGeneration(modules_.removal_generation()); }

 private:
  struct Walk;
  void Run(Walk& walk);
  bool RunCompact(Walk& walk);
  std::optional<UnwindEnd> SlowStep(Walk& walk);
  std::optional<UnwindEnd> StepByRecord(Walk& walk, uint64_t function_avma);
  std::optional<UnwindEnd> StepWithoutRule(Walk& walk, UnwindEnd otherwise);
  static std::optional<UnwindEnd> CommitFallback(Walk& walk, const Registers& caller, bool guessed);
  static bool IsNoCode(const Walk& walk, uint64_t address);
  static void ReturnToCallee(Walk& walk);
  void NoteBadRule(const Walk& walk);
  static bool IsAstray(const Walk& walk);
  bool UndoHits(Walk& walk);
  static void ReadSavedFramePointer(std::span<const StackView> stacks, Registers& caller);
  bool IsProgramEntry(Module& module, uint64_t pc) const;
  bool IsReturnedToEntry(const Walk& walk, Module& module);
  bool StepOverTrampoline(Walk& walk);

  const ModuleTable& modules_;
  RuleCache cache_;
  LastWalks last_walks_;
  FdeFinder finder_;
  FallbackStep fallback_;
  FrameRecordSearch records_;
  ScanHits scan_hits_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_UNWINDER_H_
