// What the viewer calls places, formats and graphs.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_SCHEMA_WORDS_H_
#define GECKOPROF_BASEPROFILER_DETAIL_SCHEMA_WORDS_H_

#include <cstddef>

#include "baseprofiler/marker_schema.h"

namespace geckoprof::internal {

using MS = MarkerSchema;

constexpr const char* ToText(MS::Location location) {
  constexpr const char* kTexts[] = {"marker-chart", "marker-table",    "timeline-overview", "timeline-memory",
                                    "timeline-ipc", "timeline-fileio", "timeline-network",  "stack-chart"};
  return kTexts[static_cast<size_t>(location)];
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
  return kTexts[static_cast<size_t>(format)];
}

constexpr const char* ToText(MS::GraphType type) {
  constexpr const char* kTexts[] = {"line", "bar", "line-filled"};
  return kTexts[static_cast<size_t>(type)];
}

constexpr const char* ToText(MS::GraphColor color) {
  constexpr const char* kTexts[] = {nullptr,  "blue",   "green", "grey", "ink",   "magenta",
                                    "orange", "purple", "red",   "teal", "yellow"};
  return kTexts[static_cast<size_t>(color)];
}

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_SCHEMA_WORDS_H_
