// Names under which code that is instrumented for Firefox knows what is here: include this instead of the original's
// headers (docs/guides/porting-from-firefox.md).
#ifndef GECKOPROF_BASEPROFILER_FIREFOX_NAMES_H_
#define GECKOPROF_BASEPROFILER_FIREFOX_NAMES_H_

#include <chrono>
#include <concepts>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "baseprofiler/base_profiler.h"

namespace mozilla {

using namespace ::geckoprof;  // NOLINT: that is what this header is for

template <typename Element>
using Span = std::span<Element>;

// A view of whatever converts to one, with the original's methods beside the standard's.
template <typename View>
class ProfilerStringView : public View {
 public:
  using Character = typename View::value_type;
  constexpr ProfilerStringView() = default;
  template <typename Given>
  requires std::convertible_to<const Given&, View>
  constexpr ProfilerStringView(const Given& given) : View(given) {}  // NOLINT: implicit
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
using TimeDuration = std::chrono::nanoseconds;

template <typename Value>
class Maybe : public std::optional<Value> {
 public:
  using std::optional<Value>::optional;
  constexpr bool isSome() const { return this->has_value(); }
  constexpr bool isNothing() const { return !this->has_value(); }
};
template <typename Value>
constexpr Maybe<std::decay_t<Value>> Some(Value&& value) {
  return std::forward<Value>(value);
}
constexpr std::nullopt_t Nothing() { return std::nullopt; }

constexpr ProfilerString8View WrapNullTerminatedString(const char* text) { return text; }
// Of a literal: what a span of it loses, its end, is looked for.
constexpr std::span<const char> MakeStringSpan(const char* literal) { return std::string_view(literal); }

}  // namespace mozilla

namespace geckoprofiler {

namespace markers = ::geckoprof::markers;
using category = ::geckoprof::MarkerCategory;

}  // namespace geckoprofiler

#endif  // GECKOPROF_BASEPROFILER_FIREFOX_NAMES_H_
