// Tables as structs of arrays.
#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_JSON_COLUMN_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_JSON_COLUMN_H_

#include <cstdint>
#include <string_view>

#include "geckoprof/json/json_writer.h"

namespace geckoprof {

// "name":[...], one call of `write_cell` a row.
template <typename Rows, typename WriteCell>
void WriteColumn(std::string_view name, const Rows& rows, JsonWriter& writer, const WriteCell& write_cell) {
  writer.StartArrayProperty(name);
  for (const auto& row : rows) write_cell(row);
  writer.EndArray();
}

// kNone becomes null.
inline void IntOrNull(int32_t number, JsonWriter& writer) {
  if (number < 0) {
    writer.Null();
  } else {
    writer.Int(number);
  }
}

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_JSON_COLUMN_H_
