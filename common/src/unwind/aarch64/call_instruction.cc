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

}  // namespace geckoprof
