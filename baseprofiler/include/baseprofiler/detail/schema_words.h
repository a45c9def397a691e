// What the viewer calls places, formats and graphs.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_SCHEMA_WORDS_H_
#define GECKOPROF_BASEPROFILER_DETAIL_SCHEMA_WORDS_H_

#include <cstddef>

#include "baseprofiler/marker_schema.h"

namespace geckoprof::internal {

using MS = MarkerSchema;

// Null where a number that is none of the enumeration's was made one.
template <typename Enum, size_t kCount>
constexpr const char* TextOf(const char* const (&texts)[kCount], Enum value) {
  const auto index = static_cast<size_t>(value);
  return index < kCount ? texts[index] : nullptr;
}

constexpr const char* ToText(MS::Location location) {
  constexpr const char* kTexts[] = {"marker-chart", "marker-table",    "timeline-overview", "timeline-memory",
                                    "timeline-ipc", "timeline-fileio", "timeline-network",  "stack-chart"};
  return TextOf(kTexts, location);
}

constexpr const char* ToText(MS::Format format) {
  constexpr const char* kTexts[] = {"url",          "file-path",     "sanitized-string",
                                    "string",       "unique-string", "duration",
                                    "time",         "seconds",       "milliseconds",
                                    "microseconds", "nanoseconds",   "bytes",
                                    "percentage",   "integer",       "decimal",
                                    "hexadecimal",  "pid",           "tid",
                                    "list",         "flow-id",       "terminating-flow-id",
                                    "table"};
  return TextOf(kTexts, format);
}

constexpr const char* ToText(MS::GraphType type) {
  constexpr const char* kTexts[] = {"line", "bar", "line-filled"};
  return TextOf(kTexts, type);
}

constexpr const char* ToText(MS::GraphColor color) {
  constexpr const char* kTexts[] = {nullptr,  "blue",   "green", "grey", "ink",   "magenta",
                                    "orange", "purple", "red",   "teal", "yellow"};
  return TextOf(kTexts, color);
}

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_SCHEMA_WORDS_H_
