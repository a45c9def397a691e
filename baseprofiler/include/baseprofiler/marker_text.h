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

// MarkerText is a text for a marker or a label. It is a std::string_view, and is made from any type that converts to
// one, and from a std::span of characters. A null pointer gives an empty text, for example getenv("UNSET"). The text is
// not copied.
class MarkerText : public std::string_view {
 public:
  constexpr MarkerText() : MarkerText("") {}
  constexpr MarkerText(std::nullptr_t) : MarkerText("") {}  // NOLINT: implicit
  template <typename Source, typename = std::enable_if_t<internal::kIsUtf8Text<Source>>>
  constexpr MarkerText(const Source& source)  // NOLINT: implicit
      : std::string_view(WithoutNull(source)) {}

 private:
  template <typename Source>
  static constexpr std::string_view WithoutNull(const Source& source) {
    if constexpr (std::is_convertible_v<const Source&, const char*> && !std::is_array_v<Source>) {
      const char* const text = source;
      return text == nullptr ? std::string_view("") : std::string_view(text);
    } else if constexpr (std::is_convertible_v<const Source&, std::string_view>) {
      const std::string_view text = source;
      return text.data() == nullptr ? std::string_view("") : text;
    } else {
      return WithoutNull(std::string_view(source.data(), source.size()));
    }
  }
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKER_TEXT_H_
