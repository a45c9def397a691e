// The names that code for Firefox uses. This header replaces those of Firefox (docs/guides/porting-from-firefox.md).
#ifndef GECKOPROF_BASEPROFILER_FIREFOX_NAMES_H_
#define GECKOPROF_BASEPROFILER_FIREFOX_NAMES_H_

#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/counters.h"
#include "baseprofiler/detail/language.h"

#if __cplusplus >= 202002L
#include <span>
#endif

namespace mozilla {

using namespace ::geckoprof;  // NOLINT: Code for Firefox expects these names here.

#if __cplusplus >= 202002L
template <typename Element>
using Span = std::span<Element>;
#else
template <typename Element>
using Span = ::geckoprof::internal::ArrayView<Element>;
#endif

// Maybe is a std::optional with the functions of Firefox's Maybe.
template <typename Value>
class Maybe : public std::optional<Value> {
 public:
  using std::optional<Value>::optional;
  constexpr bool isSome() const { return this->has_value(); }
  constexpr bool isNothing() const { return !this->has_value(); }
  constexpr Value& ref() { return **this; }
  constexpr const Value& ref() const { return **this; }
  constexpr Value valueOr(Value other) const { return this->value_or(std::move(other)); }
};
template <typename Value>
constexpr Maybe<std::decay_t<Value>> Some(Value&& value) {
  return std::forward<Value>(value);
}
constexpr std::nullopt_t Nothing() { return std::nullopt; }

// ProfilerStringView is a view with the functions of Firefox beside those of the standard. It is made from any type
// that converts to `View`.
template <typename View>
class ProfilerStringView : public View {
 public:
  using Character = typename View::value_type;
  constexpr ProfilerStringView() = default;
  template <typename Source, typename = std::enable_if_t<std::is_convertible_v<const Source&, View>>>
  constexpr ProfilerStringView(const Source& given) : View(given) {}  // NOLINT: implicit
  static constexpr ProfilerStringView WrapNullTerminatedString(const Character* text) {
    return text == nullptr ? ProfilerStringView() : ProfilerStringView(text);
  }

  constexpr const Character* Data() const { return View::data(); }
  constexpr size_t Length() const { return View::size(); }
  constexpr bool IsEmpty() const { return View::empty(); }
  constexpr Span<const Character> AsSpan() const { return {View::data(), View::size()}; }
};

using ProfilerString8View = ProfilerStringView<::geckoprof::MarkerText>;
using ProfilerString16View = ProfilerStringView<std::u16string_view>;

constexpr ProfilerString8View WrapNullTerminatedString(const char* text) { return text; }
// Returns the literal without its terminating zero.
constexpr Span<const char> MakeStringSpan(const char* literal) { return std::string_view(literal); }

}  // namespace mozilla

namespace geckoprofiler {

using category = ::geckoprof::MarkerCategory;

// Firefox has its types here, and code adds its own.
namespace markers {

using namespace ::geckoprof::markers;  // NOLINT: Code for Firefox expects these names here.
using NoPayload = ::geckoprof::internal::NoPayload;
using UserTimingMarker = UserTiming;

}  // namespace markers
}  // namespace geckoprofiler

// Does nothing, as in Firefox without PROFILER_RUNTIME_STATS.
#define AUTO_PROFILER_STATS(name)

#endif  // GECKOPROF_BASEPROFILER_FIREFOX_NAMES_H_
