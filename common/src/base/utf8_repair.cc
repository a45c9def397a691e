#include "geckoprof/base/utf8_repair.h"

#include <cstdint>
#include <cstring>

namespace geckoprof {
namespace {

struct Sequence {
  size_t size_bytes;  // of the character or of the ill-formed part
  bool well_formed;
};

// Returns the first character of `text`, which must not be empty.
Sequence FirstSequence(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {1, true};
  size_t size_bytes = 0;
  uint8_t low = 0x80;  // The bounds of the second byte exclude long forms, surrogates and values above U+10FFFF.
  uint8_t high = 0xbf;
  if (lead >= 0xc2 && lead <= 0xdf) {
    size_bytes = 2;
  } else if (lead >= 0xe0 && lead <= 0xef) {
    size_bytes = 3;
    if (lead == 0xe0) low = 0xa0;
    if (lead == 0xed) high = 0x9f;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    size_bytes = 4;
    if (lead == 0xf0) low = 0x90;
    if (lead == 0xf4) high = 0x8f;
  } else {
    return {1, false};
  }
  for (size_t i = 1; i < size_bytes; ++i) {
    if (i >= text.size() || byte(i) < low || byte(i) > high) return {i, false};
    low = 0x80;
    high = 0xbf;
  }
  return {size_bytes, true};
}

// Returns the number of ASCII bytes at the start of `text`. It tests eight bytes at a time.
size_t AsciiPrefix(std::string_view text) {
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    if ((word & 0x8080808080808080u) != 0) break;
  }
  while (i < text.size() && static_cast<uint8_t>(text[i]) < 0x80) ++i;
  return i;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  for (;;) {
    text.remove_prefix(AsciiPrefix(text));
    if (text.empty()) return true;
    const Sequence sequence = FirstSequence(text);
    if (!sequence.well_formed) return false;
    text.remove_prefix(sequence.size_bytes);
  }
}

std::string RepairUtf8(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size());
  while (!text.empty()) {
    const Sequence sequence = FirstSequence(text);
    if (sequence.well_formed) {
      repaired.append(text.substr(0, sequence.size_bytes));
    } else {
      repaired.append("\xef\xbf\xbd");
    }
    text.remove_prefix(sequence.size_bytes);
  }
  return repaired;
}

}  // namespace geckoprof
