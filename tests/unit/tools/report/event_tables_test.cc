#include "tools/report/event_tables.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "tools/report/startup_table.h"

namespace geckoprof {
namespace {

using Phase = ProfileMarkerPhase;

ProfileModel AllEvents() {
  ProfileModel model;
  model.strings = {"FileIO", "operation", "read", "size", "Native allocation", "thread ready", "DiskRead", "GCMajor"};
  model.processes = {{"1", "", 0}};
  model.marker_schemas.emplace_back().name = "FileIO";
  model.marker_schemas.back().fields = {{"size", "Size", "bytes", false}};
  model.marker_fields = {{1, ProfileMarkerField::Kind::kText, 2, 0},
                         {3, ProfileMarkerField::Kind::kNumber, kNoRow, 512}};
  model.marker_data = {{0, kNoRow, 0, 2}};
  ProfileThread thread;
  thread.markers = {{0, Phase::kInterval, 1, 3, kNoRow, 0},
                    {0, Phase::kInterval, 4, 5, kNoRow, 0},
                    {4, Phase::kInstant, 1, 0},
                    {5, Phase::kInstant, 1, 0},
                    {6, Phase::kInterval, 1, 2},
                    {6, Phase::kInstant, 1, 0},
                    {7, Phase::kInterval, 1, 2}};
  model.threads = {thread};
  ProfileCounter counter;
  counter.name = "malloc";
  counter.category = "Memory";
  counter.unit = "bytes";
  counter.total = 4096;
  model.counters = {counter};
  return model;
}

TEST_CASE("input and output: markers by name and operation, bytes by their schema") {
  std::vector<EventFigures> all = EventFiguresOf(AllEvents(), EventTopic::kIo);
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "FileIO (read)");
  CHECK(all[0].count == 2);
  CHECK(all[0].bytes == 1024);
  CHECK(all[0].durations.Percentile(100) == 2);
  CHECK(all[1].name == "DiskRead");  // and "thread ready" is none
  CHECK(all[1].count == 1);          // so common a word without a duration may mean anything
}

TEST_CASE("a counter that counted nothing is left out") {
  ProfileModel model;
  model.processes = {{"1", "", 0}};
  model.counters = {{0, "sockets", "Bandwidth", "bytes", 0, 0, true, 0, 9},
                    {0, "files", "Bandwidth", "bytes", 0, 2, true, 0, 9},
                    {0, "Bytes read", "Bandwidth", "bytes", 0, 0, false, 0, 9}};
  const std::vector<EventFigures> all = EventFiguresOf(model, EventTopic::kIo);
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "files");
  CHECK(all[1].name == "Bytes read");  // it has no number of operations, so its 0 bytes are a fact
}

TEST_CASE("allocations: counters of memory, markers, samples that weigh bytes") {
  ProfileModel model = AllEvents();
  model.threads.emplace_back().weight_unit = ProfileWeightUnit::kBytes;
  model.threads[1].samples = {{0, 100, -1, kNoRow}, {0, 28, -1, kNoRow}, {1, 0, -1, kNoRow}};
  model.threads[1].frees = {{1, 64, -1, kNoRow}};
  model.threads[1].name = "heap";
  const std::vector<EventFigures> all = EventFiguresOf(model, EventTopic::kAllocation);
  REQUIRE(all.size() == 5);
  CHECK((all[0].source == EventFigures::Source::kCounter && all[0].bytes == 4096 && !all[0].has_count));
  CHECK((all[1].source == EventFigures::Source::kSamples && all[1].bytes == 128 && all[1].count == 2));
  CHECK((all[2].name == "heap (freed)" && all[2].bytes == 64 && all[2].count == 1));
  CHECK(all[3].name == "GCMajor");
  CHECK(all[4].name == "Native allocation");
}

ProfileModel LoadAndTicks() {
  ProfileModel model;
  model.strings = {"load", "tick", "Type"};
  model.processes = {{"10", "app", 0}};
  model.marker_data = {{2, kNoRow, 0, 0}};
  ProfileThread& thread = model.threads.emplace_back();
  thread.markers = {{1, Phase::kInstant, 1, 0}, {0, Phase::kInterval, 1, 3, kNoRow, 0}, {0, Phase::kInterval, 4, 10}};
  return model;
}

TEST_CASE("markers by name and by type") {
  const ReportTable names = MarkerTable(LoadAndTicks(), 9, false);
  REQUIRE(names.rows.size() == 2);
  for (const ReportTable::Row& row : names.rows) REQUIRE(row.size() == names.columns.size());
  CHECK(names.rows[0][0].number == 2);
  CHECK(names.rows[0][1].number == 8);
  CHECK(names.rows[0][2].number == 2);
  CHECK(names.rows[0][5].number == 6);
  CHECK(names.rows[0][6].text == "load");
  CHECK_FALSE(names.rows[1][1].is_known);
  const ReportTable types = MarkerTable(LoadAndTicks(), 1, true);
  CHECK(types.all_rows == 2);
  CHECK(types.rows.at(0)[6].text == "(no type)");
}

TEST_CASE("markers of one wait under two names are told apart where there are both") {
  ProfileModel model;
  model.strings = {"LockWait", "lock wait"};
  model.processes = {{"1", "", 0}};
  ProfileThread& thread = model.threads.emplace_back();
  thread.markers = {{0, Phase::kInterval, 1, 3}};
  CHECK(MarkerTable(model, 10, false).notes.empty());
  thread.markers.push_back({1, Phase::kInterval, 1, 3});
  for (const bool by_type : {false, true}) {
    const ReportTable table = MarkerTable(model, 10, by_type);
    REQUIRE(table.notes.size() == 1);
    CHECK(table.notes[0].find("repeats a LockWait") != std::string::npos);
  }
}

TEST_CASE("each percentile stands under its name") {
  ProfileModel model = LoadAndTicks();
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
  CHECK(StartupTable(LoadAndTicks(), 9).notes.size() == 3);
  CHECK(EventTable(LoadAndTicks(), EventTopic::kIo, 9).notes.size() == 1);
  CHECK(EventTable(LoadAndTicks(), EventTopic::kAllocation, 9).notes.size() == 1);
}

TEST_CASE("rows have as many cells as the table has columns") {
  ProfileModel model = LoadAndTicks();
  model.strings = {"exec to constructor (dynamic linker)", "FileIO", "Type"};
  for (const ReportTable& table : {StartupTable(model, 9), EventTable(model, EventTopic::kIo, 9)}) {
    REQUIRE_FALSE(table.rows.empty());
    CHECK(table.rows[0].size() == table.columns.size());
  }
}

}  // namespace
}  // namespace geckoprof
