#include "geckoprof/unwind/call_instruction.h"

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

}  // namespace geckoprof
