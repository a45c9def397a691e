#include "geckoprof/unwind/unwinder.h"

#include <algorithm>

#include "compact_step.h"
#include "geckoprof/arch/registers.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/unwind/cfi_row.h"
#include "geckoprof/unwind/compact_rule.h"
#include "geckoprof/unwind/machine_code.h"

namespace geckoprof {

namespace {

// Compact rules follow these registers beside pc and sp.
constexpr uint64_t Bit(size_t number) { return uint64_t{1} << number; }
constexpr uint64_t kFollowed = Bit(kDwarfPc) | Bit(kDwarfSp) | Bit(kDwarfFp);

// How far behind an object's entry point code without unwind data still counts as the start of the program. The dynamic
// loader's is hand-written, without unwind data, and 61 bytes long on x86-64.
constexpr uint64_t kMaxEntryBytes = 256;

// Returns the bytes of registers that the function has saved below its frame record. The CFA is right above the record.
uint64_t BytesBelowRecord(const CfiRow& row) {
  constexpr int64_t kRecordBytes = 16;
  int64_t lowest = -kRecordBytes;
  for (const RegisterRule& rule : row.registers) {
    if (rule.kind == RegisterRule::Kind::kOffset) lowest = std::min(lowest, rule.offset);
  }
  return uint64_t{0} - static_cast<uint64_t>(lowest) - static_cast<uint64_t>(kRecordBytes);
}

}  // namespace

// The state of one unwinding, with the registers of its last frame.
struct Unwinder::Walk {
  const Registers* innermost;
  std::span<const StackView> stacks;
  std::span<UnwoundFrame> out;
  UnwindResult result;
  Registers registers;
  bool exact = true;       // registers.pc() is the instruction itself, not one behind a call
  bool rows_only = false;  // do without compact rules, to keep track of all registers
  uint64_t lost = 0;       // registers that a compact rule lost track of
  bool needs_lost = false;
  // The frame count at the last successful scan of unknown code's stack, or 0. A scan may have found a word that an
  // earlier call left. Unwind data that continues from there confirms the word, but a second scan does not.
  size_t frames_after_scan = 0;
  bool second_stretch = false;  // ended at generated code that called known code: well led, but not gone into
  bool may_take_back = true;    // hits of scans are noted

  uint64_t LookupAddress() const { return exact ? registers.pc() : registers.pc() - 1; }

  // A signal handler returns to the last frame, so no call precedes its first instruction.
  void MarkTrampoline() {
    if (!exact) ++out[result.frame_count - 1].address;
  }

  // Takes `caller` as the next frame. Gives the reason if the walk ends instead.
  std::optional<UnwindEnd> Commit(const Registers& caller, bool caller_exact) {
    if (!caller_exact) {
      if (caller.pc() == 0) return UnwindEnd::kNotCalled;
      // On aarch64 the innermost function may have the same stack pointer as its caller. No other function may.
      const bool may_stay = exact && caller.pc() != registers.pc();
      if (caller.sp() < registers.sp() || (caller.sp() == registers.sp() && !may_stay)) return UnwindEnd::kNoProgress;
    }
    if (result.frame_count == out.size()) return UnwindEnd::kDepthLimit;
    registers = caller;
    exact = caller_exact;
    lost &= ~registers.known;
    out[result.frame_count++] = {caller.pc() + (caller_exact ? 1 : 0), caller.sp()};
    return std::nullopt;
  }
};

UnwindResult Unwinder::Unwind(const Registers& registers, std::span<const StackView> stacks,
                              std::span<UnwoundFrame> out) {
  if (out.empty()) return {0, {}, UnwindEnd::kDepthLimit, 0, 0};
  cache_.SetGeneration(modules_.removal_generation());
  Walk walk;
  for (const bool rows_only : {false, true}) {
    for (const bool may_take_back : {true, false}) {
      walk = Walk();
      walk.innermost = &registers;
      walk.stacks = stacks;
      walk.out = out.first(std::min(out.size(), kMaxFrames));
      walk.registers = registers;
      walk.rows_only = rows_only;
      walk.may_take_back = may_take_back;
      walk.out[0] = {registers.pc(), registers.sp()};
      walk.result.frame_count = 1;
      scan_hits_.Clear();
      scanned_frames_.Truncate(0);
      if (!rows_only && !stacks.empty()) last_walks_.Begin(stacks[0], registers.sp(), modules_.removal_generation());
      Run(walk);
      // No other walk leads to the start either. The first walk has the fewest guesses, so it is returned.
      if (scan_hits_.empty() || !IsSuspect(walk) || UndoHits(walk)) break;
    }
    last_walks_.End();
    if (!walk.needs_lost) break;
  }
  walk.result.scanned_frames = scanned_frames_.indexes();
  return walk.result;
}

// Returns true if the walk ended where no thread begins, and a scan may be the cause. A walk that is too deep or came
// to generated code again is right. Another scan would only lose callers.
bool Unwinder::IsSuspect(const Walk& walk) {
  if (walk.needs_lost || walk.second_stretch || walk.result.end == UnwindEnd::kDepthLimit) return false;
  return walk.result.end != UnwindEnd::kReachedStart;
}

// Continues the last scan after its hit, and then the walk from the next hit. After that it continues the scan before.
// It stops when the walk reaches the thread's start, or after too many attempts. Returns true if the walk is the
// result.
bool Unwinder::UndoHits(Walk& walk) {
  size_t frames = 0;
  for (unsigned tries = 0; !scan_hits_.empty() && tries < kMaxRetries && frames < kMaxRetriedFrames;) {
    ScanHit& hit = scan_hits_.top();
    Registers caller = hit.registers;
    const uint64_t inner_avma = caller.pc() - (hit.exact ? 0 : 1);
    const CallSearch::Function function = hit.in_unknown_code ? CallSearch::Function() : calls_.FunctionAt(inner_avma);
    if (!fallback_.StepByScan(walk.stacks, function, hit.next_avma, caller)) {
      scan_hits_.Pop();
      continue;
    }
    ++tries;
    hit.next_avma = caller.sp();
    const size_t kept_frames = hit.frame_count;  // `hit` may be forgotten on the way
    walk.result = {kept_frames, {}, UnwindEnd::kNoRule, hit.fallback_frames, 0};
    scanned_frames_.Truncate(kept_frames);
    walk.registers = hit.registers;
    walk.exact = hit.exact;
    walk.second_stretch = false;
    walk.frames_after_scan = hit.frames_after_scan;
    last_walks_.Rewind(hit.noted);
    if (hit.in_unknown_code) ReadSavedFramePointer(walk.stacks, caller);
    const Guess guess = hit.in_unknown_code ? Guess::kScanOfGeneratedCode : Guess::kScan;
    if (CommitFallback(walk, caller, guess).has_value()) return false;
    Run(walk);
    if (walk.needs_lost) return true;
    if (walk.result.end == UnwindEnd::kReachedStart) return true;
    frames += walk.result.frame_count - kept_frames;
  }
  return false;
}

void Unwinder::Run(Walk& walk) {
  for (;;) {
    if (!walk.rows_only && RunCompact(walk)) return;
    const std::optional<UnwindEnd> end = SlowStep(walk);
    if (!end.has_value()) continue;
    walk.result.end = *end;
    return;
  }
}

// Steps while there are compact rules. Returns true if the walk has ended. Otherwise SlowStep must handle the frame.
// This is the hot loop, so it handles only the usual cases.
bool Unwinder::RunCompact(Walk& walk) {
  if (walk.stacks.empty()) return false;
  const StackView stack = walk.stacks[0];
  const size_t limit = walk.out.size();
  CompactState state = {walk.registers.pc(), walk.registers.sp(), walk.registers.fp(), walk.registers.Has(kDwarfFp),
                        walk.exact};
  size_t count = walk.result.frame_count;
  bool ended = false;
  for (;;) {
    if (!state.exact && state.has_fp) {
      const WalkedFrame* known = last_walks_.Seek(state.sp);
      const WalkedFrame* const end = last_walks_.last_end();
      if (known != end && known->sp == state.sp && known->pc == state.pc && known->fp == state.fp) {
        known = FollowLastWalk(stack, known, end, walk.out, count, last_walks_);
        state = {known->pc, known->sp, known->fp, true, false};
      }
    }
    const CompactRule* rule = cache_.Find(state.exact ? state.pc : state.pc - 1);
    if (rule == nullptr) break;
    if (rule->kind == CompactRule::kStart) {
      walk.result.end = UnwindEnd::kReachedStart;
      ended = true;
      break;
    }
    const CompactState callee = state;
    if (count == limit || StepByCompactRule(*rule, stack, walk.registers, state) != CompactStep::kDone) break;
    if (!callee.exact && callee.has_fp) last_walks_.Note({callee.pc, callee.sp, callee.fp, *rule});
    walk.out[count++] = {state.pc, state.sp};
  }
  if (count != walk.result.frame_count) {
    walk.result.frame_count = count;
    walk.exact = state.exact;
    walk.lost |= kCalleeSavedRegisters & ~Bit(kDwarfFp);
    walk.registers.known = kFollowed & ~(state.has_fp ? 0 : Bit(kDwarfFp));
    walk.registers.values[kDwarfPc] = state.pc;
    walk.registers.values[kDwarfSp] = state.sp;
    walk.registers.values[kDwarfFp] = state.fp;
  }
  return ended;
}

std::optional<UnwindEnd> Unwinder::SlowStep(Walk& walk) {
  const uint64_t address = walk.LookupAddress();
  Module* module = modules_.Find(address);
  const CompactRule* cached = module == nullptr ? nullptr : cache_.Find(address);
  // Unwind data covers code alone, so only the first visit looks at the mappings.
  const bool may_be_wild = walk.exact && (cached == nullptr || cached->kind == CompactRule::kNoRule);
  const bool is_wild = may_be_wild && IsWild(module, address);
  if (is_wild || (may_be_wild && IsData(address))) {
    Registers caller = walk.registers;
    if (calls_.StepFromEntry(walk.stacks, caller)) return walk.Commit(caller, false);
    if (is_wild) return UnwindEnd::kNoModule;
  }
  if (walk.result.frame_count > 1 && (module == nullptr ? IsNoCode(walk, address) : IsData(address))) {
    ReturnToCallee(walk);
    NoteBadRule(walk);
    return UnwindEnd::kBadRule;
  }
  if (module == nullptr) return StepWithoutRule(walk, UnwindEnd::kNoModule);
  if (cached != nullptr && cached->kind == CompactRule::kNoRule) return StepWithoutRule(walk, UnwindEnd::kNoRule);
  FrameDescription description;
  if (!finder_.Find(*module, address, description)) {
    if (cached == nullptr) cache_.Store(address, CompactRule::FromKind(CompactRule::kNoRule), !walk.exact);
    return StepWithoutRule(walk, UnwindEnd::kNoRule);
  }
  // A handler may return to a trampoline without unwind data, right behind another function. The byte before it then
  // has two rules, so neither is cached.
  const bool precedes_trampoline = !description.is_signal_frame &&
                                   address + 1 - module->bias() == description.end_svma &&
                                   sites_.At(address + 1).is_signal_trampoline;
  if (precedes_trampoline && !walk.exact && StepOverTrampoline(walk)) return std::nullopt;
  CfiRow row;
  if (!FindRow(description, address - module->bias(), row)) return StepWithoutRule(walk, UnwindEnd::kBadRule);
  if (description.is_of_debug_frame && !LeadsToCaller(walk, row, description)) {
    return StepWithoutRule(walk, UnwindEnd::kBadRule);
  }
  if (cached == nullptr && !precedes_trampoline) {
    cache_.Store(address, CompactRule::FromRow(row, description), !walk.exact);
    cached = cache_.Find(address);
    // RunCompact is faster. It leaves the other cases to this function, and their rules are not new then.
    if (!walk.rows_only && cached != nullptr && cached->kind != CompactRule::kRow) return std::nullopt;
  }
  Registers caller = walk.registers;
  const std::optional<UnwindProblem> problem = StepByRow(row, description, walk.stacks, caller);
  if (!problem.has_value()) {
    if (description.is_signal_frame) walk.MarkTrampoline();
    const std::optional<UnwindEnd> end = walk.Commit(caller, description.is_signal_frame);
    if (end == UnwindEnd::kNotCalled) NoteBadRule(walk);
    return end;
  }
  if (problem->end == UnwindEnd::kStackCut) walk.result.missing_avma = problem->avma;
  if (problem->end != UnwindEnd::kRegisterUnknown) return problem->end;
  if ((walk.lost >> problem->register_number & 1) != 0 && !walk.rows_only) {
    walk.needs_lost = true;
    return problem->end;
  }
  if (problem->register_number != kDwarfFp) return StepWithoutRule(walk, problem->end);
  return StepByRecord(walk, {module->bias() + description.start_svma, BytesBelowRecord(row)});
}

// Returns true if the row gives a return address. No program needs .debug_frame to run, so an error in it goes
// unnoticed.
bool Unwinder::LeadsToCaller(const Walk& walk, const CfiRow& row, const FrameDescription& description) {
  Registers caller = walk.registers;
  const std::optional<UnwindProblem> problem = StepByRow(row, description, walk.stacks, caller);
  if (!problem.has_value()) return sites_.IsReturnAddress(caller.pc());
  return problem->end == UnwindEnd::kStackCut || problem->end == UnwindEnd::kRegisterUnknown;
}

// Returns true if `address` cannot be code. Hand-written code may push values without unwind data for it, so a pushed
// value may count as a return address. No code lies on a stack.
bool Unwinder::IsNoCode(const Walk& walk, uint64_t address) {
  uint64_t word = 0;
  return address < kLowestCodeAvma || ReadStackWord(walk.stacks, address & ~uint64_t{7}, word);
}

// Returns true if no code can be at `address`, so that a call through a wrong pointer led there. Memory that was mapped
// since the last look at the modules may be generated code.
bool Unwinder::IsWild(const Module* module, uint64_t address) const {
  if (module != nullptr || modules_.RegionAt(address) != nullptr) return false;
  uint8_t byte = 0;
  return address < kLowestCodeAvma || !modules_.memory().Read(address, {&byte, 1});
}

// Returns true if `address` lies in data, of a module or elsewhere. A word that an earlier call left may lead there.
bool Unwinder::IsData(uint64_t address) const {
  const ModuleTable::Region* const region = modules_.RegionAt(address);
  return region != nullptr && !region->executable;
}

// Removes the last frame, because it is wrong. Little more is known about the frame before it than its output.
void Unwinder::ReturnToCallee(Walk& walk) {
  const UnwoundFrame& callee = walk.out[--walk.result.frame_count - 1];
  scanned_frames_.Truncate(walk.result.frame_count);
  walk.exact = walk.result.frame_count == 1;
  walk.registers = walk.exact ? *walk.innermost : Registers::FromPcAndSp(callee.address, callee.cfa_or_sp);
}

// The rule for the last frame led nowhere. A scan may find its caller, so this place is noted like a scan without a
// hit. After a scan of generated code it is more likely that the scan was wrong.
void Unwinder::NoteBadRule(const Walk& walk) {
  if (!walk.may_take_back || walk.frames_after_scan != 0) return;
  scan_hits_.Push() = {walk.registers, walk.result.frame_count, walk.result.fallback_frames, walk.exact,
                       false,          walk.frames_after_scan,  last_walks_.mark(),          walk.registers.sp()};
}

// Handles a rule that needs the frame pointer while its value is unknown.
std::optional<UnwindEnd> Unwinder::StepByRecord(Walk& walk, const FrameRecordSearch::Function& function) {
  if (walk.frames_after_scan != 0) return UnwindEnd::kRegisterUnknown;
  Registers caller = walk.registers;
  switch (records_.Step(walk.stacks, function, caller)) {
    case FallbackStep::Found::kNone:
      return UnwindEnd::kRegisterUnknown;
    case FallbackStep::Found::kScan:
      return CommitFallback(walk, caller, Guess::kScan);
    default:
      return CommitFallback(walk, caller, Guess::kNone);
  }
}

// Generated code may use the frame pointer for anything. The stub that calls it from outside has saved its caller's
// frame pointer right below the return address.
void Unwinder::ReadSavedFramePointer(std::span<const StackView> stacks, Registers& caller) {
  caller.known &= ~Bit(kDwarfFp);
  uint64_t saved = 0;
  uint64_t above = 0;
  const bool has_word = ReadStackWord(stacks, caller.sp() - 16, saved);
  if (has_word && saved > caller.sp() && saved % 8 == 0 && ReadStackWord(stacks, saved, above)) {
    caller.Set(kDwarfFp, saved);
  }
}

// Nothing is written about this frame, or nothing that can be used.
std::optional<UnwindEnd> Unwinder::StepWithoutRule(Walk& walk, UnwindEnd otherwise) {
  Module* module = modules_.Find(walk.LookupAddress());
  const bool has_no_data = otherwise == UnwindEnd::kNoRule || otherwise == UnwindEnd::kNoModule;
  if (has_no_data && StepOverTrampoline(walk)) return std::nullopt;
  if (module != nullptr) {
    if (IsProgramEntry(*module, walk.LookupAddress())) return UnwindEnd::kReachedStart;
    if (otherwise == UnwindEnd::kNoRule && IsReturnedToEntry(walk, *module)) {
      NoteBadRule(walk);
      return UnwindEnd::kNotCalled;
    }
  }
  const bool in_unknown_code = module == nullptr;
  const bool has_scanned = walk.frames_after_scan != 0;
  if (has_scanned && in_unknown_code && walk.frames_after_scan != walk.result.frame_count) {
    walk.second_stretch = modules_.Find(walk.out[walk.result.frame_count - 2].address - 1) != nullptr &&
                          sites_.IsReturnAddress(walk.registers.pc());
    return otherwise;
  }
  if (has_scanned && otherwise == UnwindEnd::kRegisterUnknown) return otherwise;
  Registers caller = walk.registers;
  const FallbackStep::Found found = in_unknown_code ? fallback_.StepInGeneratedCode(walk.stacks, walk.exact, caller)
                                                    : fallback_.Step(walk.stacks, walk.exact, caller);
  switch (found) {
    case FallbackStep::Found::kNone:
      return otherwise;
    case FallbackStep::Found::kStart:
      return UnwindEnd::kNotCalled;
    case FallbackStep::Found::kOtherStack:
      walk.result.missing_avma = walk.registers.fp();
      return UnwindEnd::kStackCut;
    case FallbackStep::Found::kByCode:
    case FallbackStep::Found::kFramePointer:
      return CommitFallback(walk, caller, Guess::kNone);
    case FallbackStep::Found::kScan:
      break;
  }
  if (walk.may_take_back) {
    scan_hits_.Push() = {walk.registers,  walk.result.frame_count, walk.result.fallback_frames, walk.exact,
                         in_unknown_code, walk.frames_after_scan,  last_walks_.mark(),          caller.sp()};
  }
  if (in_unknown_code) ReadSavedFramePointer(walk.stacks, caller);
  return CommitFallback(walk, caller, in_unknown_code ? Guess::kScanOfGeneratedCode : Guess::kScan);
}

std::optional<UnwindEnd> Unwinder::CommitFallback(Walk& walk, const Registers& caller, Guess guess) {
  if (guess != Guess::kNone && scanned_frames_.IsFull()) return UnwindEnd::kDepthLimit;
  const std::optional<UnwindEnd> end = walk.Commit(caller, false);
  if (!end.has_value()) {
    ++walk.result.fallback_frames;
    if (guess != Guess::kNone) scanned_frames_.Add(walk.result.frame_count - 1);
    if (guess == Guess::kScanOfGeneratedCode) walk.frames_after_scan = walk.result.frame_count;
    walk.lost = 0;  // no way to find them, by whatever rules
  }
  return end;
}

bool Unwinder::IsProgramEntry(Module& module, uint64_t pc) {
  const uint64_t entry = module.entry_avma();
  if (entry == 0 || pc - entry >= kMaxEntryBytes || !calls_.MayHold(entry, pc)) return false;
  const UnwindSections* sections = module.unwind_sections();
  const uint64_t next_svma = sections == nullptr ? 0 : sections->NextStartInTable(entry - module.bias());
  return next_svma == 0 || pc - module.bias() < next_svma;
}

// Returns true if the address of a function lies at the place of a return address, as after makecontext. No call
// precedes that address, and unwind data begins with it.
bool Unwinder::IsReturnedToEntry(const Walk& walk, Module& module) {
  const uint64_t pc = walk.registers.pc();
  if (walk.exact || sites_.IsReturnAddress(pc)) return false;
  FrameDescription description;
  return finder_.Find(module, pc, description) && module.bias() + description.start_svma == pc;
}

bool Unwinder::StepOverTrampoline(Walk& walk) {
  if (!sites_.At(walk.registers.pc()).is_signal_trampoline) return false;
  Registers interrupted = walk.registers;
  if (!StepOverSignalFrame(walk.stacks, interrupted, walk.result.missing_avma)) return false;
  walk.MarkTrampoline();
  return !walk.Commit(interrupted, true).has_value();
}

}  // namespace geckoprof
