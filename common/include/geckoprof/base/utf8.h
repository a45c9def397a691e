// UTF-8 in fixed buffers.
#ifndef GECKOPROF_BASE_UTF8_H_
#define GECKOPROF_BASE_UTF8_H_

#include <cstddef>
#include <string_view>

namespace geckoprof {

// Returns the beginning of `text`, at most `most_bytes` long. It never cuts a UTF-8 character (RFC 3629) in two, so the
// result may be up to three bytes shorter. Text that is not UTF-8 is cut at exactly `most_bytes`, even if the bytes
// there look like continuation bytes.
//
// Context: any, including signal context.
constexpr std::string_view Utf8Cut(std::string_view text, size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  const auto is_inside = [&](size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
  size_t begin = most_bytes;  // where the character that would be cut begins
  while (begin > 0 && most_bytes - begin < 3 && is_inside(begin)) --begin;
  const bool is_lead = static_cast<unsigned char>(text[begin]) >= 0xc0;
  return text.substr(0, is_lead ? begin : most_bytes);
}

// Conversion from UTF-16 to UTF-8, one character at a time (The Unicode Standard, section 3.9). The functions are
// always inlined, so the compiler can keep a caller's small buffer in registers.
//
// Context: any, including signal context.

constexpr char32_t kReplacementCharacter = 0xfffd;

// Returns the character that begins at text[i] and moves `i` to its last unit. An unpaired surrogate gives U+FFFD.
[[gnu::always_inline]] constexpr char32_t Utf16Character(std::u16string_view text, size_t& i) {
  const char32_t unit = text[i];
  if ((unit & 0xf800) != 0xd800) return unit;
  const bool is_pair = unit < 0xdc00 && i + 1 < text.size() && (text[i + 1] & 0xfc00) == 0xdc00;
  return is_pair ? 0x10000 + ((unit & 0x3ff) << 10) + (text[++i] & 0x3ff) : kReplacementCharacter;
}

// Writes `code` to `to` and returns the number of bytes, 1 to 4. `code` must be at most U+10FFFF and no surrogate.
[[gnu::always_inline]] constexpr size_t EncodeUtf8(char32_t code, char* to) {
  constexpr unsigned char kLead[] = {0, 0, 0xc0, 0xe0, 0xf0};
  const size_t bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t b = bytes; b-- > 1; code >>= 6) to[b] = static_cast<char>(0x80 | (code & 0x3f));
  to[0] = static_cast<char>(kLead[bytes] | code);
  return bytes;
}

// Returns true if a terminal obeys the character, or if the character hides or turns other text. These are controls,
// marks of direction, characters without width, and code points that stand for nothing.
constexpr bool IsUnsafeToShow(char32_t code) {
  struct Range {
    char32_t first, last;
  };
  constexpr Range kUnsafe[] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0x061c, 0x061c},  {0x200b, 0x200f},
                               {0x2028, 0x202e}, {0x2060, 0x206f}, {0xd800, 0xdfff},  {0xfeff, 0xfeff},
                               {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe0fff}};
  for (const Range& range : kUnsafe) {
    if (code >= range.first && code <= range.last) return true;
  }
  return false;
}

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_UTF8_H_
