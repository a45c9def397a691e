#include "geckoprof/unwind/frame_record_search.h"

#include "geckoprof/unwind/machine_code.h"

namespace geckoprof {
namespace {

// Returns true if the caller's frame pointer points further up the same stack. The thread's first functions may have
// used the register for anything.
bool IsChained(std::span<const StackView> stacks, uint64_t record_avma, uint64_t caller_fp) {
  uint64_t above = 0;
  return caller_fp > record_avma && caller_fp % 8 == 0 && ReadStackWord(stacks, caller_fp, above);
}

}  // namespace

bool FrameRecordSearch::Step(std::span<const StackView> stacks, uint64_t function_avma, Registers& registers) {
  std::optional<Record> found = FindByPrologue(stacks, function_avma, registers.sp());
  const uint64_t first_avma = (registers.sp() + 7) & ~uint64_t{7};
  std::optional<Record> possible;
  unsigned looks = 0;
  for (unsigned i = 0; !found && i < kScannedWords && looks < kMaxLooks; ++i) {
    const uint64_t avma = first_avma + 8 * i;
    uint64_t above = 0;
    if (!ReadStackWord(stacks, avma + 8, above)) break;
    const std::optional<Record> record = ReadRecord(stacks, avma);
    if (!record) continue;
    ++looks;
    const Call call = CallBefore(record->return_avma, function_avma);
    if (call == Call::kOfFunction) found = record;
    if (call == Call::kPossible && !possible && IsChained(stacks, avma, record->caller_fp)) possible = record;
  }
  if (!found) found = possible;
  if (!found) return false;
  registers = Registers::FromPcAndSp(found->return_avma, found->avma + 16);
  registers.Set(kDwarfFp, found->caller_fp);
  return true;
}

std::optional<FrameRecordSearch::Record> FrameRecordSearch::ReadRecord(std::span<const StackView> stacks,
                                                                       uint64_t avma) {
  Record record = {avma, 0, 0};
  const bool is_there =
      ReadStackWord(stacks, avma, record.caller_fp) && ReadStackWord(stacks, avma + 8, record.return_avma);
  record.return_avma = StripReturnAddress(record.return_avma);
  if (!is_there || !fallback_.IsReturnAddress(record.return_avma)) return std::nullopt;
  return record;
}

std::optional<FrameRecordSearch::Record> FrameRecordSearch::FindByPrologue(std::span<const StackView> stacks,
                                                                           uint64_t function_avma, uint64_t sp) {
  uint8_t code[kPrologueBytes];
  if (!modules_.memory().Read(function_avma, code)) return std::nullopt;
  const std::optional<uint64_t> below = BytesBelowFramePointer(code);
  if (!below || sp % 8 != 0) return std::nullopt;
  std::optional<Record> record = ReadRecord(stacks, sp + *below);
  if (!record) return std::nullopt;
  switch (CallBefore(record->return_avma, function_avma)) {
    case Call::kOfFunction:
    case Call::kPossible:
      return record;
    case Call::kOfAnother:  // which went on by a jump
      return IsChained(stacks, record->avma, record->caller_fp) ? record : std::nullopt;
    case Call::kNone:
      break;
  }
  return std::nullopt;
}

FrameRecordSearch::Call FrameRecordSearch::CallBefore(uint64_t return_avma, uint64_t function_avma) {
  uint8_t call[kMaxCallBytes];
  if (!modules_.memory().Read(return_avma - kMaxCallBytes, call)) return Call::kNone;
  const std::optional<uint64_t> target = DirectCallTarget(call, return_avma);
  if (!target) return Call::kPossible;
  if (*target == function_avma) return Call::kOfFunction;
  uint8_t stub[kMaxStubBytes];
  if (!modules_.memory().Read(*target, stub)) return Call::kPossible;
  return BeginsWithJump(stub) ? Call::kPossible : Call::kOfAnother;
}

}  // namespace geckoprof
