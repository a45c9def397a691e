#include "markers/marker_values.h"

#include <string_view>

#include "baseprofiler/detail/type_checks.h"
#include "markers/runtime_marker_types.h"

namespace geckoprof {
namespace {

bool IsText(const geckoprof_value& value) {
  return value.kind == GECKOPROF_FIELD_STRING && (value.as.text != nullptr || value.count == 0);
}

bool IsCell(const geckoprof_value& value, std::string_view format) {
  if (value.kind == GECKOPROF_GIVEN_NOTHING) return true;
  const bool is_cell = IsText(value) || value.kind <= GECKOPROF_FIELD_BOOL || value.kind == GECKOPROF_FIELD_NS;
  return is_cell && internal::FormatFits(value.kind, format);
}

bool AreCells(const geckoprof_value* cells, uint64_t count, uint64_t columns, const char* table_format) {
  std::string_view left(table_format);
  for (uint64_t column = 0; column < columns; ++column) {
    left.remove_prefix(left.find('\x1f') + 1);
    const std::string_view format = left.substr(0, left.find('\x1e'));
    for (uint64_t i = column; i < count; i += columns) {
      if (!IsCell(cells[i], format)) return false;
    }
  }
  return true;
}

// Checks a list before anything is written.
bool IsWholeList(const geckoprof_marker_field& field, const geckoprof_value& value) {
  const uint64_t columns = RuntimeMarkerTypes::CountDeclaredColumns(field.format);
  const bool is_rows = value.kind == GECKOPROF_GIVEN_ROWS;
  if (is_rows ? columns == 0 || columns != value.columns
              : columns != 0 || (value.kind != GECKOPROF_GIVEN_STRINGS && value.kind != GECKOPROF_GIVEN_VALUES)) {
    return false;
  }
  uint64_t count = value.count;
  if (is_rows && __builtin_mul_overflow(count, columns, &count)) return false;
  if (value.as.texts == nullptr && count != 0) return false;
  if (is_rows) return AreCells(value.as.values, count, columns, field.format);
  for (uint64_t i = 0; value.kind == GECKOPROF_GIVEN_VALUES && i < count; ++i) {
    if (!IsText(value.as.values[i])) return false;
  }
  return true;
}

// Whole numbers go where they keep their value.
bool FitsNumber(uint32_t field_kind, const geckoprof_value& value) {
  if (value.kind == field_kind) return true;
  const bool is_unsigned = value.kind == GECKOPROF_FIELD_UINT64;
  if (!is_unsigned && value.kind != GECKOPROF_FIELD_INT64) return false;
  if (field_kind == GECKOPROF_FIELD_DOUBLE) {
    // Some integers beyond 2^53 are doubles. A value that would round up to 2^63 or 2^64 cannot be converted back.
    constexpr double kBeyondSigned = 0x1p63, kBeyondUnsigned = 0x1p64;
    if (is_unsigned) {
      const auto real = static_cast<double>(value.as.whole);
      return real < kBeyondUnsigned && static_cast<uint64_t>(real) == value.as.whole;
    }
    const auto real = static_cast<double>(value.as.number);
    return real < kBeyondSigned && static_cast<int64_t>(real) == value.as.number;
  }
  if (field_kind != GECKOPROF_FIELD_INT64 && field_kind != GECKOPROF_FIELD_UINT64) return false;
  return value.as.number >= 0;  // the same bits either way
}

bool Fits(const geckoprof_marker_field& field, const geckoprof_value& value) {
  if (value.kind == GECKOPROF_GIVEN_NOTHING) return (field.flags & GECKOPROF_FIELD_OPTIONAL) != 0;
  if (field.kind == GECKOPROF_FIELD_VALUE) return IsWholeList(field, value);
  return field.kind == GECKOPROF_FIELD_STRING ? IsText(value) : FitsNumber(field.kind, value);
}

}  // namespace

bool MarkerValues::Fit() const {
  if (values_.size() != fields_.size() || (values_.data() == nullptr && !fields_.empty())) return false;
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (!Fits(fields_[i], values_[i])) return false;
  }
  return true;
}

bool MarkerValues::HaveFixedSizes() const {
  for (const geckoprof_value& value : values_) {
    if (value.kind >= GECKOPROF_GIVEN_STRINGS && value.kind != GECKOPROF_GIVEN_NOTHING) return false;
  }
  return true;
}

double MarkerValues::AsDouble(const geckoprof_value& value) {
  if (value.kind == GECKOPROF_FIELD_INT64) return static_cast<double>(value.as.number);
  if (value.kind == GECKOPROF_FIELD_UINT64) return static_cast<double>(value.as.whole);
  return value.as.real;
}

}  // namespace geckoprof
