// Markers whose text is formatted as std::format does. markers.h includes this header.
//
//   PROFILER_MARKER_FMT("Decoded", MEDIA, MarkerTiming::IntervalUntilNowFrom(start), "{} of {} frames", done, all);
//   AUTO_PROFILER_MARKER_FMT("Query", STORAGE, {}, "{} rows, {:.1f} %", rows, share);
//
// While nothing is recorded, nothing is formatted or evaluated. No heap is used. The format is a literal, and the
// compiler checks the number of its arguments. Braces have [:[<|>][#][0][width][.precision][type]], and the type is one
// of d, x, X, e, f, g and s. Arguments are numbers, enumerations, bool, characters, pointers, and all texts that a
// MarkerText takes. A width and a precision are below 1,000. A text is cut at 1,024 bytes, and counted as text-cut.
//
// Threads: any. Context: not signal context, if an argument is a floating-point number.
#ifndef GECKOPROF_BASEPROFILER_FORMATTED_MARKERS_H_
#define GECKOPROF_BASEPROFILER_FORMATTED_MARKERS_H_

#include "baseprofiler/markers.h"

#if GECKOPROF_IS_ENABLED_

#include "baseprofiler/detail/format_text.h"

namespace geckoprof::internal {

inline constexpr size_t kFormattedBytes = 1024;

// Counts the arguments of a macro behind the format.
template <typename... Arguments>
std::integral_constant<int, static_cast<int>(sizeof...(Arguments))> CountArguments(const char*, const Arguments&...);

}  // namespace geckoprof::internal

#define GECKOPROF_FIRST_(first, ...) first
#define GECKOPROF_CHECK_FORMAT_(...)                                                               \
  static_assert(::geckoprof::internal::CountFormatArguments("" GECKOPROF_FIRST_(__VA_ARGS__, )) == \
                    decltype(::geckoprof::internal::CountArguments(__VA_ARGS__))::value,           \
                "the format must be right, and have as many pairs of braces as there are arguments")

#define PROFILER_MARKER_FMT(name, category, options, ...) \
  GECKOPROF_MARKER_FMT_(GECKOPROF_CONCAT_(geckoprof_site_, __COUNTER__), name, category, options, __VA_ARGS__)
#define GECKOPROF_MARKER_FMT_(site, name, category, options, ...)                                                      \
  do {                                                                                                                 \
    GECKOPROF_CHECK_FORMAT_(__VA_ARGS__);                                                                              \
    if (geckoprof_base_wants_markers() != 0) {                                                                         \
      GECKOPROF_MARKER_SITE_(site, category, nullptr,                                                                  \
                             ::geckoprof::internal::ConstantTypeOf<::geckoprof::markers::Text>());                     \
      const ::geckoprof::internal::FormattedText<::geckoprof::internal::kFormattedBytes> geckoprof_text_(__VA_ARGS__); \
      ::geckoprof::internal::TypedMarker<::geckoprof::markers::Text>{                                                  \
          site, geckoprof_text_.Name(GECKOPROF_NAME_(name)), GECKOPROF_CATEGORY_PAIR_(category),                       \
          ::geckoprof::MarkerOptions(options), geckoprof_text_.text()};                                                \
    }                                                                                                                  \
  } while (false)

// The rest of the scope. The text is formatted at its begin.
#define AUTO_PROFILER_MARKER_FMT(name, category, options, ...) \
  AUTO_PROFILER_MARKER_FMT_LONG(::geckoprof::internal::kFormattedBytes, name, category, options, __VA_ARGS__)
// The same with room for `size` bytes, 1,024 at most. Firefox needs it for texts above 512 bytes.
#define AUTO_PROFILER_MARKER_FMT_LONG(size, name, category, options, ...)                               \
  AUTO_PROFILER_MARKER(name, category, options, ::geckoprof::markers::Text,                             \
                       ::geckoprof::internal::FormattedText<(size) + 1>(__VA_ARGS__).text());           \
  static_assert((size) > 0 && (size) <= ::geckoprof::internal::kFormattedBytes, "at most 1,024 bytes"); \
  GECKOPROF_CHECK_FORMAT_(__VA_ARGS__)

#else

#define PROFILER_MARKER_FMT(name, category, options, ...) GECKOPROF_NOTHING_
#define AUTO_PROFILER_MARKER_FMT(name, category, options, ...) GECKOPROF_NOTHING_
#define AUTO_PROFILER_MARKER_FMT_LONG(size, name, category, options, ...) GECKOPROF_NOTHING_

#endif  // GECKOPROF_IS_ENABLED_

#endif  // GECKOPROF_BASEPROFILER_FORMATTED_MARKERS_H_
