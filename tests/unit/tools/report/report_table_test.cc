#include "tools/report/report_table.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

using Kind = ReportTable::Kind;

ReportTable Demo() {
  ReportTable table;
  table.title = "Things";
  table.columns = {{"ms", "time", Kind::kMs}, {"share", "self", Kind::kShare}, {"name", "thing", Kind::kFunction}};
  table.rows = {{1.5, 0.25, "a\x1b[31mb"}, {{}, 1.0, "c"}};
  table.all_rows = 5;
  return table;
}

TEST_CASE("a table on a pipe is plain, with columns under their labels") {
  CHECK(WriteTableText(Demo(), {}) ==
        "\nThings\n"
        "    time     self  thing\n"
        "  1.5 ms   25.0 %  a?[31mb\n"
        "       -  100.0 %  c\n"
        "  ... and 3 more\n");
}

TEST_CASE("colours stand around headings and changes only, and never come from the file") {
  ReportTable table = Demo();
  table.columns[0].kind = Kind::kChangedMs;
  table.rows[0][0] = ReportTable::Cell(2.0, ReportTable::Tone::kBad);
  table.notes = {"note\x1b]0;x\x07"};
  TerminalStyle style;
  style.width = 80;
  style.color = true;
  const std::string text = WriteTableText(table, style);
  CHECK(text.find("\x1b[1mThings\x1b[0m") != std::string::npos);
  CHECK(text.find("\x1b[31m+2.0 ms\x1b[0m") != std::string::npos);
  CHECK(text.find("\x1b]") == std::string::npos);
  CHECK(text.find("a?[31mb") != std::string::npos);
}

TEST_CASE("no line is wider than the terminal") {
  ReportTable table = Demo();
  table.rows[0][2] = ReportTable::Cell(std::string(500, 'x'));
  table.columns.insert(table.columns.begin(), {"text", "a text", Kind::kText});
  const ReportTable::Cell wide(std::string(100, 'y'));
  for (ReportTable::Row& row : table.rows) row.insert(row.begin(), wide);
  TerminalStyle style;
  style.width = 40;
  const std::string text = WriteTableText(table, style);
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    CHECK(DisplayWidth(text.substr(begin, end - begin)) <= 40);
    begin = end + 1;
  }
}

TEST_CASE("numbers as their kinds say") {
  ReportTable table;
  table.columns = {{"a", "a", Kind::kCount},        {"b", "b", Kind::kTimeMs},       {"c", "c", Kind::kBytes},
                   {"d", "d", Kind::kChangedShare}, {"e", "e", Kind::kChangedCount}, {"f", "f", Kind::kProbability},
                   {"g", "g", Kind::kChangedMs}};
  table.rows = {{1234.0, -3.25, -2048.0, -0.015, -7.0, 0.0001, 0.0}};
  const std::string text = WriteTableText(table, {});
  CHECK(text.find("  1,234  -3.2 ms  -2.0 KiB  -1.5 %  -7  <0.001  0\n") != std::string::npos);
}

TEST_CASE("a table of nothing says so") {
  ReportTable table;
  table.title = "T";
  CHECK(WriteTableText(table, {}) == "\nT\n  none\n");
  table.notes = {"why"};
  CHECK(WriteTableText(table, {}) == "\nT\n  why\n");
}

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
