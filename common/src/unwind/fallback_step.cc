#include "geckoprof/unwind/fallback_step.h"

#include "geckoprof/unwind/machine_code.h"

namespace geckoprof {

namespace {

constexpr uint64_t kFrameRecordBytes = 16;

}  // namespace

FallbackStep::Found FallbackStep::Step(std::span<const StackView> stacks, Registers& registers) {
  if (ByFramePointer(stacks, registers)) return Found::kFramePointer;
  return StepByScan(stacks, registers.sp(), registers) ? Found::kScan : Found::kNone;
}

FallbackStep::Found FallbackStep::StepInGeneratedCode(std::span<const StackView> stacks, Registers& registers) {
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
      !IsReturnAddress(record.return_address)) {
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
    if (!IsReturnAddress(word)) continue;
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

bool FallbackStep::IsReturnAddress(uint64_t avma) {
  // Most words on a stack are small numbers or point into data. They are not cached.
  const ModuleTable::Region* region = modules_.RegionAt(avma - 1);
  if (region == nullptr || !region->executable || avma - region->start_avma < kMaxCallBytes) return false;
  KnownWord& known = known_words_[(avma * 0x9e3779b97f4a7c15) >> (64 - kKnownWordBits)];
  if (known.avma != avma || known.generation != modules_.generation()) {
    known = {avma, modules_.generation(), LooksLikeReturnAddress(avma)};
  }
  return known.is_return_address;
}

bool FallbackStep::LooksLikeReturnAddress(uint64_t avma) const {
  uint8_t code[kMaxCallBytes];
  return modules_.memory().Read(avma - kMaxCallBytes, code) && EndsWithCall(code);
}

}  // namespace geckoprof
