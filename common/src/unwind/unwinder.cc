#include "geckoprof/unwind/unwinder.h"

#include <algorithm>

#include "geckoprof/arch/dwarf_registers.h"
#include "geckoprof/unwind/cfi_row.h"
#include "geckoprof/unwind/cfi_step.h"
#include "geckoprof/unwind/compact_rule.h"
#include "geckoprof/unwind/signal_trampoline.h"

namespace geckoprof {

namespace {

// What compact rules follow, beside pc and sp.
constexpr uint64_t Bit(size_t number) { return uint64_t{1} << number; }
constexpr uint64_t kFollowed = Bit(kDwarfPc) | Bit(kDwarfSp) | Bit(kDwarfFp);

// How far behind an object's entry point code without unwind data still counts as the start of the program. The dynamic
// loader's is hand-written, without unwind data, and 61 bytes long on x86-64.
constexpr uint64_t kMaxEntryBytes = 256;

}  // namespace

// One unwinding under way: the frame that was found last.
struct Unwinder::Walk {
  std::span<const StackView> stacks;
  std::span<UnwoundFrame> out;
  UnwindResult result;
  Registers registers;
  bool exact = true;       // registers.pc() is the instruction itself, not one behind a call
  bool rows_only = false;  // do without compact rules, to keep track of all registers
  uint64_t lost = 0;       // registers that a compact rule lost track of
  bool needs_lost = false;

  uint64_t LookupAddress() const { return exact ? registers.pc() : registers.pc() - 1; }

  // Takes `caller` as the next frame. Gives the reason if the walk ends instead.
  std::optional<UnwindEnd> Commit(const Registers& caller, bool caller_exact) {
    if (!caller_exact) {
      if (caller.pc() == 0) return UnwindEnd::kReachedStart;
      // Only the innermost function may have left its stack pointer where it found it (aarch64).
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
  if (out.empty()) return {0, UnwindEnd::kDepthLimit, 0, 0};
  cache_.SetGeneration(modules_.removal_generation());
  Walk walk;
  for (const bool rows_only : {false, true}) {
    walk = Walk();
    walk.stacks = stacks;
    walk.out = out.first(std::min(out.size(), kMaxFrames));
    walk.registers = registers;
    walk.rows_only = rows_only;
    walk.out[0] = {registers.pc(), registers.sp()};
    walk.result.frame_count = 1;
    Run(walk);
    if (!walk.needs_lost) break;
  }
  return walk.result;
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

// Steps as long as the cache has compact rules for it. True if that ended the walk; false if SlowStep must have a look
// at the frame, for whatever reason: this is the hot loop, and it only does what nearly always works.
bool Unwinder::RunCompact(Walk& walk) {
  if (walk.stacks.empty()) return false;
  const StackView stack = walk.stacks[0];
  const size_t limit = walk.out.size();
  uint64_t pc = walk.registers.pc();
  uint64_t sp = walk.registers.sp();
  uint64_t fp = walk.registers.fp();
  bool has_fp = walk.registers.Has(kDwarfFp);
  bool exact = walk.exact;
  size_t count = walk.result.frame_count;
  bool ended = false;
  for (;;) {
    const CompactRule* rule = cache_.Find(exact ? pc : pc - 1);
    if (rule == nullptr) break;
    uint64_t cfa;
    if (rule->kind == CompactRule::kFromSp) {
      cfa = sp + static_cast<uint64_t>(8 * rule->cfa);
    } else if (rule->kind == CompactRule::kFromFp && has_fp) {
      cfa = fp + static_cast<uint64_t>(8 * rule->cfa);
    } else if (rule->kind == CompactRule::kFromFpSlot && has_fp) {
      if (!stack.ReadWord(fp + static_cast<uint64_t>(8 * rule->cfa), cfa)) break;
    } else {
      ended = rule->kind == CompactRule::kStart;
      if (ended) walk.result.end = UnwindEnd::kReachedStart;
      break;
    }
    uint64_t return_address;
    if (rule->ra != CompactRule::kNotSaved) {
      if (!stack.ReadWord(cfa + static_cast<uint64_t>(8 * rule->ra), return_address)) break;
    } else {
      if (!exact || !walk.registers.Has(kDwarfLink)) break;
      return_address = walk.registers.values[kDwarfLink];
    }
    return_address = StripReturnAddress(return_address);
    if (return_address == 0 || cfa <= sp || count == limit) break;
    if (rule->fp != CompactRule::kNotSaved) {
      const uint64_t slot = rule->kind == CompactRule::kFromFpSlot ? fp : cfa + static_cast<uint64_t>(8 * rule->fp);
      // Below sp it was popped already (see cfi_step.cc) and fp is the caller's again.
      if (!stack.ReadWord(slot, fp)) has_fp = has_fp && slot < sp;
    }
    pc = return_address;
    sp = cfa;
    exact = false;
    walk.out[count++] = {pc, sp};
  }
  if (count != walk.result.frame_count) {
    walk.result.frame_count = count;
    walk.exact = exact;
    walk.lost |= kCalleeSavedRegisters & ~Bit(kDwarfFp);
    walk.registers.known = kFollowed & ~(has_fp ? 0 : Bit(kDwarfFp));
    walk.registers.values[kDwarfPc] = pc;
    walk.registers.values[kDwarfSp] = sp;
    walk.registers.values[kDwarfFp] = fp;
  }
  return ended;
}

std::optional<UnwindEnd> Unwinder::SlowStep(Walk& walk) {
  const uint64_t address = walk.LookupAddress();
  Module* module = modules_.Find(address);
  if (module == nullptr) return StepWithoutRule(walk, UnwindEnd::kNoModule);
  const CompactRule* cached = cache_.Find(address);
  if (cached != nullptr && cached->kind == CompactRule::kNoRule) return StepWithoutRule(walk, UnwindEnd::kNoRule);
  FrameDescription description;
  if (!finder_.Find(*module, address, description)) {
    if (cached == nullptr) cache_.Store(address, CompactRule::OfKind(CompactRule::kNoRule), !walk.exact);
    return StepWithoutRule(walk, UnwindEnd::kNoRule);
  }
  CfiRow row;
  if (!FindRow(description, address - module->bias(), row)) return StepWithoutRule(walk, UnwindEnd::kBadRule);
  if (cached == nullptr) {
    cache_.Store(address, CompactRule::FromRow(row, description), !walk.exact);
    cached = cache_.Find(address);
    // RunCompact does it faster; what it cannot do comes back here, and then the rule is no longer new.
    if (!walk.rows_only && cached != nullptr && cached->kind != CompactRule::kRow) return std::nullopt;
  }
  Registers caller = walk.registers;
  const std::optional<UnwindProblem> problem = StepByRow(row, description, walk.stacks, caller);
  if (!problem.has_value()) return walk.Commit(caller, description.is_signal_frame);
  if (problem->end == UnwindEnd::kStackCut) walk.result.missing_avma = problem->avma;
  if (problem->end != UnwindEnd::kRegisterUnknown) return problem->end;
  if ((walk.lost >> problem->register_number & 1) != 0 && !walk.rows_only) {
    walk.needs_lost = true;
    return problem->end;
  }
  return StepWithoutRule(walk, problem->end);
}

// Nothing is written about this frame, or nothing that can be used.
std::optional<UnwindEnd> Unwinder::StepWithoutRule(Walk& walk, UnwindEnd otherwise) {
  Module* module = modules_.Find(walk.LookupAddress());
  if (module != nullptr) {
    if (IsProgramEntry(*module, walk.LookupAddress())) return UnwindEnd::kReachedStart;
    if (otherwise == UnwindEnd::kNoRule && StepOverTrampoline(walk)) return std::nullopt;
  }
  Registers caller = walk.registers;
  const bool by_record = otherwise == UnwindEnd::kRegisterUnknown && !caller.Has(kDwarfFp) &&
                         fallback_.StepByFrameRecord(walk.stacks, caller);
  if (!by_record && !fallback_.Step(walk.stacks, caller)) return otherwise;
  const std::optional<UnwindEnd> end = walk.Commit(caller, false);
  if (!end.has_value()) {
    ++walk.result.fallback_frames;
    walk.lost = 0;  // no way to find them, by whatever rules
  }
  return end;
}

bool Unwinder::IsProgramEntry(Module& module, uint64_t pc) const {
  const uint64_t entry = module.entry_avma();
  if (entry == 0 || pc - entry >= kMaxEntryBytes) return false;
  const UnwindSections* sections = module.unwind_sections();
  const uint64_t next_svma = sections == nullptr ? 0 : sections->NextStartInTable(entry - module.bias());
  return next_svma == 0 || pc - module.bias() < next_svma;
}

bool Unwinder::StepOverTrampoline(Walk& walk) {
  uint8_t code[kSignalTrampolineBytes];
  if (!modules_.memory().Read(walk.registers.pc(), code) || !IsSignalTrampoline(code)) return false;
  Registers interrupted = walk.registers;
  if (!StepOverSignalFrame(walk.stacks, interrupted, walk.result.missing_avma)) return false;
  return !walk.Commit(interrupted, true).has_value();
}

}  // namespace geckoprof
