#include "tools/report/event_tables.h"

#include <catch2/catch.hpp>

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
