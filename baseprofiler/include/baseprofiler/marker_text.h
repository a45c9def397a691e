#ifndef GECKOPROF_BASEPROFILER_MARKER_TEXT_H_
#define GECKOPROF_BASEPROFILER_MARKER_TEXT_H_

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "baseprofiler/detail/language.h"

namespace geckoprof {

namespace internal {

// A std::span of characters is recognised by its members, so that <span> is not needed.
template <typename Type, typename = void>
inline constexpr bool kIsCharSpan = false;
template <typename Type>
inline constexpr bool kIsCharSpan<Type, std::enable_if_t<kHasDataAndSize<Type> && kHasSizeInBytes<Type>>> =
    std::is_convertible_v<decltype(std::declval<const Type&>().data()), const char*>;

// A MarkerText can be made from these types.
template <typename Type>
inline constexpr bool kIsUtf8Text = std::is_convertible_v<const Type&, std::string_view> || kIsCharSpan<Type>;
template <typename Type>
inline constexpr bool kIsUtf16Text = std::is_convertible_v<const Type&, std::u16string_view>;

}  // namespace internal

// MarkerText is a text for a marker or a label. It is a std::string_view, and is made from anything that converts to
// one, and from a std::span of characters. A null pointer gives an empty text, for example getenv("UNSET"). The text is
// not copied.
class MarkerText : public std::string_view {
 public:
  constexpr MarkerText() : MarkerText("") {}
  constexpr MarkerText(std::nullptr_t) : MarkerText("") {}  // NOLINT: implicit
  template <typename Given, typename = std::enable_if_t<internal::kIsUtf8Text<Given>>>
  constexpr MarkerText(const Given& given)  // NOLINT: implicit
      : std::string_view(WithoutNull(given)) {}

 private:
  template <typename Given>
  static constexpr std::string_view WithoutNull(const Given& given) {
    if constexpr (std::is_convertible_v<const Given&, const char*> && !std::is_array_v<Given>) {
      const char* const text = given;
      return text == nullptr ? std::string_view("") : std::string_view(text);
    } else if constexpr (std::is_convertible_v<const Given&, std::string_view>) {
      const std::string_view text = given;
      return text.data() == nullptr ? std::string_view("") : text;
    } else {
      return WithoutNull(std::string_view(given.data(), given.size()));
    }
  }
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKER_TEXT_H_
