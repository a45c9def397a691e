#ifndef GECKOPROF_BASE_UTF8_CUT_H_
#define GECKOPROF_BASE_UTF8_CUT_H_

#include <cstddef>
#include <string_view>

namespace geckoprof {

// The beginning of `text` that has at most `most_bytes` and cuts no character of UTF-8 (RFC 3629) in two: up to three
// bytes less. Where the text is not UTF-8 it is cut at `most_bytes`, however many bytes there look like the middle of a
// character. Context: any, signal context included.
constexpr std::string_view Utf8Cut(std::string_view text, size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  const auto is_inside = [&](size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
  size_t begin = most_bytes;  // of the character that would be cut
  while (begin > 0 && most_bytes - begin < 3 && is_inside(begin)) --begin;
  const bool is_lead = static_cast<unsigned char>(text[begin]) >= 0xc0;
  return text.substr(0, is_lead ? begin : most_bytes);
}

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_UTF8_CUT_H_
