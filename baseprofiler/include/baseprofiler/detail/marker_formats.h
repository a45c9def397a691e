// The formats of fields, with their names and the values that they take.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_MARKER_FORMATS_H_
#define GECKOPROF_BASEPROFILER_DETAIL_MARKER_FORMATS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "baseprofiler/enabled.h"

namespace geckoprof::internal {

// The values that a field of a format takes.
enum class FormatTakes : uint8_t {
  kAny,  // but lists and tables
  kText,
  kFlow,
  kId,      // a number or a text
  kTime,    // a time, or a number of ms
  kSpan,    // a duration, or a number
  kNumber,  // a number alone
  kList,
  kTable,
};

struct FormatRow {
  std::string_view name;
  FormatTakes takes;
  bool is_cell;  // A column of a table may have the format. Others refer to the string table, or are lists.
};

// In the order of MarkerSchema::Format.
// [marker_formats] tools/build_lists writes these lines from common/lists/marker_formats.json.
// clang-format off
GECKOPROF_ATTRIBUTE_(visibility("hidden")) inline constexpr FormatRow kFormatRows[] = {
    {"url", FormatTakes::kText, true},
    {"file-path", FormatTakes::kText, true},
    {"sanitized-string", FormatTakes::kText, true},
    {"string", FormatTakes::kAny, true},
    {"unique-string", FormatTakes::kText, false},
    {"duration", FormatTakes::kSpan, true},
    {"time", FormatTakes::kTime, true},
    {"seconds", FormatTakes::kSpan, true},
    {"milliseconds", FormatTakes::kSpan, true},
    {"microseconds", FormatTakes::kNumber, true},
    {"nanoseconds", FormatTakes::kNumber, true},
    {"bytes", FormatTakes::kNumber, true},
    {"percentage", FormatTakes::kNumber, true},
    {"integer", FormatTakes::kNumber, true},
    {"decimal", FormatTakes::kSpan, true},
    {"hexadecimal", FormatTakes::kNumber, true},
    {"pid", FormatTakes::kId, true},
    {"tid", FormatTakes::kId, true},
    {"list", FormatTakes::kList, false},
    {"flow-id", FormatTakes::kFlow, false},
    {"terminating-flow-id", FormatTakes::kFlow, false},
    {"table", FormatTakes::kTable, false},
};
// clang-format on
// [/marker_formats]

inline constexpr size_t kFormatCount = sizeof(kFormatRows) / sizeof(kFormatRows[0]);

// Returns kFormatCount for a name that no format has. It is not a pointer, for the reason that FindField gives.
constexpr size_t FindFormat(std::string_view name) {
  size_t at = 0;
  while (at < kFormatCount && kFormatRows[at].name != name) ++at;
  return at;
}

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_MARKER_FORMATS_H_
