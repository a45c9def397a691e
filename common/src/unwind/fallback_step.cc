#include "geckoprof/unwind/fallback_step.h"

#include <array>
#include <cstring>

#include "geckoprof/unwind/machine_code.h"

namespace geckoprof {

namespace {

constexpr uint64_t kFrameRecordBytes = 16;

// A function without a frame is short, apart from those that copy memory.
constexpr size_t kMaxFramelessBytes = 4096;

}  // namespace

FallbackStep::Found FallbackStep::Step(std::span<const StackView> stacks, bool exact, Registers& registers) {
  if (ByCode(stacks, exact, registers) || (exact && WithoutFrame(stacks, registers))) return Found::kByCode;
  if (ByFramePointer(stacks, registers)) return Found::kFramePointer;
  const uint64_t fp = registers.fp();
  if (registers.Has(kDwarfFp)) {
    // Runtimes such as Go's put the address of a function below the first frame of a stack, and a frame pointer of 0.
    FrameRecord record;
    const bool is_record = fp >= registers.sp() && ReadRecord(stacks, fp, record);
    if (is_record && record.caller_fp == 0 && IsExecutable(record.return_address)) return Found::kStart;
    if (!exact && !is_record && IsRecordElsewhere(fp)) return Found::kOtherStack;
  }
  return StepByScan(stacks, registers.sp(), registers) ? Found::kScan : Found::kNone;
}

// The instructions at pc show the place of the return address.
bool FallbackStep::ByCode(std::span<const StackView> stacks, bool exact, Registers& registers) {
  const ReturnSite site = sites_.At(registers.pc());
  const ReturnSlot& slot = site.return_slot;
  if (!site.has_return_slot || (slot.in_prologue && !exact)) return false;
  uint64_t return_address = 0;
  if (!ReadStackWord(stacks, registers.sp() + slot.return_offset, return_address)) return false;
  return_address = StripReturnAddress(return_address);
  if (!sites_.IsReturnAddress(return_address)) return false;
  Registers caller = Registers::FromPcAndSp(return_address, registers.sp() + slot.frame_bytes);
  uint64_t fp = registers.fp();
  const bool has_fp = slot.fp_offset == ReturnSlot::kNotSaved
                          ? registers.Has(kDwarfFp)
                          : ReadStackWord(stacks, registers.sp() + slot.fp_offset, fp);
  if (has_fp) caller.Set(kDwarfFp, fp);
  registers = caller;
  return true;
}

// The word at sp is a return address, and the code from the function's start to pc sets up no frame. The target of the
// call is the start, or else the first instruction behind padding.
bool FallbackStep::WithoutFrame(std::span<const StackView> stacks, Registers& registers) {
  uint64_t return_address = 0;
  if (!ReadStackWord(stacks, registers.sp(), return_address)) return false;
  const ReturnSite site = sites_.At(return_address);
  if (!site.follows_call) return false;
  const bool is_near = site.call_target <= registers.pc() && registers.pc() - site.call_target <= kMaxFramelessBytes;
  const uint64_t start_avma = is_near ? site.call_target : registers.pc() - kMaxFramelessBytes;
  std::array<uint8_t, kMaxFramelessBytes> bytes;
  std::span<uint8_t> code(bytes.data(), registers.pc() - start_avma);
  if (!modules_.memory().Read(start_avma, code)) return false;
  if (!is_near) {
    const size_t padding_bytes = EndOfPadding(code, start_avma);
    if (padding_bytes == 0) return false;
    code = code.subspan(padding_bytes);
  }
  if (MaySetUpFrame(code)) return false;
  const Registers callee = registers;
  registers = Registers::FromPcAndSp(return_address, callee.sp() + sizeof return_address);
  if (callee.Has(kDwarfFp)) registers.Set(kDwarfFp, callee.fp());
  return true;
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
    return StepByScan(stacks, registers.sp(), registers) ? Found::kScan : Found::kNone;
  }
  if (Scan(stacks, registers.sp(), registers.fp(), registers)) return Found::kScan;
  const uint64_t fp = registers.fp();
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

bool FallbackStep::StepByScan(std::span<const StackView> stacks, uint64_t from_avma, Registers& registers) {
  return Scan(stacks, from_avma, UINT64_MAX, registers);
}

bool FallbackStep::Scan(std::span<const StackView> stacks, uint64_t from_avma, uint64_t end_avma,
                        Registers& registers) {
  const uint64_t first_avma = (registers.sp() + 7) & ~uint64_t{7};
  for (uint64_t i = (from_avma + 7 - first_avma) / 8; i < kScannedWords; ++i) {
    const uint64_t avma = first_avma + 8 * i;
    uint64_t word = 0;
    if (avma >= end_avma || !ReadStackWord(stacks, avma, word)) return false;
    word = StripReturnAddress(word);
    if (!sites_.IsReturnAddress(word)) continue;
    const uint64_t caller_sp = avma + 8;
    // If the frame pointer points above the frame, the frame did not change it or has restored it. If it points into
    // the frame, the frame has changed it.
    const bool keeps_fp = registers.Has(kDwarfFp) && registers.fp() >= caller_sp;
    const uint64_t fp = registers.fp();
    registers = Registers::FromPcAndSp(word, caller_sp);
    if (keeps_fp) registers.Set(kDwarfFp, fp);
    return true;
  }
  return false;
}

bool FallbackStep::IsExecutable(uint64_t avma) const {
  const ModuleTable::Region* const region = modules_.RegionAt(avma - 1);
  return region != nullptr && region->executable;
}

}  // namespace geckoprof
