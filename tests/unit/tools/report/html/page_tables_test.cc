#include "tools/report/html/page_tables.h"

#include <catch2/catch.hpp>
#include <string>

#include "page_model.h"
#include "tools/json/json_document.h"
#include "tools/report/report_views.h"

namespace geckoprof {
namespace {

JsonDocument Written(const ProfileModel& model, size_t top) {
  std::string text;
  JsonWriter writer(StringSink(&text));
  writer.StartObject();
  WritePageTables(model, Summarize(model, {}), top, writer);
  writer.EndObject();
  REQUIRE(writer.Finish());
  return *JsonDocument::Parse(text, JsonDocument::Utf8::kStrict);
}

// Two blocks, of which one is still in use at the end.
ProfileModel Allocating() {
  ProfileModel model = PageModel();
  model.threads[0].allocations = {{1, 2048, 16, 3}, {2, 1024, 32, 5}, {3, -2048, 16, kNoRow}};
  return model;
}

TEST_CASE("a table has the texts of the printed one, and a stack its functions") {
  const ProfileModel model = Allocating();
  const JsonDocument document = Written(model, 10);
  const JsonView tables = document.root()["tables"];
  REQUIRE(tables.size() == 1);  // there are neither locks nor input and output
  const JsonView table = tables.At(0), columns = table["columns"], rows = table["rows"];
  CHECK(table["view"].AsString() == "allocation");
  CHECK(table["rowCount"].AsInteger() == 2);
  REQUIRE(rows.size() == 2);
  const ReportTable printed = MakeReportTable(model, Summarize(model, {}), ReportView::kAllocation, 10, false);
  CHECK(table["title"].AsString() == printed.title);
  REQUIRE(table["notes"].size() == printed.notes.size());
  CHECK(table["notes"].At(0).AsString() == printed.notes[0]);
  REQUIRE(columns.size() == printed.columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    const bool is_stack = printed.columns[i].kind == ReportTable::Kind::kStack;
    CHECK(columns.At(i)["label"].AsString() == printed.columns[i].label);
    CHECK(columns.At(i)["kind"].AsString() == (is_stack ? "stack" : "number"));
    for (size_t row = 0; row < rows.size() && !is_stack; ++row) {
      CHECK(rows.At(row).At(i).AsString() == CellText(printed.rows[row][i], printed.columns[i].kind));
    }
  }
  const JsonView stack = rows.At(0).At(columns.size() - 1);
  REQUIRE(stack.size() == 3);
  CHECK(stack.At(0).AsString() == "work");
  CHECK(stack.At(2).AsString() == "main");
}

TEST_CASE("rows beyond the limit are counted, and cells that are not known are null") {
  ProfileModel model = Allocating();
  for (ProfileAllocation& allocation : model.threads[0].allocations) allocation.address = -1;
  const JsonDocument document = Written(model, 1);
  const JsonView table = document.root()["tables"].At(0);
  CHECK(table["rowCount"].AsInteger() == 2);
  REQUIRE(table["rows"].size() == 1);
  CHECK(table["rows"].At(0).At(3).IsNull());  // without addresses nothing is known to be in use
}

TEST_CASE("counters alone make no table, as they have graphs") {
  ProfileModel model = PageModel();
  model.counters = {{0, "cache", "Memory", "bytes", 100, 3, true, 1000, 3000}};
  CHECK(Written(model, 10).root()["tables"].size() == 0);
}

}  // namespace
}  // namespace geckoprof
