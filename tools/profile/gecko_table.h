#ifndef GECKOPROF_TOOLS_PROFILE_GECKO_TABLE_H_
#define GECKOPROF_TOOLS_PROFILE_GECKO_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tools/json/json_document.h"

namespace geckoprof {

// GeckoTable: a table of the Gecko format, {"schema":{"stack":0,"time":1},"data":[[4,1.5],[5]]}. The schema says which
// cell of a row belongs to which column, in any order; a row may be shorter than the schema, what it lacks is null.
// Lifetime:  a view into the document.
class GeckoTable {
 public:
  static constexpr size_t kMaxColumns = 64;  // far more than any table has; a larger position is no column

  GeckoTable() = default;
  explicit GeckoTable(JsonView table) : schema_(table["schema"]), data_(table["data"]) {}

  // Both parts are there and of the right type.
  bool IsTable() const { return schema_.IsObject() && data_.IsArray(); }
  JsonView schema() const { return schema_; }
  JsonView data() const { return data_; }
  size_t rows() const { return data_.size(); }
  JsonView Row(size_t row) const { return data_.At(row); }

  // Position of a column in a row.
  std::optional<size_t> Column(std::string_view name) const {
    const std::optional<int64_t> position = schema_[name].AsInteger();
    if (!position.has_value() || *position < 0 || static_cast<size_t>(*position) >= kMaxColumns) return std::nullopt;
    return static_cast<size_t>(*position);
  }
  // Null or missing where the column or the cell is.
  static JsonView Cell(JsonView row, std::optional<size_t> column) {
    return column.has_value() ? row.At(*column) : JsonView();
  }

 private:
  JsonView schema_;
  JsonView data_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_GECKO_TABLE_H_
