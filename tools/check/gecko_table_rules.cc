#include "tools/check/gecko_table_rules.h"

#include <bitset>

#include "tools/text/concat.h"

namespace geckoprof {
namespace {

void CheckSchema(JsonView schema, const JsonPath& path, ValueChecker* checker) {
  if (schema.size() > GeckoTable::kMaxColumns) return checker->Fault(path, "has too many columns");
  std::bitset<GeckoTable::kMaxColumns> taken;
  schema.ForEachMember([&](std::string_view name, JsonView position) {
    const auto column =
        checker->Index(position, GeckoTable::kMaxColumns, path / name, "column", ValueChecker::Need::kRequired);
    if (!column.has_value()) return;
    if (*column >= schema.size()) checker->Warning(path / name, Concat("column ", *column, " leaves out a column"));
    if (taken[*column]) checker->Fault(path / name, Concat("column ", *column, " is taken by another name"));
    taken[*column] = true;
  });
}

}  // namespace

GeckoTable CheckGeckoTable(JsonView owner, std::string_view key, std::initializer_list<std::string_view> columns,
                           const JsonPath& path, ValueChecker* checker, ValueChecker::Need need) {
  const JsonPath table_path = path / key;
  const JsonView value = checker->Object(owner, key, path, need);
  if (!value.Exists()) return GeckoTable();
  const GeckoTable table(value);
  checker->Object(value, "schema", table_path);
  checker->Array(value, "data", table_path);
  if (!table.IsTable()) return GeckoTable();
  const JsonPath schema_path = table_path / "schema", data_path = table_path / "data";
  for (const std::string_view column : columns) {
    if (!table.schema()[column].Exists()) checker->Fault(schema_path / column, "is missing");
  }
  CheckSchema(table.schema(), schema_path, checker);  // last: a column that is missing puts others out of range
  const size_t width = table.schema().size();
  for (size_t i = 0; i < table.rows(); ++i) {
    const JsonView row = table.Row(i);
    if (!row.IsArray()) {
      checker->Fault(data_path / i, Concat("is ", row.TypeName(), ", not array"));
    } else if (row.size() > width) {
      checker->Warning(data_path / i, Concat("has ", row.size(), " cells, the schema ", width, " columns"));
    }
  }
  return table;
}

}  // namespace geckoprof
