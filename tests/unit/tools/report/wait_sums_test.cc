
#include "tools/report/wait_sums.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tools/profile/wait_times.h"
#include "tools/report/profile_summary.h"
#include "tools/report/report_table.h"
#include "tools/report/report_views.h"
#include "tools/report/text_report.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;
enum Stack : int32_t { kRoot, kMain, kLock, kSleep, kLockElsewhere, kHeld };

ProfileSample Sample(double time_ms, int32_t stack, SampleState state, WaitCause cause = WaitCause::kNone) {
  return {time_ms, 1, state == SampleState::kRunning ? kMs / 2 : 0, stack, state, cause};
}
ProfileSample Running(double time_ms) { return Sample(time_ms, kMain, SampleState::kRunning); }
ProfileSample Waiting(double time_ms, int32_t stack, WaitCause cause, int32_t lock_wait = kNoRow) {
  ProfileSample sample = Sample(time_ms, stack, SampleState::kWaiting, cause);
  sample.lock_wait = lock_wait;
  return sample;
}

// A worker waits twice for a lock, which the second thread holds, and sleeps.
ProfileModel Demo() {
  ProfileModel model;
  model.strings = {"(root)", "main", "lock", "sleep", "hold", "libc.so.6"};
  model.functions = {{0, kNoRow}, {1, kNoRow}, {2, 5}, {3, 5}, {4, kNoRow}};
  model.stacks = {{kNoRow, 0}, {kRoot, 1}, {kMain, 2}, {kMain, 3}, {kMain, 2}, {kRoot, 4}};
  model.processes = {{"10", "app", 0}};
  model.lock_waits = {{0x7f001230, 2, kNoRow, kNoRow}, {0x7f001230, 2, kNoRow, kNoRow}};
  model.has_cpu_times = true;
  ProfileThread& worker = model.threads.emplace_back();
  worker.name = "worker";
  worker.tid = 1;
  worker.has_states = true;
  worker.samples = {Running(0),
                    Waiting(1, kLock, WaitCause::kLock, 0),
                    Waiting(2, kLock, WaitCause::kLock, 0),
                    Running(11.5),  // 10 ms of the first wait
                    Waiting(12, kLockElsewhere, WaitCause::kLock, 1),
                    Running(32.5),  // 20 ms of the second, at another address of the function
                    Waiting(33, kSleep, WaitCause::kSleep),
                    Running(38.5),                           // 5 ms
                    Waiting(40, kNoRow, WaitCause::kSleep),  // 1.5 ms before it, and 2 ms after it
                    Running(42.5),
                    Running(44)};  // half a millisecond at the end
  worker.samples.back().ready_ns = kMs / 2;
  ProfileThread& holder = model.threads.emplace_back();
  holder.name = "holder";
  holder.tid = 2;
  holder.samples = {Sample(5, kMain, SampleState::kRunning), Sample(22, kHeld, SampleState::kRunning)};
  CompleteWaits(&model);
  return model;
}

TEST_CASE("waits at the same place are counted one by one where the profile tells them apart") {
  ProfileModel model = Demo();
  std::vector<ProfileSample>& samples = model.threads[0].samples;
  samples = {Running(0), Waiting(1, kSleep, WaitCause::kSleep), Waiting(4, kSleep, WaitCause::kSleep),
             Waiting(6, kSleep, WaitCause::kSleep), Running(9.5)};
  samples[1].begins_wait = samples[3].begins_wait = true;
  CompleteWaits(&model);
  const WaitSums sums(model);
  const auto sleep =
      std::find_if(sums.rows.begin(), sums.rows.end(), [](const WaitSums::Row& row) { return row.stack == kSleep; });
  REQUIRE(sleep != sums.rows.end());
  CHECK(sleep->waits == 2);
  CHECK(sleep->longest_ns == 5 * kMs);
  CHECK(sleep->total_ns == 8 * kMs);
}

TEST_CASE("waits are added up by cause and functions, and those without a stack by cause") {
  const ProfileModel model = Demo();
  const WaitSums sums(model);
  REQUIRE(sums.rows.size() == 5);
  CHECK(sums.is_known);
  CHECK(sums.ready_ns == kMs / 2);
  CHECK(sums.total_ns == 41 * kMs);
  const WaitSums::Row& lock = sums.rows[0];
  CHECK(lock.cause == WaitCause::kLock);
  CHECK(lock.total_ns == 30 * kMs);
  CHECK(lock.waits == 2);
  CHECK(lock.longest_ns == 20 * kMs);
  CHECK(lock.lock_address == 0x7f001230);
  CHECK(lock.lock_wait == 1);
  CHECK(sums.rows[1].cause == WaitCause::kSleep);
  CHECK(sums.rows[1].total_ns == 5 * kMs);
  CHECK(sums.rows[1].waits == 1);
  CHECK(sums.rows[2].cause == WaitCause::kSleep);
  CHECK(sums.rows[2].stack == kNoRow);
  CHECK(sums.rows[2].total_ns == 4 * kMs);
  CHECK(sums.rows[3].cause == WaitCause::kLock);
  CHECK(sums.rows[3].stack == kNoRow);
  CHECK(sums.rows[4].cause == WaitCause::kOther);
  CHECK(sums.rows[4].total_ns == kMs / 2);
}

TEST_CASE("locks at different addresses are rows of their own") {
  ProfileModel model = Demo();
  model.lock_waits[1].address = 0x5000;
  const WaitSums sums(model);
  REQUIRE(sums.rows.size() == 6);
  CHECK(sums.rows[0].lock_address == 0x5000);
  CHECK(sums.rows[1].lock_address == 0x7f001230);
}

TEST_CASE("the holder is that of the longest wait, if it was longer than a millisecond") {
  ProfileModel model = Demo();
  SECTION("of the second wait the holder is unknown") {
    model.lock_waits[1].holder = kNoRow;
    CHECK(WaitSums(model).rows[0].lock_wait == 0);
  }
  SECTION("both were short") {
    for (ProfileSample& sample : model.threads[0].samples) sample.wait_ns = std::min(sample.wait_ns, kMs / 2);
    for (const WaitSums::Row& row : WaitSums(model).rows) CHECK(row.lock_wait == kNoRow);
  }
}

TEST_CASE("the table of waits") {
  const ReportTable table = WaitTable(Demo(), 2);
  CHECK(table.all_rows == 5);
  CHECK(WriteTableText(table, {}) ==
        "\nWaiting by cause and stack (41.0 ms)\n"
        "   share    total  waits  longest  cause  lock        held by\n"
        "  73.2 %  30.0 ms      2  20.0 ms  lock   0x7f001230  holder (2)\n"
        "      at       lock < main\n"
        "      held at  hold\n"
        "  12.2 %   5.0 ms      1   5.0 ms  sleep  -           -\n"
        "      at       sleep < main\n"
        "  ... and 3 more\n"
        "  Threads waited for a core for 500.0 us besides.\n");
  JsonText json;
  json.BeginObject();
  WriteTableJson(table, &json);
  json.EndObject();
  std::string text = std::move(json).Take();
  std::erase_if(text, [](char c) { return c == '\n' || c == ' '; });
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '(' || c == ')'; }, '_');
  CHECK(text.find(R"("cause":"lock","lock":"0x7f001230","holder":"holder_2_","stack":["lock","main"],)"
                  R"("holderStack":["hold"]})") != std::string::npos);
  CHECK(text.find(R"("lock":null,"holder":null,"stack":["sleep","main"],"holderStack":null})") != std::string::npos);
}

TEST_CASE("long stacks are cut to the terminal, and deep ones to their innermost functions") {
  ReportTable table;
  table.columns = {{"n", "n", ReportTable::Kind::kCount}, {"stack", "at", ReportTable::Kind::kStack}};
  std::string stack = "f0";
  for (int i = 1; i < 100; ++i) stack += std::string(1, ReportTable::kBetweenFrames) + "f" + std::to_string(i);
  table.rows = {{1.0, stack}, {2.0, {}}};
  table.all_rows = 2;
  const std::string text = WriteTableText(table, {});
  CHECK(text.find("f10 < f11 < ...\n  2") != std::string::npos);  // and no line for the stack of the second row
  TerminalStyle style;
  style.full_names = true;
  CHECK(WriteTableText(table, style).find("f98 < f99\n") != std::string::npos);
  style.full_names = false;
  style.width = 20;
  CHECK(WriteTableText(table, style).find("      at       f0 <…\n") != std::string::npos);
}

TEST_CASE("a profile without states has no waits, and says so") {
  ProfileModel model = Demo();
  for (ProfileThread& thread : model.threads) thread.has_states = false;
  const ReportTable table = WaitTable(model, 9);
  CHECK(table.rows.empty());
  REQUIRE(table.notes.size() == 1);
  CHECK(table.notes[0] == "This profile does not say what threads waited for.");
  const ProfileSummary summary = Summarize(model, {});
  CHECK_FALSE(summary.has_wait_times);
  CHECK(WriteTextReport(model, summary, "f", 9, {}).find("for a core") == std::string::npos);
}

TEST_CASE("each thread has the three parts of its time, where they are known") {
  const ProfileModel model = Demo();
  const ProfileSummary summary = Summarize(model, {});
  REQUIRE(summary.threads.size() == 2);
  const ProfileSummary::Thread& worker = summary.threads[0];
  CHECK(worker.cpu_ns == 5 * kMs / 2);
  CHECK(worker.ready_ns == kMs / 2);
  CHECK(worker.wait_ns == 41 * kMs);
  CHECK_FALSE(summary.threads[1].wait_ns.has_value());
  const std::string text = WriteTextReport(model, summary, "f", 9, {});
  CHECK(text.find("    CPU time for a core    waiting    samples     idle  pid/tid          thread\n"
                  "      2.5 ms   500.0 us    41.0 ms ") != std::string::npos);
  CHECK(text.find("         -          - ") != std::string::npos);
  const ReportTable threads = MakeReportTable(model, summary, ReportView::kThread, 9, false);
  CHECK(threads.columns[1].key == "coreWaitMs");
  CHECK(threads.columns[2].key == "waitMs");
  CHECK(threads.rows[0][1].number == 0.5);
  CHECK(threads.rows[0][2].number == 41);
  CHECK_FALSE(threads.rows[1][2].is_known);
}

TEST_CASE("the first sample's time of waiting for a core counts if its CPU time does") {
  ProfileModel model = Demo();
  model.threads[0].samples[0].ready_ns = kMs;
  CHECK(Summarize(model, {}).threads[0].ready_ns == kMs / 2);
  model.threads[0].starts_later = true;
  CHECK(Summarize(model, {}).threads[0].ready_ns == kMs + kMs / 2);
}

}  // namespace
}  // namespace geckoprof
