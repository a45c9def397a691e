#ifndef GECKOPROF_BASE_UTF8_CUT_H_
#define GECKOPROF_BASE_UTF8_CUT_H_

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

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_UTF8_CUT_H_
