#include "tools/report/lock_table.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tools/profile/wait_times.h"
#include "tools/report/wait_sums.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;

// LockModel: a thread that waits, and one that has the lock.
class LockModel {
 public:
  LockModel() {
    model_.strings = {"(root)", "main", "wait", "hold", "libgeckoprofiler_hooks.so.0.1.0", "pthread_mutex_lock"};
    model_.functions = {{0, kNoRow}, {1, kNoRow}, {2, kNoRow}, {3, kNoRow}, {5, 4}};
    model_.stacks = {{kNoRow, 0}, {0, 1}, {1, 2}, {1, 3}, {2, 4}};
    model_.processes = {{"10", "app", 0}};
    model_.threads.resize(2);
    model_.threads[0].tid = 1;
    model_.threads[1].tid = 2;
    model_.threads[1].name = "holder";
  }

  void AddWait(double begin_ms, double end_ms, const char* kind, int64_t holder) {
    Begin("LockWait");
    Text("kind", kind);
    Text("lock", "0x1000");
    if (holder != 0) Number("holder", static_cast<double>(holder));
    End(begin_ms, end_ms, 2);
  }
  void AddSum(double end_ms, const char* kind, double waits, double total_ms, double longest_ms) {
    Begin("LockWaitSums");
    Text("kind", kind);
    Text("lock", "0x1000");
    Number("waits", waits);
    Number("total", total_ms);
    Number("longest", longest_ms);
    End(0, end_ms, kNoRow);
  }
  void AddHolderSample(double time_ms, SampleState state) {
    model_.threads[1].samples.push_back({time_ms, 1, 0, 3, state, WaitCause::kNone});
  }
  ProfileModel& model() { return model_; }
  ReportTable Table() {
    CompleteWaits(&model_);
    return LockTable(model_, 10);
  }

 private:
  int32_t String(const std::string& text) {
    model_.strings.push_back(text);
    return static_cast<int32_t>(model_.strings.size()) - 1;
  }
  void Begin(const char* type) {
    ProfileMarkerData data;
    data.type = String(type);
    data.first_field = static_cast<uint32_t>(model_.marker_fields.size());
    model_.marker_data.push_back(data);
  }
  void Text(const char* key, const char* text) {
    model_.marker_fields.push_back({String(key), ProfileMarkerField::Kind::kText, String(text)});
  }
  void Number(const char* key, double number) {
    model_.marker_fields.push_back({String(key), ProfileMarkerField::Kind::kNumber, kNoRow, number});
  }
  void End(double begin_ms, double end_ms, int32_t stack) {
    ProfileMarkerData& data = model_.marker_data.back();
    data.stack = stack;
    data.field_count = static_cast<uint32_t>(model_.marker_fields.size()) - data.first_field;
    ProfileMarker marker;
    marker.phase = ProfileMarkerPhase::kInterval;
    marker.start_ms = begin_ms;
    marker.end_ms = end_ms;
    marker.data = static_cast<int32_t>(model_.marker_data.size()) - 1;
    model_.threads[0].markers.push_back(marker);
  }

  ProfileModel model_;
};

TEST_CASE("a lock has its waits, those of markers and those of sums") {
  LockModel demo;
  demo.AddWait(10, 15, "mutex", 2);
  demo.AddWait(20, 22, "mutex", 2);
  demo.AddSum(30, "mutex", 7, 3.5, 0.9);
  demo.AddHolderSample(12, SampleState::kRunning);
  demo.AddHolderSample(21, SampleState::kRunning);
  const ReportTable table = demo.Table();
  REQUIRE(table.rows.size() == 1);
  CHECK(table.rows[0][0].number == Approx(10.5));
  CHECK(table.rows[0][1].number == 9);
  CHECK(table.rows[0][2].number == Approx(5));
  CHECK(table.rows[0][3].text == "mutex");
  CHECK(table.rows[0][5].text == "holder (2)");
  CHECK(ReportTable::FramesIn(table.rows[0][6].text).front() == "wait");
  CHECK(ReportTable::FramesIn(table.rows[0][7].text).front() == "hold");
  CHECK(table.notes.at(0).find("2 of 2") != std::string::npos);
}

TEST_CASE("locks come before conditions, which nobody has") {
  LockModel demo;
  demo.AddWait(0, 100, "condition", 0);
  demo.AddWait(110, 112, "mutex", 2);
  const ReportTable table = demo.Table();
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0][3].text == "mutex");
  CHECK(table.rows[1][3].text == "condition");
  CHECK(!table.rows[1][5].is_known);
}

TEST_CASE("the holder's stack is not one of before the wait, unless the holder waited itself") {
  LockModel demo;
  demo.AddWait(10, 15, "mutex", 2);
  SECTION("it ran before") {
    demo.AddHolderSample(5, SampleState::kRunning);
    CHECK(demo.Table().notes.at(0).find("0 of 1") != std::string::npos);
  }
  SECTION("it waited") {
    demo.AddHolderSample(5, SampleState::kWaiting);
    CHECK(demo.Table().notes.at(0).find("1 of 1") != std::string::npos);
  }
  SECTION("it ran later") {
    demo.AddHolderSample(16, SampleState::kRunning);
    CHECK(demo.Table().notes.at(0).find("0 of 1") != std::string::npos);
  }
}

TEST_CASE("recorded waits replace those of samples that went through the hooks") {
  LockModel demo;
  ProfileThread& thread = demo.model().threads[0];
  thread.has_states = true;
  const auto add = [&thread](double time_ms, int32_t stack, SampleState state) {
    const bool runs = state == SampleState::kRunning;
    thread.samples.push_back({time_ms, 1, runs ? kMs : 0, stack, state, runs ? WaitCause::kNone : WaitCause::kLock});
  };
  add(0, 1, SampleState::kRunning);
  add(10, 4, SampleState::kWaiting);
  add(16, 1, SampleState::kRunning);
  add(20, 4, SampleState::kWaiting);  // too short for a marker
  add(26, 1, SampleState::kRunning);
  add(30, 2, SampleState::kWaiting);  // of a function without a hook
  add(41, 1, SampleState::kRunning);
  demo.AddWait(9, 15, "mutex", 2);
  demo.AddSum(30, "mutex", 1, 0.5, 0.5);
  CompleteWaits(&demo.model());
  double lock_ms = 0;
  for (const WaitSums::Row& row : WaitSums(demo.model()).rows) {
    if (row.cause == WaitCause::kLock) lock_ms += static_cast<double>(row.total_ns) / 1e6;
  }
  CHECK(lock_ms == Approx(6 + 0.5 + 10));
}

TEST_CASE("a profile without the feature says how to have it") {
  LockModel demo;
  const ReportTable table = demo.Table();
  CHECK(table.rows.empty());
  CHECK(table.notes.at(0).find("--features") != std::string::npos);
  demo.model().sections = {{"program", {{"Features", "stackwalk, locks"}}}};
  CHECK(demo.Table().notes.at(0) == "No thread waited for a lock.");
}

}  // namespace
}  // namespace geckoprof
