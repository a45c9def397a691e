// Names under which code that is instrumented for Firefox knows what is here: include this instead of the original's
// headers (docs/guides/porting-from-firefox.md).
#ifndef GECKOPROF_BASEPROFILER_FIREFOX_NAMES_H_
#define GECKOPROF_BASEPROFILER_FIREFOX_NAMES_H_

#include <span>
#include <string_view>

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/counters.h"
#include "baseprofiler/detail/language.h"
#include "baseprofiler/detail/maybe.h"
#include "baseprofiler/detail/profiler_string_view.h"

namespace mozilla {

using namespace ::geckoprof;  // NOLINT: that is what this header is for

template <typename Element>
using Span = std::span<Element>;
using ProfilerString8View = ProfilerStringView<::geckoprof::MarkerText>;
using ProfilerString16View = ProfilerStringView<std::u16string_view>;

constexpr ProfilerString8View WrapNullTerminatedString(const char* text) { return text; }
// Of a literal: what a span of it loses, its end, is looked for.
constexpr std::span<const char> MakeStringSpan(const char* literal) { return std::string_view(literal); }

}  // namespace mozilla

namespace geckoprofiler {

using category = ::geckoprof::MarkerCategory;

// Where the original has its types, and code adds its own.
namespace markers {

using namespace ::geckoprof::markers;  // NOLINT: that is what this header is for
using NoPayload = ::geckoprof::internal::NoPayload;
using UserTimingMarker = UserTiming;

}  // namespace markers
}  // namespace geckoprofiler

// Of the profiler itself; nothing, as in the original unless it is built with PROFILER_RUNTIME_STATS.
#define AUTO_PROFILER_STATS(name)

#endif  // GECKOPROF_BASEPROFILER_FIREFOX_NAMES_H_
