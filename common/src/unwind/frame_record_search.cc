#include "geckoprof/unwind/frame_record_search.h"

#include <array>

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

FallbackStep::Found FrameRecordSearch::Step(std::span<const StackView> stacks, const Function& function,
                                            Registers& registers) {
  std::optional<Record> found = FindByPrologue(stacks, function, registers.sp());
  using Call = CallSearch::Call;
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
    const Call call = calls_.Judge(record->return_avma, {function.start_avma, function.start_avma});
    if (call == Call::kOfFunction) found = record;
    if (call == Call::kPossible && !possible && IsChained(stacks, avma, record->caller_fp)) possible = record;
  }
  const bool is_guess = !found;
  if (is_guess) found = possible;
  if (!found) return FallbackStep::Found::kNone;
  registers = Registers::FromPcAndSp(found->return_avma, found->avma + 16);
  registers.Set(kDwarfFp, found->caller_fp);
  return is_guess ? FallbackStep::Found::kScan : FallbackStep::Found::kFramePointer;
}

std::optional<FrameRecordSearch::Record> FrameRecordSearch::ReadRecord(std::span<const StackView> stacks,
                                                                       uint64_t avma) {
  Record record = {avma, 0, 0};
  const bool is_there =
      ReadStackWord(stacks, avma, record.caller_fp) && ReadStackWord(stacks, avma + 8, record.return_avma);
  record.return_avma = StripReturnAddress(record.return_avma);
  if (!is_there || !sites_.IsReturnAddress(record.return_avma)) return std::nullopt;
  return record;
}

std::optional<FrameRecordSearch::Record> FrameRecordSearch::FindByPrologue(std::span<const StackView> stacks,
                                                                           const Function& function, uint64_t sp) {
  std::array<uint8_t, kPrologueBytes> code;
  const size_t code_bytes = modules_.memory().ReadPrefix(function.start_avma, code);
  const FrameSizes sizes = FindFrameSizes(std::span(code).first(code_bytes));
  std::optional<Record> possible;
  std::optional<Record> by_jump;
  using Call = CallSearch::Call;
  for (size_t i = sizes.count; i-- > 0 && sp % 8 == 0;) {
    // A function saves registers by pushes, which take more room, or by stores into the reserved bytes.
    for (const uint64_t saved_bytes : {function.saved_bytes, uint64_t{0}}) {
      const std::optional<Record> record = ReadRecord(stacks, sp + sizes.bytes[i] + saved_bytes);
      if (!record) continue;
      const Call call = calls_.Judge(record->return_avma, {function.start_avma, function.start_avma});
      if (call == Call::kOfFunction) return record;
      if (call == Call::kPossible && !possible) possible = record;
      // The called function may have gone on by a jump.
      const bool is_chained = IsChained(stacks, record->avma, record->caller_fp);
      if (call == Call::kOfAnother && i + 1 == sizes.count && is_chained && !by_jump) by_jump = record;
    }
  }
  return possible ? possible : by_jump;
}

}  // namespace geckoprof
