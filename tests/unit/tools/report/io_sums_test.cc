#include "tools/report/io_sums.h"

#include <catch2/catch.hpp>
#include <string>

namespace geckoprof {
namespace {

using Phase = ProfileMarkerPhase;
using Kind = ProfileMarkerField::Kind;

// Two intervals of one file, and a slow call of it.
ProfileModel Recorded() {
  ProfileModel model;
  model.strings = {"IOTotals", "class", "path",   "calls",     "read",  "time",
                   "file",     "/a",    "FileIO", "operation", "fsync", "filename"};
  model.processes = {{"10", "app", 0}};
  model.marker_fields = {{1, Kind::kText, 6},
                         {2, Kind::kText, 7},
                         {3, Kind::kNumber, kNoRow, 40},
                         {4, Kind::kNumber, kNoRow, 1000},
                         {5, Kind::kNumber, kNoRow, 2.5},
                         {9, Kind::kText, 10},
                         {11, Kind::kText, 7}};
  model.marker_data = {{0, kNoRow, 0, 5}, {0, kNoRow, 0, 5}, {8, kNoRow, 5, 2}};
  ProfileThread& thread = model.threads.emplace_back();
  thread.markers = {{0, Phase::kInterval, 0, 10, kNoRow, 0},
                    {0, Phase::kInterval, 10, 20, kNoRow, 1},
                    {8, Phase::kInterval, 3, 9, kNoRow, 2}};
  return model;
}

std::string Source(const ReportTable::Row& row) { return row[7].text; }

TEST_CASE("intervals add up by class and by path, and slow calls follow") {
  const ReportTable table = IoTable(Recorded(), 10);
  REQUIRE(table.rows.size() == 4);
  for (const ReportTable::Row& row : table.rows) REQUIRE(row.size() == table.columns.size());
  CHECK(Source(table.rows[0]) == "class");
  CHECK(table.rows[0][0].number == 80);
  CHECK(table.rows[0][1].number == 2000);
  CHECK(table.rows[0][2].number == 5);
  CHECK(table.rows[0][8].text == "file");
  CHECK(Source(table.rows[1]) == "path");
  CHECK(table.rows[1][8].text == "file /a");
  CHECK(Source(table.rows[2]) == "call");
  CHECK(table.rows[2][2].number == 6);
  CHECK(table.rows[2][8].text == "fsync /a");
  CHECK(table.rows[3][8].text == "FileIO (fsync)");
  CHECK(table.all_rows == 4);
}

TEST_CASE("requests to rings have the bytes of those whose result is known, and no time") {
  ProfileModel model = Recorded();
  const auto first = static_cast<int32_t>(model.strings.size());
  for (const char* text : {"IORequests", "requests", "completed", "bytes"}) model.strings.emplace_back(text);
  const auto field = static_cast<uint32_t>(model.marker_fields.size());
  const std::vector<ProfileMarkerField> fields = {{9, Kind::kText, 10},
                                                  {1, Kind::kText, 6},
                                                  {2, Kind::kText, 7},
                                                  {first + 1, Kind::kNumber, kNoRow, 5},
                                                  {first + 2, Kind::kNumber, kNoRow, 4},
                                                  {first + 3, Kind::kNumber, kNoRow, 300}};
  model.marker_fields.insert(model.marker_fields.end(), fields.begin(), fields.end());
  model.marker_data.push_back({first, kNoRow, field, 6});
  for (double start : {0.0, 10.0}) {
    model.threads[0].markers.push_back({first, Phase::kInterval, start, start + 10, kNoRow, 3});
  }
  const ReportTable table = IoTable(model, 10);
  REQUIRE(table.rows.size() == 5);
  const ReportTable::Row& row = table.rows[2];
  CHECK(Source(row) == "request");
  CHECK(row[8].text == "fsync file /a");
  CHECK(row[0].number == 10);
  CHECK(row[1].number == 600);
  CHECK_FALSE(row[2].is_known);
  REQUIRE(table.notes.size() == 3);
  CHECK(table.notes[2] == "The results of 2 requests are not known.");
}

TEST_CASE("a profile without totals has the table of its markers") {
  ProfileModel model = Recorded();
  model.threads[0].markers.erase(model.threads[0].markers.begin(), model.threads[0].markers.begin() + 2);
  const ReportTable table = IoTable(model, 10);
  REQUIRE(table.rows.size() == 1);
  CHECK(Source(table.rows[0]) == "marker");
}

TEST_CASE("paths of several processes are told apart, and a class is of all") {
  ProfileModel model = Recorded();
  model.processes.push_back({"11", "app", 0});
  model.threads.push_back(model.threads[0]);
  model.threads[1].process = 1;
  const ReportTable table = IoTable(model, 10);
  CHECK(table.rows[0][0].number == 160);
  CHECK(table.rows[1][8].text == "[10] file /a");
  CHECK(table.rows[2][8].text == "[11] file /a");
}

TEST_CASE("calls that the hooks could not name have a row if they say something, under a name for readers") {
  ProfileModel model = Recorded();
  const auto add_totals = [&model](const std::string& io_class, double bytes, double ms) {
    const auto text = [&model](const std::string& of) {
      model.strings.push_back(of);
      return static_cast<int32_t>(model.strings.size()) - 1;
    };
    const auto first = static_cast<uint32_t>(model.marker_fields.size());
    model.marker_fields.push_back({1, Kind::kText, text(io_class)});
    model.marker_fields.push_back({2, Kind::kText, text("(others)")});
    model.marker_fields.push_back({3, Kind::kNumber, kNoRow, 6});
    model.marker_fields.push_back({4, Kind::kNumber, kNoRow, bytes});
    model.marker_fields.push_back({5, Kind::kNumber, kNoRow, ms});
    model.marker_data.push_back({0, kNoRow, first, 5});
    model.threads[0].markers.push_back(
        {0, Phase::kInterval, 0, 10, kNoRow, static_cast<int32_t>(model.marker_data.size()) - 1});
  };
  const auto names = [&model](std::string_view source) {
    std::vector<std::string> found;
    for (const ReportTable::Row& row : IoTable(model, 10).rows) {
      if (Source(row) == source) found.push_back(row[8].text);
    }
    return found;
  };
  add_totals("other", 0, 0.01);
  CHECK(names("class") == std::vector<std::string>{"file", "other (devices, events and others)"});
  CHECK(names("path") == std::vector<std::string>{"file /a"});
  add_totals("other", 0, 1);
  add_totals("path", 16, 0);
  CHECK(names("path") ==
        std::vector<std::string>{"file /a", "descriptors without a name", "all further rows of the class path"});
}

}  // namespace
}  // namespace geckoprof
