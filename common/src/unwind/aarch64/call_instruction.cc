#include "geckoprof/unwind/call_instruction.h"

#include <cstring>

namespace geckoprof {

// bl, blr and its authenticated forms (Arm ARM, C4.1.66).
bool EndsWithCall(const uint8_t (&code)[kMaxCallBytes]) {
  uint32_t instruction;
  std::memcpy(&instruction, code + kMaxCallBytes - sizeof instruction, sizeof instruction);
  if ((instruction & 0xfc000000) == 0x94000000) return true;  // bl
  if ((instruction & 0xfffffc1f) == 0xd63f0000) return true;  // blr
  return (instruction & 0xfefff800) == 0xd63f0800;            // blraa, blrab and with a zero modifier
}

std::optional<uint64_t> DirectCallTarget(const uint8_t (&code)[kMaxCallBytes], uint64_t return_avma) {
  uint32_t instruction;
  std::memcpy(&instruction, code + kMaxCallBytes - sizeof instruction, sizeof instruction);
  if ((instruction & 0xfc000000) != 0x94000000) return std::nullopt;
  const int32_t words = static_cast<int32_t>(instruction << 6) >> 6;  // imm26 with its sign
  return return_avma - sizeof instruction + static_cast<uint64_t>(int64_t{words} * 4);
}

// [bti c] adrp x16 or b.
bool BeginsWithJump(std::span<const uint8_t> code) {
  uint32_t words[2] = {};
  std::memcpy(words, code.data(), code.size() < sizeof words ? code.size() : sizeof words);
  const uint32_t first = words[0] == 0xd503245f ? words[1] : words[0];
  return (first & 0x9f00001f) == 0x90000010 || (first & 0xfc000000) == 0x14000000;
}

}  // namespace geckoprof
