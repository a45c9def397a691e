#include "tools/report/table_json.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("a table as JSON: a member a column, null where nothing is known") {
  ReportTable table;
  table.columns = {{"count", "count", ReportTable::Kind::kCount}, {"name", "name", ReportTable::Kind::kText}};
  table.rows = {{2.0, "a\x1b"}, {{}, {}}};
  table.all_rows = 7;
  table.notes = {"n\n"};
  JsonText json;
  json.BeginObject();
  WriteTableJson(table, &json);
  json.EndObject();
  std::string text = std::move(json).Take();
  std::erase_if(text, [](char c) { return c == '\n' || c == ' '; });
  CHECK(text == R"({"rowCount":7,"rows":[{"count":2,"name":"a?"},{"count":null,"name":null}],"notes":["n"]})");
}

}  // namespace
}  // namespace geckoprof
