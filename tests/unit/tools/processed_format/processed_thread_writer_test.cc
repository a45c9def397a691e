#include "tools/processed_format/processed_thread_writer.h"

#include <string>

#include "tests/support/changed_rows.h"
#include "tests/support/sample_process.h"
#include "tests/unit/tools/processed_format/written_json.h"
#include "tools/processed_format/processed_meta_writer.h"
#include "tools/processed_format/shared_tables.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;

RecordedSession SampleSession() {
  RecordedSession session;
  session.processes = {SampleProcess()};
  return session;
}

// One thread of the first process, and as the last element the texts of the table.
rapidjson::Document Written(const RecordedSession& session, const ThreadRow& thread) {
  Symbolizer symbolizer;
  ProcessedTables tables(session, symbolizer);
  return WrittenJson([&](JsonWriter& writer) {
    writer.StartArray();
    ProcessedThreadWriter(session, SessionZeroNs(session), tables, writer).Write(0, thread);
    writer.StartObject();
    writer.StartObjectProperty("shared");
    WriteSharedTables(tables.tables(), 63, writer);
    writer.EndObject();
    writer.EndObject();
    writer.EndArray();
  });
}

std::string Text(const rapidjson::Document& document, const rapidjson::Value& string) {
  return document[1]["shared"]["stringArray"][string.GetUint()].GetString();
}

// A walk over the markers before each one of them would take minutes.
TEST_CASE("a thread of very many markers is written in one walk a column") {
  constexpr int64_t kMarkers = 60'000;
  RecordedSession session = SampleSession();
  ThreadRow& thread = session.processes[0].threads[1];
  MarkerRow marker;
  for (int64_t i = 0; i < kMarkers; ++i) {
    marker.start_ns = session.processes[0].start_ns + i * kMs;
    thread.markers.push_back(marker);
  }
  const auto document = Written(session, thread);
  const auto& markers = document[0]["markers"];
  REQUIRE(markers["length"].GetInt() >= kMarkers);
  const unsigned last = markers["length"].GetUint() - 1;
  CHECK(markers["startTime"][last].GetDouble() == 2 + static_cast<double>(kMarkers - 1));
  CHECK(markers["data"].Size() == last + 1);
}

TEST_CASE("pids of later programs of a process have the program's number") {
  CHECK(ProcessedPid(SampleProcess()) == "1001");
  CHECK(ProcessedPid(SampleSecondImage()) == "1001.1");
}

TEST_CASE("who the thread is, and when it lived") {
  RecordedSession session = SampleSession();
  const auto worker = Written(session, session.processes[0].threads[1]);
  CHECK(worker[0]["name"].GetString() == std::string("worker"));
  CHECK(worker[0]["processName"].GetString() == std::string("solver"));
  CHECK(worker[0]["tid"].GetInt() == 1002);
  CHECK_FALSE(worker[0]["isMainThread"].GetBool());
  CHECK_FALSE(worker[0].HasMember("showMarkersInTimeline"));
  CHECK(worker[0]["registerTime"].GetDouble() == 4);  // zero is the exec, 2 ms before the start
  CHECK(worker[0]["unregisterTime"].GetDouble() == 11);
  CHECK(worker[0]["processShutdownTime"].GetDouble() == 12);
  CHECK(worker[0]["pausedRanges"][0]["startTime"].GetDouble() == 10);
  CHECK(worker[0]["pausedRanges"][0]["endTime"].IsNull());

  session.processes[0].end_reason = "alive";
  ThreadRow thread = session.processes[0].threads[0];
  thread.name.clear();
  const auto main = Written(session, thread);
  CHECK(main[0]["name"].GetString() == std::string("solver"));
  CHECK(main[0]["unregisterTime"].IsNull());
  CHECK(main[0]["processShutdownTime"].IsNull());
  session.processes[0].executable.clear();
  session.processes[0].arguments.clear();
  const auto unknown = Written(session, thread);
  CHECK(unknown[0]["name"].GetString() == std::string("unknown program"));
  CHECK(unknown[0]["processName"].GetString() == std::string("unknown program"));
  thread.is_main = false;
  CHECK(Written(session, thread)[0]["name"].GetString() == std::string("thread"));
}

TEST_CASE("a main thread whose name the kernel has cut has the program's name") {
  RecordedSession session = SampleSession();
  ProcessProfile& process = session.processes[0];
  process.arguments = {"/bin/a-long-program-name"};
  process.threads[0].name = "a-long-program-";
  process.threads[1].name = "a-long-program-";
  CHECK(Written(session, process.threads[0])[0]["name"].GetString() == std::string("a-long-program-name"));
  CHECK(Written(session, process.threads[1])[0]["name"].GetString() == std::string("a-long-program-"));
  process.threads[0].name = "a-long-program";  // not cut
  CHECK(Written(session, process.threads[0])[0]["name"].GetString() == std::string("a-long-program"));
}

TEST_CASE("samples: an idle run is two weighted rows, CPU deltas stay") {
  const RecordedSession session = SampleSession();
  const auto document = Written(session, session.processes[0].threads[0]);
  const auto& samples = document[0]["samples"];
  REQUIRE(samples["length"].GetUint() == 4);
  CHECK(samples["weightType"].GetString() == std::string("samples"));
  CHECK(samples["weight"][1].GetInt() == 4);
  CHECK(samples["weight"][2].GetInt() == 1);
  CHECK(samples["stack"][1].GetInt() == samples["stack"][2].GetInt());
  CHECK(samples["time"][1].GetDouble() == Approx(2 + 2.258982));
  CHECK(samples["time"][2].GetDouble() == Approx(2 + 6.258982));
  CHECK(samples["threadCPUDelta"][0].IsNull());
  CHECK(samples["threadCPUDelta"][1].GetInt() == 0);
  CHECK(samples["threadCPUDelta"][3].GetInt() == 900'000);
  CHECK(Written(session, session.processes[0].threads[1])[0]["samples"]["weight"].IsNull());
}

TEST_CASE("samples: states have columns of their own, where there is something to say") {
  const RecordedSession session = SampleSession();
  ThreadRow thread = session.processes[0].threads[0];
  const auto plain = Written(session, thread);
  CHECK(plain[0]["samples"]["state"].Size() == plain[0]["samples"]["length"].GetUint());
  for (const char* const name : {"waitCause", "threadReadyDelta", "lock", "lockHolder"}) {
    CHECK_FALSE(plain[0]["samples"].HasMember(name));
  }
  SampleRow first = thread.samples.front();
  SampleRow wait = first;
  wait.time_ns += kMs;
  wait.cpu_delta_ns = 0;
  wait.state = SampleState::kWaiting;
  wait.cause = WaitCause::kLock;
  wait.lock_address = 0x7f00'0000'1000;
  wait.holder_tid = 1002;
  SampleRow ready = first;
  ready.time_ns += 6 * kMs;
  ready.cpu_delta_ns = 0;
  ready.state = SampleState::kReady;
  ready.idle_ticks = 4;
  ready.apart_ns = kMs;
  ready.ready_ns = 3 * kMs + 400'000;
  SampleRow no_stack = wait;
  no_stack.time_ns += 9 * kMs;
  no_stack.stack = kNone;
  no_stack.cause = WaitCause::kNone;
  thread.samples = {first, wait, ready, no_stack};
  const auto document = Written(session, thread);
  const auto& samples = document[0]["samples"];
  const auto column = [&](const char* name) {
    std::vector<int64_t> numbers;
    for (const auto& number : samples[name].GetArray()) numbers.push_back(number.GetInt64());
    return numbers;
  };
  using Numbers = std::vector<int64_t>;
  CHECK(column("state") == Numbers{0, 3, 1, 1, 3});
  CHECK(column("waitCause") == Numbers{0, 1, 0, 0, 0});
  CHECK(column("threadReadyDelta") == Numbers{0, 0, 400'000, 3 * kMs, 0});
  CHECK(column("lock") == Numbers{0, 0x7f00'0000'1000, 0, 0, 0x7f00'0000'1000});
  CHECK(column("lockHolder") == Numbers{0, 1002, 0, 0, 1002});
  CHECK(column("weight") == Numbers{1, 1, 3, 1, 0});
  CHECK(samples["stack"][4].IsNull());
}

TEST_CASE("a long wait for a lock is a marker with the holder and its stack") {
  RecordedSession session = SampleSession();
  ThreadRow& thread = session.processes[0].threads[0];
  thread.markers = {};
  SampleRow wait = thread.samples.front();
  wait.state = SampleState::kWaiting;
  wait.cause = WaitCause::kLock;
  wait.lock_address = 0x1000;
  wait.holder_tid = 1002;
  SampleRow after = thread.samples.front();
  after.time_ns += 3 * kMs;
  after.cpu_delta_ns = kMs;
  thread.samples = {wait, after};
  const auto document = Written(session, thread);
  const auto& markers = document[0]["markers"];
  REQUIRE(markers["length"].GetUint() == 1);
  CHECK(Text(document, markers["name"][0]) == "lock wait");
  CHECK(markers["endTime"][0].GetDouble() - markers["startTime"][0].GetDouble() == Approx(2));
  const auto& data = markers["data"][0];
  CHECK(data["type"].GetString() == LockWaitMarkerType().name);
  CHECK(data["lock"].GetString() == std::string("0x1000"));
  CHECK(data["holder"].GetString() == std::string("worker (1002)"));
  CHECK(data["cause"]["tid"].GetInt() == 1002);
  CHECK(data["cause"]["stack"].IsInt());
}

TEST_CASE("the row that stands ahead of a first sample, so that its CPU time counts, weighs nothing") {
  const RecordedSession session = SampleSession();
  ThreadRow thread = session.processes[0].threads[0];
  SampleRow first = thread.samples.front();
  first.cpu_delta_ns = kMs;
  thread.samples = {first};
  CHECK(Written(session, thread)[0]["samples"]["weight"].IsNull());
  SampleRow ahead;
  ahead.time_ns = first.time_ns - kMs;
  ahead.cpu_delta_ns = 0;
  thread.samples = {ahead, first};
  const auto document = Written(session, thread);
  const auto& samples = document[0]["samples"];
  REQUIRE(samples["length"].GetUint() == 2);
  CHECK((samples["weight"][0].GetInt() == 0 && samples["weight"][1].GetInt() == 1));
  CHECK((samples["stack"][0].IsNull() && samples["threadCPUDelta"][0].GetInt() == 0));
  CHECK(samples["threadCPUDelta"][1].GetInt() == kMs);
}

TEST_CASE("a row of a gap has no stack and weighs nothing") {
  const RecordedSession session = SampleSession();
  ThreadRow thread = session.processes[0].threads[0];
  SampleRow first = thread.samples.front();
  first.cpu_delta_ns = kMs;
  SampleRow gap;
  gap.time_ns = first.time_ns + 100 * kMs;
  gap.cpu_delta_ns = 99 * kMs;
  SampleRow last = first;
  last.time_ns = gap.time_ns + kMs;
  thread.samples = {first, gap, last};
  const auto document = Written(session, thread);
  const auto& samples = document[0]["samples"];
  REQUIRE(samples["length"].GetUint() == 3);
  CHECK(samples["weight"][0].GetInt() == 1);
  CHECK(samples["weight"][1].GetInt() == 0);
  CHECK(samples["weight"][2].GetInt() == 1);
  CHECK(samples["stack"][1].IsNull());
  CHECK(samples["state"][1].GetInt() == 0);
  CHECK(samples["threadCPUDelta"][1].GetInt() == 99 * kMs);
}

TEST_CASE("an idle run never begins before the row before it, and uses no CPU time where others are unknown") {
  RecordedSession session = SampleSession();
  ThreadRow thread = session.processes[0].threads[1];
  const int64_t begin_ns = thread.registered_ns;
  thread.samples = {
      {begin_ns + kMs, 1, -1, 1}, {begin_ns + 4 * kMs, 1, -1, 4'000'000'000u, kMs}, {begin_ns + 4 * kMs, 1, 0, 9, kMs}};
  const auto document = Written(session, thread);
  const auto& samples = document[0]["samples"];
  REQUIRE(samples["length"].GetUint() == 4);
  CHECK(samples["weight"][1].GetInt() == 2);  // three ticks fit, the last of them is a row of its own
  CHECK(samples["time"][1].GetDouble() > samples["time"][0].GetDouble());
  CHECK(samples["threadCPUDelta"][0].IsNull());
  CHECK(samples["threadCPUDelta"][1].GetInt() == 0);
  CHECK(samples["threadCPUDelta"][2].GetInt() == 0);
  CHECK(samples["weight"][3].GetInt() == 1);
}

TEST_CASE("without CPU times there is no column of them") {
  RecordedSession session = SampleSession();
  ThreadRow thread = session.processes[0].threads[1];
  ChangeRows(thread.samples, [](SampleRow& sample) { sample.cpu_delta_ns = -1; });
  CHECK_FALSE(Written(session, thread)[0]["samples"].HasMember("threadCPUDelta"));
}

TEST_CASE("markers: times by phase, fields by their type's formats, the stack as a cause") {
  const RecordedSession session = SampleSession();
  const auto document = Written(session, session.processes[0].threads[0]);
  const auto& markers = document[0]["markers"];
  CHECK(Text(document, markers["name"][0]) == "step");
  CHECK(markers["startTime"][0].GetDouble() == 4);
  CHECK(markers["endTime"][0].GetDouble() == 6);
  CHECK(markers["endTime"][1].IsNull());
  CHECK(markers["endTime"][2].IsNull());
  CHECK(markers["startTime"][3].IsNull());
  CHECK(markers["endTime"][3].GetDouble() == 8);
  const auto& data = markers["data"][0];
  CHECK(data["type"].GetString() == std::string("Step"));
  CHECK(data["name"].GetString() == std::string("inner loop"));
  CHECK(data["size"].GetDouble() == 2.5);
  CHECK(Text(document, data["id"]) == "inner loop");  // "unique-string": a row of the table
  CHECK(data["cause"]["tid"].GetInt() == 1001);
  CHECK(data["cause"]["time"].GetDouble() == 6);
  CHECK(data["cause"]["stack"].IsUint());
  CHECK(markers["data"][1].IsNull());
}

TEST_CASE("markers with rows that are not there") {
  RecordedSession session = SampleSession();
  ThreadRow thread = session.processes[0].threads[1];
  MarkerRow marker;
  marker.name = 999;
  marker.type = 999;
  marker.category = 999;
  marker.stack = 999;
  thread.markers = {marker};
  marker.type = 0;
  marker.fields = {{999, MarkerFieldKind::kText, 0, 0}, {3, MarkerFieldKind::kText, 999, 0}};
  thread.markers.push_back(marker);
  marker.type = kNone;
  marker.stack = 1;
  thread.markers.push_back(marker);
  const auto document = Written(session, thread);
  const auto& markers = document[0]["markers"];
  CHECK(Text(document, markers["name"][0]).empty());
  CHECK(markers["category"][0].GetInt() == 0);
  CHECK(markers["data"][0].IsNull());
  CHECK(markers["data"][1].MemberCount() == 2);  // its type, and the field with an empty text
  CHECK(markers["data"][1]["name"].GetString() == std::string());
  CHECK(markers["data"][2]["type"].GetString() == std::string("NoPayloadUserData"));
  CHECK(markers["data"][2]["cause"]["stack"].IsUint());
}

TEST_CASE("fields named like the format's own keys are left out") {
  RecordedSession session = SampleSession();
  session.processes[0].strings.push_back("cause");
  session.processes[0].strings.push_back("type");
  const auto last = static_cast<int32_t>(session.processes[0].strings.size()) - 1;
  ThreadRow thread = session.processes[0].threads[1];
  MarkerRow marker;
  marker.type = 0;
  marker.fields = {{last - 1, MarkerFieldKind::kText, 0, 0}, {last, MarkerFieldKind::kText, 0, 0}};
  thread.markers = {marker};
  const auto document = Written(session, thread);
  CHECK(document[0]["markers"]["data"][0].MemberCount() == 1);
  CHECK(document[0]["markers"]["data"][0]["type"].GetString() == std::string("Step"));
}

}  // namespace
}  // namespace geckoprof
