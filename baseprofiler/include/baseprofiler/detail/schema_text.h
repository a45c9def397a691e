// Conversion of the enumerations of MarkerSchema to the words of the viewer and to the kinds of marker_abi.h.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_SCHEMA_TEXT_H_
#define GECKOPROF_BASEPROFILER_DETAIL_SCHEMA_TEXT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "baseprofiler/detail/marker_formats.h"
#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_schema.h"

namespace geckoprof::internal {

using MS = MarkerSchema;

// Returns null for a value that is not in the enumeration.
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
  const auto index = static_cast<size_t>(format);
  return index < kFormatCount ? kFormatRows[index].name.data() : nullptr;
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

constexpr uint32_t ToKind(MS::InputType type) {
  switch (type) {
    case MS::InputType::Uint64:
    case MS::InputType::Uint32:
    case MS::InputType::Uint8:
      return GECKOPROF_FIELD_UINT64;
    case MS::InputType::Int64:
    case MS::InputType::Int32:
    case MS::InputType::Int8:
      return GECKOPROF_FIELD_INT64;
    case MS::InputType::Double:
      return GECKOPROF_FIELD_DOUBLE;
    case MS::InputType::Boolean:
      return GECKOPROF_FIELD_BOOL;
    case MS::InputType::CString:
    case MS::InputType::String:
      return GECKOPROF_FIELD_STRING;
    case MS::InputType::TimeStamp:
      return GECKOPROF_FIELD_TIME;
    case MS::InputType::TimeDuration:
      return GECKOPROF_FIELD_NS;
    case MS::InputType::Flow:
      return GECKOPROF_FIELD_FLOW;
    case MS::InputType::StringList:
    case MS::InputType::Table:
      return GECKOPROF_FIELD_VALUE;
  }
  return GECKOPROF_FIELD_VALUE;
}

// Returns one of a type's PayloadFields. clang 14 refuses an index into the array of a class template, because it does
// not know the size of the array yet. std::data avoids that.
template <typename Type>
constexpr const MS::PayloadField& FieldAt(size_t index) {
  return std::data(Type::PayloadFields)[index];
}

// Firefox gives ids of flows as numbers. In a profile they are texts.
constexpr MS::InputType InputOf(const MS::PayloadField& field) {
  const bool is_flow = field.Fmt == MS::Format::FlowId || field.Fmt == MS::Format::TerminatingFlowId;
  return is_flow && field.InputTy == MS::InputType::Uint64 ? MS::InputType::Flow : field.InputTy;
}

// Returns whether a column of a table may have the format.
constexpr bool IsCellFormat(MS::Format format) {
  const auto index = static_cast<size_t>(format);
  return index < kFormatCount && kFormatRows[index].is_cell;
}

// Writes the format of a table to `to`, unless that is null. marker_abi.h describes the format. Returns the number of
// bytes, with the terminating zero.
constexpr size_t WriteTableFormat(MS::TableColumns columns, char* to) {
  size_t used = 0;
  const auto append = [&](std::string_view text) {
    for (const char letter : text) {
      if (to != nullptr) to[used] = letter;
      ++used;
    }
  };
  append(ToText(MS::Format::Table));
  for (const MS::TableColumn& column : columns) {
    append("\x1e");
    if (column.Label != nullptr) append(column.Label);
    append("\x1f");
    if (const char* const format = ToText(column.Fmt); format != nullptr) append(format);
  }
  append({"\0", 1});
  return used;
}

// TableFormats has the formats of all tables among the fields of a type. TypeLists says why it is hidden.
template <typename Type>
struct __attribute__((visibility("hidden"))) TableFormats {
  static constexpr bool IsTable(size_t index) { return FieldAt<Type>(index).Fmt == MS::Format::Table; }
  // REQUIRES: IsTable(index).
  static constexpr const char* TextOf(size_t index) { return kTexts.data() + BytesBefore(index); }
  // Returns whether each table has columns that are allowed, and no other field has columns.
  static constexpr bool AreWhole() {
    for (const MS::PayloadField& field : Type::PayloadFields) {
      const bool is_table = field.Fmt == MS::Format::Table;
      if (is_table != (field.InputTy == MS::InputType::Table) || is_table == field.Columns.empty()) return false;
      for (const MS::TableColumn& column : field.Columns) {
        if (!IsCellFormat(column.Fmt)) return false;
      }
    }
    return true;
  }

 private:
  static constexpr size_t BytesBefore(size_t index) {
    size_t bytes = 0;
    for (size_t i = 0; i < index; ++i) {
      const MS::PayloadField& field = FieldAt<Type>(i);
      if (field.Fmt == MS::Format::Table) bytes += WriteTableFormat(field.Columns, nullptr);
    }
    return bytes;
  }
  static constexpr auto Texts() {
    std::array<char, BytesBefore(std::size(Type::PayloadFields)) + 1> texts{};
    size_t used = 0;
    for (const MS::PayloadField& field : Type::PayloadFields) {
      if (field.Fmt == MS::Format::Table) used += WriteTableFormat(field.Columns, texts.data() + used);
    }
    return texts;
  }
  static constexpr auto kTexts = Texts();
};

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_SCHEMA_TEXT_H_
