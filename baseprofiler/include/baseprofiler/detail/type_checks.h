// Checks whether the parts of a marker type fit each other. The compiler checks a type that is declared in C++. The
// library checks a type that a function declares.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_TYPE_CHECKS_H_
#define GECKOPROF_BASEPROFILER_DETAIL_TYPE_CHECKS_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "baseprofiler/detail/language.h"
#include "baseprofiler/detail/marker_formats.h"
#include "baseprofiler/marker_abi.h"

namespace geckoprof::internal {

using TypeFields = ArrayView<const geckoprof_marker_field>;

constexpr bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  for (const std::string_view each : words) {
    if (word == each) return true;
  }
  return false;
}

// Returns whether the viewer has its own schema for a type of this name, or reads special fields of it.
constexpr bool IsViewersOwn(std::string_view name) {
  return IsOneOf(name, {"Jank", "IPC", "Network", "GCMajor", "GCSlice", "CompositorScreenshot"});
}

// The viewer shows no field of any other type without a schema.
constexpr bool NeedsNoSchema(std::string_view name) {
  return IsViewersOwn(name) || IsOneOf(name, {"FileIO", "Log", "Native allocation", "JS allocation"});
}

constexpr bool IsNumberKind(uint32_t kind) { return kind <= GECKOPROF_FIELD_DOUBLE; }

constexpr FormatTakes TakenBy(std::string_view format) {
  if (format.substr(0, 5) == GECKOPROF_TABLE) return FormatTakes::kTable;  // its columns follow
  const size_t at = FindFormat(format);
  return at < kFormatCount ? kFormatRows[at].takes : FormatTakes::kNumber;
}

// Returns whether the viewer can show a value of this kind in this format.
constexpr bool FormatFits(uint32_t kind, std::string_view format) {
  switch (TakenBy(format)) {
    case FormatTakes::kAny:
      return kind != GECKOPROF_FIELD_VALUE;
    case FormatTakes::kText:
      return kind == GECKOPROF_FIELD_STRING;
    case FormatTakes::kFlow:
      return kind == GECKOPROF_FIELD_FLOW;
    case FormatTakes::kId:
      return IsNumberKind(kind) || kind == GECKOPROF_FIELD_STRING;
    case FormatTakes::kTime:
      return IsNumberKind(kind) || kind == GECKOPROF_FIELD_TIME;
    case FormatTakes::kSpan:
      return IsNumberKind(kind) || kind == GECKOPROF_FIELD_NS;
    case FormatTakes::kNumber:
      break;
    case FormatTakes::kList:
    case FormatTakes::kTable:
      return kind == GECKOPROF_FIELD_VALUE;
  }
  return IsNumberKind(kind);
}

constexpr bool IsFreeKey(const char* key) {
  return key != nullptr && *key != 0 &&
         !IsOneOf(key, {"type", "cause", "stack", "markerFlow", "markerTerminatingFlow"});
}

// Returns the index of the field, or the number of fields if there is none. It is not a pointer, because gcc does not
// compare addresses with null at compile time with -fsanitize=undefined.
constexpr size_t FindField(TypeFields fields, std::string_view key) {
  size_t at = 0;
  while (at < fields.size() && (fields[at].key == nullptr || key != fields[at].key)) ++at;
  return at;
}

constexpr bool KeysDiffer(TypeFields fields) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].key != nullptr && FindField(fields, fields[i].key) != i) return false;
  }
  return true;
}

constexpr bool IsGraphKey(TypeFields fields, const char* key) {
  const size_t at = key == nullptr ? fields.size() : FindField(fields, key);
  return at < fields.size() && (IsNumberKind(fields[at].kind) || fields[at].kind == GECKOPROF_FIELD_NS);
}

// The field must have its text in the marker. For a unique text, the viewer would take the index for the colour.
constexpr bool IsColorKey(TypeFields fields, const char* key) {
  if (key == nullptr) return true;
  const size_t at = FindField(fields, key);
  return at < fields.size() && fields[at].kind == GECKOPROF_FIELD_STRING &&
         (fields[at].format == nullptr || std::string_view(fields[at].format) != "unique-string");
}

constexpr std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Returns whether the text has the form 'a' : 'b'.
constexpr bool IsChoice(std::string_view text) {
  for (const bool is_first : {true, false}) {
    text = Trimmed(text);
    const size_t close = text.empty() || text.front() != '\'' ? std::string_view::npos : text.find('\'', 1);
    if (close == std::string_view::npos) return false;
    text = Trimmed(text.substr(close + 1));
    if (is_first && (text.empty() || text.front() != ':')) return false;
    if (is_first) text.remove_prefix(1);
  }
  return text.empty();
}

// Returns whether each "{marker.data.KEY}" and "{marker.data.KEY ? 'a' : 'b'}" in a label names a field whose key has
// no dot. Other braces may only have what every marker has. Null is a label, too.
constexpr bool IsLabel(TypeFields fields, const char* text) {
  std::string_view left = text == nullptr ? std::string_view() : std::string_view(text);
  for (size_t open = left.find('{'); open != std::string_view::npos; open = left.find('{')) {
    size_t close = open + 1;
    for (bool is_quoted = false; close < left.size() && (is_quoted || left[close] != '}'); ++close) {
      is_quoted = is_quoted != (left[close] == '\'');
    }
    if (close == left.size()) return false;
    const std::string_view expression = left.substr(open + 1, close - open - 1);
    const size_t question = expression.find('?');
    const std::string_view path = Trimmed(expression.substr(0, question));
    const bool is_choice = question != std::string_view::npos;
    if (is_choice && !IsChoice(expression.substr(question + 1))) return false;
    constexpr std::string_view kData = "marker.data.";
    if (path.substr(0, kData.size()) == kData) {
      const std::string_view key = path.substr(kData.size());
      if (key.find('.') != std::string_view::npos || FindField(fields, key) == fields.size()) return false;
    } else if (is_choice ||
               !IsOneOf(path, {"marker.name", "marker.category", "marker.start", "marker.end", "marker.duration"})) {
      return false;
    }
    left.remove_prefix(close + 1);
  }
  return true;
}

constexpr bool AreLabels(const geckoprof_marker_type& type) {
  const TypeFields fields(type.fields, type.field_count);
  return IsLabel(fields, type.chart_label) && IsLabel(fields, type.tooltip_label) && IsLabel(fields, type.table_label);
}

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_TYPE_CHECKS_H_
