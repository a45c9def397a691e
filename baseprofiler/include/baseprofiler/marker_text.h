#ifndef GECKOPROF_BASEPROFILER_MARKER_TEXT_H_
#define GECKOPROF_BASEPROFILER_MARKER_TEXT_H_

#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

namespace geckoprof {

// MarkerText: a text that is given for a marker or a label: a std::string_view, made of anything that converts to one.
// A null pointer is an empty text, as in getenv("UNSET"). Borrows, as a string_view does.
class MarkerText : public std::string_view {
 public:
  constexpr MarkerText() : MarkerText("") {}
  constexpr MarkerText(std::nullptr_t) : MarkerText("") {}  // NOLINT: implicit
  template <typename Given>
  requires std::convertible_to<const Given&, std::string_view>
  constexpr MarkerText(const Given& given)  // NOLINT: implicit
      : std::string_view(WithoutNull(given)) {}
  constexpr MarkerText(std::span<const char> given)  // NOLINT: implicit
      : MarkerText(std::string_view(given.data(), given.size())) {}

 private:
  template <typename Given>
  static constexpr std::string_view WithoutNull(const Given& given) {
    if constexpr (std::is_convertible_v<const Given&, const char*> && !std::is_array_v<Given>) {
      const char* const text = given;
      return text == nullptr ? std::string_view("") : std::string_view(text);
    } else {
      const std::string_view text = given;
      return text.data() == nullptr ? std::string_view("") : text;
    }
  }
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKER_TEXT_H_
