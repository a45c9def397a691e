#include "geckoprof/unwind/call_instruction.h"

#include <cstring>

namespace geckoprof {

namespace {

// Length of "call *r/m" (ff /2: Intel SDM, table 2-2) from its ModRM byte on, without prefixes; 0 if it is another.
size_t IndirectCallBytes(const uint8_t* modrm) {
  if ((*modrm & 0x38) != 0x10) return 0;
  const unsigned mode = *modrm >> 6;
  const bool has_sib = mode != 3 && (*modrm & 7) == 4;
  switch (mode) {
    case 3:
      return 2;
    case 2:
      return has_sib ? 7u : 6u;
    case 1:
      return has_sib ? 4u : 3u;
    default:
      if ((*modrm & 7) == 5) return 6;  // rip + disp32
      return has_sib ? ((modrm[1] & 7) == 5 ? 7u : 3u) : 2u;
  }
}

}  // namespace

bool EndsWithCall(const uint8_t (&code)[kMaxCallBytes]) {
  if (code[kMaxCallBytes - 5] == 0xe8) return true;  // call rel32
  for (size_t bytes = 2; bytes <= 7; ++bytes) {
    const uint8_t* start = code + kMaxCallBytes - bytes;
    if (start[0] == 0xff && IndirectCallBytes(start + 1) == bytes) return true;
  }
  return false;
}

std::optional<uint64_t> DirectCallTarget(const uint8_t (&code)[kMaxCallBytes], uint64_t return_avma) {
  if (code[kMaxCallBytes - 5] != 0xe8) return std::nullopt;
  int32_t distance;
  std::memcpy(&distance, code + kMaxCallBytes - sizeof distance, sizeof distance);
  return return_avma + static_cast<uint64_t>(int64_t{distance});
}

// [endbr64] [bnd] jmp *disp(%rip), jmp rel32 or jmp rel8; or the index of a stub that is bound lazily, push imm32.
bool BeginsWithJump(std::span<const uint8_t> code) {
  constexpr uint8_t kEndbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
  if (code.size() >= sizeof kEndbr64 && std::memcmp(code.data(), kEndbr64, sizeof kEndbr64) == 0) {
    code = code.subspan(sizeof kEndbr64);
  }
  if (!code.empty() && code[0] == 0xf2) code = code.subspan(1);
  if (code.size() < 2) return false;
  const bool is_indirect = code[0] == 0xff && code[1] == 0x25;
  return is_indirect || code[0] == 0xe9 || code[0] == 0xeb || code[0] == 0x68;
}

}  // namespace geckoprof
