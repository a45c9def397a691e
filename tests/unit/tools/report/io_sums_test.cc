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

}  // namespace
}  // namespace geckoprof
