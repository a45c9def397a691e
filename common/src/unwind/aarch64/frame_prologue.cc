#include "geckoprof/unwind/frame_prologue.h"

#include <cstring>

namespace geckoprof {
namespace {

// The instruction at `index`; 0, which is none (udf), behind the end.
uint32_t InstructionAt(std::span<const uint8_t> code, size_t index) {
  uint32_t instruction = 0;
  if (code.size() >= 4 * (index + 1)) std::memcpy(&instruction, code.data() + 4 * index, sizeof(instruction));
  return instruction;
}

bool IsLandingPad(uint32_t instruction) {
  return (instruction & 0xffffff3f) == 0xd503241f || instruction == 0xd503233f;  // bti, paciasp
}

}  // namespace

// stp x29, x30, [sp, #-n]!; mov x29, sp: the frame record is the lowest part of the frame. Or sub sp, sp, #n; stp x29,
// x30, [sp, #m]; add x29, sp, #m: it lies m above (Arm ARM, C6.2).
std::optional<uint64_t> BytesBelowFramePointer(std::span<const uint8_t> code) {
  size_t at = 0;
  while (at < 2 && IsLandingPad(InstructionAt(code, at))) ++at;
  const uint32_t first = InstructionAt(code, at);
  const uint32_t second = InstructionAt(code, at + 1);
  if ((first & 0xffe07fff) == 0xa9a07bfd && second == 0x910003fd) return 0;
  if ((first & 0xff8003ff) != 0xd10003ff || (second & 0xffe07fff) != 0xa9007bfd) return std::nullopt;
  const uint32_t record = (second >> 15 & 0x3f) * 8;
  const uint32_t third = InstructionAt(code, at + 2);
  const bool sets_fp = (third & 0xffc003ff) == 0x910003fd && (third >> 10 & 0xfff) == record;
  return sets_fp ? std::optional<uint64_t>(record) : std::nullopt;
}

}  // namespace geckoprof
