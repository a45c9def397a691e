#include "tools/report/event_tables.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>

namespace geckoprof {
namespace {

using Phase = ProfileMarkerPhase;

ProfileModel Demo() {
  ProfileModel model;
  model.strings = {"load", "tick", "Type"};
  model.processes = {{"10", "app", 0}};
  model.marker_data = {{2, kNoRow, 0, 0}};
  ProfileThread& thread = model.threads.emplace_back();
  thread.markers = {{1, Phase::kInstant, 1, 0}, {0, Phase::kInterval, 1, 3, kNoRow, 0}, {0, Phase::kInterval, 4, 10}};
  return model;
}

TEST_CASE("markers by name and by type") {
  const ReportTable names = MarkerTable(Demo(), 9, false);
  REQUIRE(names.rows.size() == 2);
  for (const ReportTable::Row& row : names.rows) REQUIRE(row.size() == names.columns.size());
  CHECK(names.rows[0][0].number == 2);
  CHECK(names.rows[0][1].number == 8);
  CHECK(names.rows[0][2].number == 2);
  CHECK(names.rows[0][5].number == 6);
  CHECK(names.rows[0][6].text == "load");
  CHECK_FALSE(names.rows[1][1].is_known);
  const ReportTable types = MarkerTable(Demo(), 1, true);
  CHECK(types.all_rows == 2);
  CHECK(types.rows.at(0)[6].text == "(no type)");
}

TEST_CASE("each percentile stands under its name") {
  ProfileModel model = Demo();
  model.strings.push_back("FileIO");
  model.threads[0].markers.clear();
  for (double ms = 1; ms <= 1000; ++ms) model.threads[0].markers.push_back({3, Phase::kInterval, 0, ms});
  for (const ReportTable& table : {MarkerTable(model, 9, false), EventTable(model, EventTopic::kIo, 9)}) {
    REQUIRE(table.rows.size() == 1);
    std::map<std::string, double> numbers;
    for (size_t i = 0; i < table.columns.size(); ++i) numbers[table.columns[i].key] = table.rows[0].at(i).number;
    CHECK(numbers["totalMs"] == 500'500);
    CHECK(numbers["p50Ms"] == 500);
    CHECK(numbers["p90Ms"] == 900);
    CHECK(numbers["p99Ms"] == 990);
    CHECK(numbers["maxMs"] == 1000);
  }
}

TEST_CASE("what a profile does not have is said") {
  CHECK(StartupTable(Demo(), 9).notes.size() == 3);
  CHECK(EventTable(Demo(), EventTopic::kIo, 9).notes.size() == 1);
  CHECK(EventTable(Demo(), EventTopic::kAllocation, 9).notes.size() == 1);
}

TEST_CASE("rows have as many cells as the table has columns") {
  ProfileModel model = Demo();
  model.strings = {"exec to constructor (dynamic linker)", "FileIO", "Type"};
  for (const ReportTable& table : {StartupTable(model, 9), EventTable(model, EventTopic::kIo, 9)}) {
    REQUIRE_FALSE(table.rows.empty());
    CHECK(table.rows[0].size() == table.columns.size());
  }
}

}  // namespace
}  // namespace geckoprof
