// Names under which code that is instrumented for Firefox knows what is here: include this instead of the original's
// headers (docs/guides/porting-from-firefox.md).
#ifndef GECKOPROF_BASEPROFILER_FIREFOX_NAMES_H_
#define GECKOPROF_BASEPROFILER_FIREFOX_NAMES_H_

#include <chrono>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "baseprofiler/base_profiler.h"

namespace mozilla {

using namespace ::geckoprof;  // NOLINT: that is what this header is for

using ProfilerString8View = ::geckoprof::MarkerText;
using ProfilerString16View = std::u16string_view;
using TimeDuration = std::chrono::nanoseconds;

template <typename Value>
using Maybe = std::optional<Value>;
template <typename Value>
constexpr auto Some(Value&& value) {
  return std::make_optional(std::forward<Value>(value));
}
constexpr std::nullopt_t Nothing() { return std::nullopt; }

template <typename Element>
using Span = std::span<Element>;
constexpr ProfilerString8View WrapNullTerminatedString(const char* text) { return text; }
// Of a literal: what a span of it loses, its end, is looked for.
constexpr std::span<const char> MakeStringSpan(const char* literal) { return std::string_view(literal); }

}  // namespace mozilla

namespace geckoprofiler {

namespace markers = ::geckoprof::markers;
using category = ::geckoprof::MarkerCategory;

}  // namespace geckoprofiler

#endif  // GECKOPROF_BASEPROFILER_FIREFOX_NAMES_H_
