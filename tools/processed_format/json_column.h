// Columns of tables that are structs of arrays.
#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_JSON_COLUMN_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_JSON_COLUMN_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "geckoprof/json/json_writer.h"

namespace geckoprof {

// Returns the number of a row, or null for a negative one.
inline JsonNumber RowCell(int64_t row) { return row < 0 ? JsonNumber::Null() : JsonNumber::Int(row); }

// Fills in the cells from the rows of a table, each by cell(row).
template <typename Rows, typename Cell>
void FillFromRows(const Rows& rows, size_t first_row, std::span<JsonNumber> cells, const Cell& cell) {
  for (size_t i = 0; i < cells.size(); ++i) cells[i] = cell(rows[first_row + i]);
}

// Makes the cells of a column by fill(first_row, cells), and calls visit(cells), for one portion of the rows after the
// other until `visit` returns false.
template <typename Fill, typename Visit>
void VisitCells(size_t rows, const Fill& fill, const Visit& visit) {
  constexpr size_t kPortion = 256;
  JsonNumber cells[kPortion];
  for (size_t first_row = 0; first_row < rows; first_row += kPortion) {
    const std::span<JsonNumber> portion(cells, std::min(kPortion, rows - first_row));
    fill(first_row, portion);
    if (!visit(portion)) return;
  }
}

// Writes "name":[...], with the numbers that `fill` makes.
template <typename Fill>
void WriteNumbers(std::string_view name, size_t rows, const Fill& fill, JsonWriter& writer) {
  writer.StartArrayProperty(name);
  VisitCells(rows, fill, [&](std::span<const JsonNumber> cells) {
    writer.Numbers(cells);
    return true;
  });
  writer.EndArray();
}

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_JSON_COLUMN_H_
