// The values that files have for a marker's field, by the format that its type declares.
#ifndef GECKOPROF_READER_MARKER_FORMATS_H_
#define GECKOPROF_READER_MARKER_FORMATS_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace geckoprof {

// MarkerFormat is the kind of value that a field's format needs.
enum class MarkerFormat : uint8_t {
  kString,       // also for a format that the viewer does not know
  kStringIndex,  // a row of the string table
  kNumber,
  kInteger,
  kHexadecimal,  // an integer of at most 32 bits
  kId,           // a number or a string
  kList,         // an array
  kTable,        // an array of rows
};

struct NamedMarkerFormat {
  std::string_view name;
  MarkerFormat format;
};

// [marker_formats] tools/build_lists writes these lines from common/lists/marker_formats.json.
// clang-format off
inline constexpr NamedMarkerFormat kMarkerFormats[] = {
    {"url", MarkerFormat::kString},
    {"file-path", MarkerFormat::kString},
    {"sanitized-string", MarkerFormat::kString},
    {"string", MarkerFormat::kString},
    {"unique-string", MarkerFormat::kStringIndex},
    {"duration", MarkerFormat::kNumber},
    {"time", MarkerFormat::kNumber},
    {"seconds", MarkerFormat::kNumber},
    {"milliseconds", MarkerFormat::kNumber},
    {"microseconds", MarkerFormat::kNumber},
    {"nanoseconds", MarkerFormat::kNumber},
    {"bytes", MarkerFormat::kNumber},
    {"percentage", MarkerFormat::kNumber},
    {"integer", MarkerFormat::kInteger},
    {"decimal", MarkerFormat::kNumber},
    {"hexadecimal", MarkerFormat::kHexadecimal},
    {"pid", MarkerFormat::kId},
    {"tid", MarkerFormat::kId},
    {"list", MarkerFormat::kList},
    {"flow-id", MarkerFormat::kStringIndex},
    {"terminating-flow-id", MarkerFormat::kStringIndex},
    {"table", MarkerFormat::kTable},
};
// clang-format on
// [/marker_formats]

constexpr std::optional<MarkerFormat> MarkerFormatNamed(std::string_view name) {
  for (const NamedMarkerFormat& known : kMarkerFormats) {
    if (known.name == name) return known.format;
  }
  return std::nullopt;
}

constexpr bool IsStringIndexFormat(std::string_view name) {
  return MarkerFormatNamed(name) == MarkerFormat::kStringIndex;
}

}  // namespace geckoprof

#endif  // GECKOPROF_READER_MARKER_FORMATS_H_
