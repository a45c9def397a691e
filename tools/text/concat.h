#ifndef GECKOPROF_TOOLS_TEXT_CONCAT_H_
#define GECKOPROF_TOOLS_TEXT_CONCAT_H_

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace geckoprof {
namespace concat_internal {

inline void Append(std::string* text, std::string_view part) { text->append(part); }

template <typename Number>
requires std::integral<Number> || std::floating_point<Number>
void Append(std::string* text, Number number) {
  char buffer[32];  // the longest shortest form of a double has 24 characters
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, number);
  text->append(buffer, static_cast<size_t>(result.ptr - buffer));
}

}  // namespace concat_internal

// The parts one after the other; numbers in their shortest decimal form. (absl::StrCat of the distribution's Abseil,
// which has a string_view of its own, does not take std::string_view.)
template <typename... Parts>
std::string Concat(const Parts&... parts) {
  std::string text;
  (concat_internal::Append(&text, parts), ...);
  return text;
}

inline std::string HexText(uint64_t number) {
  char buffer[16];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, number, 16);
  return std::string(buffer, result.ptr);
}

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_TEXT_CONCAT_H_
