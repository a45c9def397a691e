// The format of a table, as marker_abi.h wants it: one text with all columns.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_TABLE_FORMAT_H_
#define GECKOPROF_BASEPROFILER_DETAIL_TABLE_FORMAT_H_

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "baseprofiler/detail/field_kinds.h"
#include "baseprofiler/detail/schema_words.h"
#include "baseprofiler/marker_schema.h"

namespace geckoprof::internal {

// Others are rows of the string table, or would be lists in lists.
constexpr bool IsCellFormat(MS::Format format) {
  return format != MS::Format::UniqueString && format != MS::Format::List && format != MS::Format::FlowId &&
         format != MS::Format::TerminatingFlowId && format != MS::Format::Table;
}

// Bytes of the text, with a 0 at its end; nothing is written where `to` is null.
constexpr size_t WriteTableFormat(std::span<const MS::TableColumn> columns, char* to) {
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

// TableFormats: the texts of all tables among the fields of a type. Hidden as TypeLists are.
template <typename Type>
struct __attribute__((visibility("hidden"))) TableFormats {
  static constexpr bool IsTable(size_t index) { return FieldAt<Type>(index).Fmt == MS::Format::Table; }
  // REQUIRES: IsTable(index).
  static constexpr const char* TextOf(size_t index) { return kTexts.data() + BytesBefore(index); }
  // Tables have columns, and nothing else has.
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

#endif  // GECKOPROF_BASEPROFILER_DETAIL_TABLE_FORMAT_H_
