#include "geckoprof/gecko_json/gecko_thread_writer.h"

#include <rapidjson/document.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/changed_rows.h"
#include "tests/support/sample_process.h"

namespace geckoprof {
namespace {

// The threads of `process`, as an array.
rapidjson::Document Written(const ProcessProfile& process, uint64_t idle_rows_left = GeckoThreadWriter::kMaxIdleRows) {
  std::string text;
  JsonWriter writer(StringSink(&text));
  const GeckoLibraryMap libraries(process.libraries);
  GeckoCategories categories(process.categories);
  const std::vector<int32_t> numbers = categories.AddAll(process.categories);
  GeckoThreadWriter threads(process, libraries, categories, numbers, writer, &idle_rows_left);
  writer.StartArray();
  for (const ThreadRow& thread : process.threads) threads.Write(thread, thread.name);
  writer.EndArray();
  REQUIRE(writer.Finish());
  rapidjson::Document document;
  document.Parse(text.c_str());
  REQUIRE_FALSE(document.HasParseError());
  return document;
}

TEST_CASE("each thread has the rows that it uses, numbered anew, the root first") {
  const auto threads = Written(SampleProcess());
  for (rapidjson::SizeType i = 0; i < threads.Size(); ++i) {
    const auto& stacks = threads[i]["stackTable"]["data"];
    CHECK(stacks.Size() == (i == 0 ? 4u : 4u));
    CHECK(stacks[0][0].IsNull());
    for (rapidjson::SizeType k = 1; k < stacks.Size(); ++k) CHECK(stacks[k][0].GetUint() < k);
    CHECK(threads[i]["stringTable"][0].GetString() == std::string("(root)"));
    CHECK(threads[i]["frameTable"]["data"].Size() == 4);
  }
  // The worker's tables know nothing of the main thread's markers.
  for (const auto& text : threads[1]["stringTable"].GetArray()) CHECK(text.GetString() != std::string("step"));
  CHECK(threads[1]["tid"].GetInt() == 1002);
  CHECK(threads[1]["registerTime"].GetInt() == 2);
}

// One thread with these rows, whose stacks are those of SampleProcess.
rapidjson::Document WrittenRows(const SampleList& samples, ProcessProfile* process) {
  *process = SampleProcess();
  process->threads.resize(1);
  process->threads[0].markers = {};
  process->threads[0].samples = samples;
  return Written(*process);
}

// The texts of a row's stack, outermost first, and the name of the category and subcategory of its innermost frame.
std::string Look(const rapidjson::Value& thread, const rapidjson::Value& row, const ProcessProfile& process) {
  const GeckoCategories categories(process.categories);
  std::string text, category;
  for (auto stack = row[0].GetUint();; stack = thread["stackTable"]["data"][stack][0].GetUint()) {
    const auto& frame = thread["frameTable"]["data"][thread["stackTable"]["data"][stack][1].GetUint()];
    const std::string name = thread["stringTable"][frame[0].GetUint()].GetString();
    if (text.empty() && frame.Size() > 6) {
      const CategoryRow& shown = categories.rows()[frame[6].GetUint()];
      category = "; " + shown.name + ": " + shown.subcategories[frame[7].GetUint()];
    }
    text = text.empty() ? name : name + " " + text;
    if (thread["stackTable"]["data"][stack][0].IsNull()) return text + category;
  }
}

TEST_CASE("a waiting thread is idle at its stack, and a short wait has none") {
  SampleRow running = {2'000'000, 2, 100};
  SampleRow waiting = {3'000'000, 2, 0};
  waiting.state = SampleState::kWaiting;
  waiting.cause = WaitCause::kLock;
  waiting.lock_address = 0x7f00'0000'1000;
  waiting.holder_tid = 17;
  SampleRow without_stack = {4'000'000, kNone, 0};
  without_stack.state = SampleState::kWaiting;
  without_stack.cause = WaitCause::kPipe;
  SampleRow unknown = without_stack;
  unknown.time_ns = 5'000'000;
  unknown.cause = WaitCause::kNone;
  SampleRow ready = {6'000'000, 2, 0};
  ready.state = SampleState::kReady;
  ready.ready_ns = 300'000;
  SampleRow ready_again = {7'000'000, kNone, 0};
  ready_again.state = SampleState::kReady;
  SampleRow last = {8'000'000, 2, 100};
  last.ready_ns = 400'000;
  ProcessProfile process;
  const auto threads =
      WrittenRows({running, waiting, without_stack, unknown, ready, ready_again, waiting, last}, &process);
  const auto& thread = threads[0];
  const auto& rows = thread["samples"]["data"];
  REQUIRE(rows.Size() == 8);
  const std::string stack = Look(thread, rows[0], process);
  CHECK(stack.find(';') == std::string::npos);
  CHECK(Look(thread, rows[1], process) == stack + "; Idle: lock");
  CHECK(rows[2][0].IsNull());
  CHECK(rows[3][0].IsNull());
  CHECK(Look(thread, rows[4], process) == stack + " (waiting for a core); Waiting for a core: Other");
  CHECK(Look(thread, rows[5], process) == "(root) (waiting for a core); Waiting for a core: Other");
  CHECK(rows[6][0].GetUint() == rows[1][0].GetUint());
  CHECK(rows[7][0].GetUint() == rows[0][0].GetUint());

  const auto cells = [&](rapidjson::SizeType row) {
    std::string text;
    for (rapidjson::SizeType i = 4; i < rows[row].Size(); ++i) {
      text += (i > 4 ? "," : "") + (rows[row][i].IsNull() ? "-" : std::to_string(rows[row][i].GetInt64()));
    }
    return text;
  };
  CHECK(cells(0) == "100");
  CHECK(cells(1) == "0,3,1,-,139637976731648,17");
  CHECK(cells(2) == "0,3,7");
  CHECK(cells(3) == "0,3");
  CHECK(cells(4) == "0,1,-,300000");
  CHECK(cells(7) == "100,-,-,400000");
}

TEST_CASE("a row of a gap has CPU time and no stack") {
  const int64_t start_ns = SampleProcess().start_ns;
  const SampleRow running = {start_ns + 2'000'000, 2, 100}, gap = {start_ns + 90'000'000, kNone, 87'000'000};
  ProcessProfile process;
  const auto threads = WrittenRows({running, gap}, &process);
  const auto& rows = threads[0]["samples"]["data"];
  REQUIRE(rows.Size() == 2);
  REQUIRE(rows[1].Size() == 5);
  CHECK(rows[1][0].IsNull());
  CHECK(rows[1][1].GetDouble() == 90);
  CHECK(rows[1][4].GetInt64() == 87'000'000);
}

TEST_CASE("the ticks of a run share its time of waiting for a core") {
  const int64_t start_ns = SampleProcess().start_ns;
  SampleRow running = {start_ns + 2'000'000, 2, 100};
  SampleRow ready = {start_ns + 8'000'000, 2, 0};
  ready.state = SampleState::kReady;
  ready.idle_ticks = 4;
  ready.apart_ns = 1'000'000;
  ready.ready_ns = 3'400'000;
  ProcessProfile process;
  const auto threads = WrittenRows({running, ready}, &process);
  const auto& rows = threads[0]["samples"]["data"];
  REQUIRE(rows.Size() == 5);
  CHECK(rows[1][7].GetInt64() == 400'000);
  for (rapidjson::SizeType i = 2; i < 5; ++i) CHECK(rows[i][7].GetInt64() == 1'000'000);
}

TEST_CASE("idle ticks are as far apart as they were, whatever the interval became") {
  ProcessProfile process = SampleProcess();
  process.interval_ns = 1'000'000;
  SampleRow row = process.threads[0].samples.back();
  row.idle_ticks = 3;
  row.apart_ns = 20'000'000;
  row.time_ns += 100'000'000;
  process.threads[0].samples.push_back(row);
  const auto threads = Written(process);
  const auto& rows = threads[0]["samples"]["data"];
  for (rapidjson::SizeType i = rows.Size() - 2; i < rows.Size(); ++i) {
    CHECK(rows[i][1].GetDouble() - rows[i - 1][1].GetDouble() == Approx(20));
  }
}

TEST_CASE("beyond so many rows of threads that did not run, an idle run is its first and its last tick") {
  ProcessProfile process = SampleProcess();
  SampleRow row = process.threads[0].samples.back();
  row.idle_ticks = UINT32_MAX;
  row.apart_ns = 1'000'000;
  row.time_ns += 86'400'000'000'000;
  process.threads[0].samples = {row};
  row.time_ns += 10'000'000;
  row.idle_ticks = 10;
  process.threads[0].samples.push_back(row);
  const auto threads = Written(process, 100);
  const auto& rows = threads[0]["samples"]["data"];
  REQUIRE(rows.Size() == 102 + 2);
  CHECK(rows[101][1].GetDouble() - rows[0][1].GetDouble() == Approx(86'400'000).margin(100));
  CHECK(rows[103][1].GetDouble() - rows[102][1].GetDouble() == Approx(9));
}

TEST_CASE("threads with times at the ends of int64_t are written") {
  for (const int64_t start_ns : {INT64_MIN, int64_t{0}, INT64_MAX}) {
    ProcessProfile process = SampleProcess();
    process.start_ns = start_ns;
    for (const int64_t time_ns : {INT64_MIN, INT64_MAX}) {
      for (ThreadRow& thread : process.threads) {
        thread.registered_ns = thread.unregistered_ns = time_ns;
        ChangeRows(thread.samples, [time_ns](SampleRow& sample) { sample.time_ns = time_ns; });
        ChangeRows(thread.markers, [time_ns](MarkerRow& marker) { marker.start_ns = marker.end_ns = time_ns; });
      }
      SampleList& samples = process.threads[0].samples;
      ChangeRow(samples, 0, [](SampleRow& sample) { sample.time_ns = INT64_MIN; });
      ChangeRow(samples, samples.size() - 1, [](SampleRow& sample) {
        sample.idle_ticks = 3;
        sample.time_ns = sample.apart_ns = INT64_MAX;
      });
      const auto threads = Written(process);
      CHECK(threads[0]["samples"]["data"].Size() >= 3);
    }
  }
}

}  // namespace
}  // namespace geckoprof
