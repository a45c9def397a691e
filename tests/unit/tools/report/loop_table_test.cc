#include "tools/report/loop_table.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

enum Stack : int32_t { kRoot, kMain, kHandler, kInner, kOther, kCore };

// A loop with two blocks, from 10 to 20 ms and from 30 to 90 ms.
ProfileModel Demo() {
  ProfileModel model;
  model.strings = {"(root)", "main", "handler", "inner", "other", "(waiting for a core)", "LoopBlocked"};
  for (int32_t i = 0; i < 6; ++i) model.functions.push_back({i, kNoRow});
  model.stacks = {{kNoRow, 0}, {kRoot, 1}, {kMain, 2}, {kHandler, 3}, {kMain, 4}, {kRoot, 5}};
  model.processes = {{"10", "app", 0}};
  ProfileThread& thread = model.threads.emplace_back();
  thread.tid = 10;
  thread.name = "app";
  for (const auto& [begin_ms, end_ms] : {std::pair(10.0, 20.0), std::pair(30.0, 90.0)}) {
    ProfileMarker marker;
    marker.name = 6;
    marker.phase = ProfileMarkerPhase::kInterval;
    marker.start_ms = begin_ms;
    marker.end_ms = end_ms;
    thread.markers.push_back(marker);
  }
  return model;
}

void AddSample(ProfileModel& model, double time_ms, int32_t stack) {
  model.threads[0].samples.push_back({time_ms, 1, 0, stack, SampleState::kRunning, WaitCause::kNone});
}

TEST_CASE("the longest block comes first, with the innermost function of more than half of its time") {
  ProfileModel model = Demo();
  AddSample(model, 31, kHandler);
  AddSample(model, 50, kInner);
  AddSample(model, 60, kHandler);
  AddSample(model, 85, kOther);
  const ReportTable table = LoopTable(model, 10);
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0][0].number == Approx(60));
  CHECK(table.rows[0][1].number == Approx(30));
  CHECK(table.rows[0][4].text == "handler");
  CHECK(ReportTable::FramesIn(table.rows[0][5].text).back() == "main");
  CHECK(table.rows[1][4].text == "(no sample)");
  CHECK(LoopTable(model, 1).rows.size() == 1);
}

TEST_CASE("a wait for a core is not the function that blocks") {
  ProfileModel model = Demo();
  AddSample(model, 31, kHandler);
  AddSample(model, 32, kCore);
  CHECK(LoopTable(model, 10).rows[0][4].text == "handler");
}

TEST_CASE("samples outside the block do not count") {
  ProfileModel model = Demo();
  AddSample(model, 5, kOther);
  AddSample(model, 15, kInner);
  AddSample(model, 25, kOther);
  CHECK(LoopTable(model, 10).rows[1][4].text == "inner");
}

TEST_CASE("a profile without blocks says so") {
  const ReportTable table = LoopTable(ProfileModel(), 10);
  CHECK(table.rows.empty());
  CHECK(table.notes.size() == 1);
}

}  // namespace
}  // namespace geckoprof
