// Unwinds the stack of a sample.
#ifndef GECKOPROF_UNWIND_UNWINDER_H_
#define GECKOPROF_UNWIND_UNWINDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "geckoprof/modules/module_table.h"
#include "geckoprof/unwind/call_search.h"
#include "geckoprof/unwind/dwarf_expression.h"
#include "geckoprof/unwind/fallback_step.h"
#include "geckoprof/unwind/fde_finder.h"
#include "geckoprof/unwind/frame_record_search.h"
#include "geckoprof/unwind/last_walks.h"
#include "geckoprof/unwind/registers.h"
#include "geckoprof/unwind/rule_cache.h"
#include "geckoprof/unwind/stack_view.h"
#include "geckoprof/unwind/unwind_end.h"

namespace geckoprof {

// The state of a walk before a scan, and the place where the scan goes on, after the word that counted as a return
// address.
struct ScanHit {
  Registers registers;
  size_t frame_count = 0;
  uint32_t fallback_frames = 0;
  bool exact = false;
  bool in_unknown_code = false;
  size_t frames_after_scan = 0;
  LastWalks::Mark noted;
  uint64_t next_avma = 0;
};

// ScanHits holds the last kMax hits of the walk under way, the newest on top. Older hits are forgotten, because a false
// hit is mostly among the last.
//
// Invariant: a hit's frame_count is less than that of the hits above it. Threads: owned by the sampler thread. Context:
// no allocation.
class ScanHits {
 public:
  static constexpr size_t kMax = 16;

  void Clear() { count_ = 0; }
  bool empty() const { return count_ == 0; }
  // Makes room for one more hit. The caller fills it in.
  ScanHit& Push() {
    top_ = (top_ + 1) % kMax;
    if (count_ < kMax) ++count_;
    return hits_[top_];
  }
  ScanHit& top() { return hits_[top_]; }
  void Pop() {
    top_ = (top_ + kMax - 1) % kMax;
    --count_;
  }

 private:
  std::array<ScanHit, kMax> hits_;
  size_t top_ = 0;
  size_t count_ = 0;
};

// ScannedFrames holds the indexes of the frames that a scan alone found, in ascending order. Most walks have none.
//
// Threads: owned by the sampler thread.
class ScannedFrames {
 public:
  // A walk ends at its next guess after these. No stack with so many guesses is right.
  static constexpr size_t kMax = 64;

  bool IsFull() const { return count_ == kMax; }
  // REQUIRES: not IsFull(), and `index` is above all others.
  void Add(size_t index) { indexes_[count_++] = static_cast<uint16_t>(index); }
  // Forgets the frames from `frame_count` on.
  void Truncate(size_t frame_count) {
    while (count_ > 0 && indexes_[count_ - 1] >= frame_count) --count_;
  }
  std::span<const uint16_t> indexes() const { return std::span(indexes_).first(count_); }

 private:
  std::array<uint16_t, kMax> indexes_;
  size_t count_ = 0;
};

struct UnwoundFrame {
  // The pc for frame 0, and a return address for other frames. In code that a signal interrupted it is the pc plus 1.
  // The same holds for the trampoline to which a handler returns. Except for frame 0, address - 1 therefore lies in the
  // executed instruction.
  uint64_t address = 0;
  // The frame's stack pointer. The bytes from here to the next frame's belong to this frame. Labels are merged by it.
  uint64_t cfa_or_sp = 0;
};

struct UnwindResult {
  size_t frame_count = 0;
  // The frames that a scan alone found, in ascending order. The list is valid until the next unwinding.
  std::span<const uint16_t> scanned_frames;
  UnwindEnd end = UnwindEnd::kNoRule;
  uint32_t fallback_frames = 0;  // frames found by frame pointer or scan, not by unwind data
  uint64_t missing_avma = 0;     // kStackCut: the address that was needed
};

// Unwinder is a function of (registers, copied stacks, modules) to frames. It does not touch the running thread.
//
//   pc --[RuleCache]-- hit ----------------------------> CompactRule -> caller          some ns
//          miss --[FdeFinder]--[FindRow]-- fits -------> stored in the cache            about 0.5 us
//                                     |--- does not ---> StepByRow, each time           about 0.3 us
//                      no entry -------> thread's start? signal trampoline? FallbackStep
//
// It reads copied stacks and unwind sections. Code is read by fall-backs alone, through ModuleTable::memory(). If a
// stack needs a register that compact rules do not follow, the walk starts again with StepByRow alone.
//
// Invariant: stack pointers grow from frame to frame, except where a signal frame leads to another stack. Threads:
// owned by the sampler thread. Context: not signal context. It allocates nothing once warm.
//
//   jit --scan--> stale word --> rule --> a register is not known       undone, also in LastWalks
//          '------go on-------> word --> rule --> ... --> start         returned
//
// A scan may find a word of an earlier call. The walk after it must end at a start that unwind data names. Otherwise
// the last scan continues after its hit, then the scan before it, and so on within bounds (ScanHits). If no walk
// reaches a start, the first walk is repeated and returned with its reason, because a longer one would only contain
// more guesses. A walk without a scan only tests an empty list. If a rule gives a word that cannot be a return address,
// a scan without a hit is noted, and continues in the same way.
class Unwinder {
 public:
  // No sensible stack is deeper. The limit bounds the time on a damaged one.
  static constexpr size_t kMaxFrames = 1024;
  // The limit on undone hits in one stack, and the number of frames after which no more are tried. Each of
  // ScanHits::kMax scans looks at no more than 64 words. Together this bounds the time.
  static constexpr unsigned kMaxRetries = 64;
  static constexpr size_t kMaxRetriedFrames = 1024;

  // RuleCache describes `shared`.
  explicit Unwinder(const ModuleTable& modules, SharedRules* shared = nullptr)
      : modules_(modules),
        cache_(shared),
        sites_(modules),
        calls_(modules, &sites_, &finder_),
        fallback_(modules, &sites_, &calls_),
        records_(modules, &sites_, &calls_) {}

  // Fills `out`, innermost frame first. It writes at least one frame if `out` has room for one.
  UnwindResult Unwind(const Registers& registers, const StackView& stack, std::span<UnwoundFrame> out) {
    return Unwind(registers, std::span(&stack, 1), out);
  }
  UnwindResult Unwind(const Registers& registers, std::span<const StackView> stacks, std::span<UnwoundFrame> out);

  // Called after a change of the modules if the rules are shared. Unwind itself notices such a change.
  void DropStaleRules() { cache_.SetGeneration(modules_.removal_generation()); }

 private:
  struct Walk;
  void Run(Walk& walk);
  bool RunCompact(Walk& walk);
  std::optional<UnwindEnd> SlowStep(Walk& walk);
  std::optional<UnwindEnd> StepByRecord(Walk& walk, const FrameRecordSearch::Function& function);
  std::optional<UnwindEnd> StepWithoutRule(Walk& walk, UnwindEnd otherwise);
  enum class Guess : uint8_t { kNone, kScan, kScanOfGeneratedCode };
  std::optional<UnwindEnd> CommitFallback(Walk& walk, const Registers& caller, Guess guess);
  bool LeadsToCaller(const Walk& walk, const CfiRow& row, const FrameDescription& description);
  bool IsWild(const Module* module, uint64_t address) const;
  bool IsData(uint64_t address) const;
  static bool IsNoCode(const Walk& walk, uint64_t address);
  void ReturnToCallee(Walk& walk);
  void NoteBadRule(const Walk& walk);
  static bool IsSuspect(const Walk& walk);
  bool UndoHits(Walk& walk);
  static void ReadSavedFramePointer(std::span<const StackView> stacks, Registers& caller);
  bool IsProgramEntry(Module& module, uint64_t pc);
  bool IsReturnedToEntry(const Walk& walk, Module& module);
  bool StepOverTrampoline(Walk& walk);

  const ModuleTable& modules_;
  RuleCache cache_;
  LastWalks last_walks_;
  FdeFinder finder_;
  ReturnSites sites_;
  CallSearch calls_;
  FallbackStep fallback_;
  FrameRecordSearch records_;
  ScanHits scan_hits_;
  ScannedFrames scanned_frames_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_UNWINDER_H_
