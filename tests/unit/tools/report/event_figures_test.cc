#include "tools/report/event_figures.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

using Phase = ProfileMarkerPhase;

ProfileModel Demo() {
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
  std::vector<EventFigures> all = EventFiguresOf(Demo(), EventTopic::kIo);
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "FileIO (read)");
  CHECK(all[0].count == 2);
  CHECK(all[0].bytes == 1024);
  CHECK(all[0].durations.Percentile(100) == 2);
  CHECK(all[1].name == "DiskRead");  // and "thread ready" is none
  CHECK(all[1].count == 1);          // so common a word without a duration may mean anything
}

TEST_CASE("allocations: counters of memory, markers, samples that weigh bytes") {
  ProfileModel model = Demo();
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

}  // namespace
}  // namespace geckoprof
