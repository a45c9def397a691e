#include "geckoprof/unwind/fallback_step.h"

#include <array>
#include <cstring>

#include "geckoprof/unwind/machine_code.h"

namespace geckoprof {

namespace {

constexpr uint64_t kFrameRecordBytes = 16;

}  // namespace

FallbackStep::Found FallbackStep::Step(std::span<const StackView> stacks, bool exact, Registers& registers) {
  using Call = CallSearch::Call;
  const CallSearch::Function function = calls_.FunctionAt(exact ? registers.pc() : registers.pc() - 1);
  if (ByCode(stacks, exact, registers)) {
    return calls_.Judge(registers.pc(), function) == Call::kOfAnother ? Found::kScan : Found::kByCode;
  }
  const uint64_t fp = registers.fp();
  Registers by_record = registers;
  const bool has_record = ByFramePointer(stacks, by_record);
  const Call call = has_record ? calls_.Judge(by_record.pc(), function) : Call::kNone;
  if (exact || call != Call::kOfFunction) {
    Registers by_call = registers;
    bool is_guess = false;
    const uint64_t end_avma = has_record ? fp : UINT64_MAX;
    const bool has_caller = calls_.FindCaller(stacks, function, registers.sp(), end_avma, by_call, is_guess);
    if (!has_record && (!has_caller || is_guess) && registers.Has(kDwarfFp)) {
      // Runtimes such as Go's put the address of a function below the first frame of a stack, and a frame pointer of 0.
      FrameRecord record;
      const bool is_record = fp >= registers.sp() && ReadRecord(stacks, fp, record);
      if (is_record && record.caller_fp == 0 && IsExecutable(record.return_address)) return Found::kStart;
      if (!exact && !is_record && IsRecordElsewhere(fp)) return Found::kOtherStack;
    }
    if (has_caller && !(is_guess && call >= Call::kPossible)) {
      registers = by_call;
      return is_guess ? Found::kScan : Found::kByCode;
    }
  }
  if (!has_record) return Found::kNone;
  registers = by_record;
  return call == Call::kOfAnother ? Found::kScan : Found::kFramePointer;
}

// The instructions at pc show the place of the return address.
bool FallbackStep::ByCode(std::span<const StackView> stacks, bool exact, Registers& registers) {
  const ReturnSite& site = sites_.At(registers.pc());
  if (!site.has_return_slot || (site.return_slot.in_prologue && !exact)) return false;
  const ReturnSlot slot = site.return_slot;
  return calls_.StepBySlot(stacks, slot, registers);
}

// Returns true if `fp` points to a frame record on another stack. Code that switches stacks leaves it so.
bool FallbackStep::IsRecordElsewhere(uint64_t fp) {
  std::array<uint8_t, sizeof(uint64_t)> bytes;
  if (fp % 8 != 0 || !modules_.memory().Read(fp + sizeof(uint64_t), bytes)) return false;
  uint64_t word = 0;
  std::memcpy(&word, bytes.data(), sizeof word);
  return sites_.IsReturnAddress(StripReturnAddress(word));
}

FallbackStep::Found FallbackStep::StepInGeneratedCode(std::span<const StackView> stacks, bool exact,
                                                      Registers& registers) {
  if (ByCode(stacks, exact, registers)) return Found::kByCode;
  if (FindSavedFramePointer(stacks, registers)) return Found::kFramePointer;
  if (ByFramePointer(stacks, registers)) return Found::kFramePointer;
  if (!BeginsChain(stacks, registers)) {
    return StepByScan(stacks, {}, registers.sp(), registers) ? Found::kScan : Found::kNone;
  }
  const uint64_t fp = registers.fp();
  bool is_guess = false;
  if (calls_.FindCaller(stacks, {}, registers.sp(), fp, registers, is_guess)) return Found::kScan;
  FrameRecord record;
  if (!ReadRecord(stacks, fp, record)) return Found::kNone;
  registers = Registers::FromPcAndSp(record.return_address, fp + kFrameRecordBytes);
  registers.Set(kDwarfFp, record.caller_fp);
  return Found::kFramePointer;
}

// A frame record is the caller's frame pointer and then the return address. Both architectures have this form.
bool FallbackStep::ReadRecord(std::span<const StackView> stacks, uint64_t fp, FrameRecord& record) {
  if (fp % 8 != 0 || !ReadStackWord(stacks, fp, record.caller_fp) ||
      !ReadStackWord(stacks, fp + 8, record.return_address)) {
    return false;
  }
  record.return_address = StripReturnAddress(record.return_address);
  return true;
}

bool FallbackStep::ByFramePointer(std::span<const StackView> stacks, Registers& registers) {
  FrameRecord record;
  const uint64_t fp = registers.fp();
  if (!registers.Has(kDwarfFp) || fp < registers.sp() || !ReadRecord(stacks, fp, record) ||
      !sites_.IsReturnAddress(record.return_address)) {
    return false;
  }
  registers = Registers::FromPcAndSp(record.return_address, fp + kFrameRecordBytes);
  registers.Set(kDwarfFp, record.caller_fp);
  return true;
}

// Handles compiled code that saves the frame pointer but does not set it. The caller's frame pointer lies right below
// the return address, and is still in the register.
bool FallbackStep::FindSavedFramePointer(std::span<const StackView> stacks, Registers& registers) {
  const uint64_t fp = registers.fp();
  if (!registers.Has(kDwarfFp) || fp % 8 != 0) return false;
  uint64_t avma = (registers.sp() + 7) & ~uint64_t{7};
  for (unsigned i = 0; i < kScannedWords && avma + 8 < fp; ++i, avma += 8) {
    FrameRecord record;
    if (!ReadRecord(stacks, avma, record)) return false;
    if (record.caller_fp != fp || !IsExecutable(record.return_address)) continue;
    registers = Registers::FromPcAndSp(record.return_address, avma + kFrameRecordBytes);
    registers.Set(kDwarfFp, fp);
    return true;
  }
  return false;
}

// Two records one above the other, both leading into executable memory.
bool FallbackStep::BeginsChain(std::span<const StackView> stacks, const Registers& registers) const {
  FrameRecord record;
  FrameRecord above;
  const uint64_t fp = registers.fp();
  return registers.Has(kDwarfFp) && fp >= registers.sp() && ReadRecord(stacks, fp, record) &&
         IsExecutable(record.return_address) && record.caller_fp > fp && ReadRecord(stacks, record.caller_fp, above) &&
         IsExecutable(above.return_address);
}

bool FallbackStep::StepByScan(std::span<const StackView> stacks, const CallSearch::Function& function,
                              uint64_t from_avma, Registers& registers) {
  bool is_guess = false;
  return calls_.FindCaller(stacks, function, from_avma, UINT64_MAX, registers, is_guess);
}

bool FallbackStep::IsExecutable(uint64_t avma) const {
  const ModuleTable::Region* const region = modules_.RegionAt(avma - 1);
  return region != nullptr && region->executable;
}

}  // namespace geckoprof
