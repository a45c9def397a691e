#include "tools/processed_format/processed_meta_writer.h"

#include <string>

#include "tests/support/changed_rows.h"
#include "tests/support/sample_process.h"
#include "tests/unit/tools/processed_format/written_json.h"
#include "tools/processed_format/processed_tables.h"

namespace geckoprof {
namespace {

RecordedSession SampleSession() {
  RecordedSession session;
  session.processes = {SampleProcess(), SampleSecondImage()};
  ThreadRow thread;
  thread.is_main = true;
  session.processes[1].threads.push_back(thread);
  return session;
}

rapidjson::Document Meta(const RecordedSession& session) {
  const Symbolizer symbolizer;
  return WrittenJson([&](JsonWriter& writer) {
    writer.StartObject();
    writer.StartObjectProperty("meta");
    ProcessedMeta meta(session);
    for (const ProcessProfile& process : session.processes) meta.Add(process);
    CHECK(meta.Write(GeckoCategories(NativeCategories()), symbolizer, writer));
    writer.EndObject();
    writer.EndObject();
  });
}

InitialThreads InitialThreadsOf(const RecordedSession& session) {
  ThreadCandidates candidates;
  for (const ProcessProfile& process : session.processes) candidates.Add(process);
  return candidates.Choose();
}

// The value of an entry of meta.extra[section], or null.
const rapidjson::Value* Entry(const rapidjson::Document& document, unsigned section, const std::string& label) {
  for (const auto& entry : document["meta"]["extra"][section]["entries"].GetArray()) {
    if (entry["label"].GetString() == label) return &entry["value"];
  }
  return nullptr;
}

TEST_CASE("times of a session count from its first sign of life") {
  RecordedSession session = SampleSession();
  CHECK(SessionZeroNs(session) == session.processes[0].exec_ns);
  session.processes[0].exec_ns = 0;  // unknown
  CHECK(SessionZeroNs(session) == session.processes[0].start_ns);
  session.processes[1].exec_ns = 5;
  CHECK(SessionZeroNs(session) == 5);
  CHECK(SessionZeroNs(RecordedSession()) == 0);
}

TEST_CASE("threads shown first: the first program's main thread, and busy ones") {
  RecordedSession session = SampleSession();
  CHECK(InitialThreadsOf(session).visible == std::vector<uint32_t>{0});  // the later image did nothing
  ChangeRow(session.processes[0].threads[1].samples, 1, [](SampleRow& sample) { sample.cpu_delta_ns = 5'000'000; });
  CHECK(InitialThreadsOf(session).visible == std::vector<uint32_t>{0, 1});
  for (int i = 0; i < 30; ++i) session.processes[0].threads.push_back(session.processes[0].threads[1]);
  CHECK(InitialThreadsOf(session).visible.size() == 15);
  CHECK(InitialThreadsOf(RecordedSession()).visible.empty());
}

TEST_CASE("CPU times that add up to more than an integer holds stay at its limit") {
  RecordedSession session = SampleSession();
  ChangeRows(session.processes[0].threads[1].samples, [](SampleRow& sample) { sample.cpu_delta_ns = INT64_MAX; });
  CHECK(InitialThreadsOf(session).visible == std::vector<uint32_t>{0, 1});
}

TEST_CASE("a script that hands over by exec again and again does not hide the program that works") {
  const ThreadRow busy = SampleProcess().threads[0];
  RecordedSession session;
  for (uint32_t image = 0; image < 22; ++image) {
    session.processes.push_back(SampleSecondImage());
    session.processes.back().image = image;
    session.processes.back().threads.emplace_back().is_main = true;
  }
  CHECK(InitialThreadsOf(session).visible == std::vector<uint32_t>{0});  // there is nothing but empty ones
  session.processes[20].threads[0].markers = busy.markers;
  CHECK(InitialThreadsOf(session).visible == std::vector<uint32_t>{20});
  session.processes[21].threads[0] = busy;
  CHECK(InitialThreadsOf(session).visible == std::vector<uint32_t>{21});
  session.processes[3].threads[0].samples = {{1, 0, 890'000, 1}};
  CHECK(InitialThreadsOf(session).visible == std::vector<uint32_t>{21, 3});
  session.processes.push_back(SampleProcess());
  session.processes.back().pid = 1002;
  ChangeRow(session.processes.back().threads[0].samples, 2, [](SampleRow& sample) { sample.cpu_delta_ns = 9'000'000; });
  CHECK(InitialThreadsOf(session).visible == std::vector<uint32_t>{21, 22, 3});
}

TEST_CASE("without CPU times the threads with most samples are shown") {
  RecordedSession session = SampleSession();
  for (ThreadRow& thread : session.processes[0].threads) {
    ChangeRows(thread.samples, [](SampleRow& sample) { sample.cpu_delta_ns = -1; });
  }
  CHECK(InitialThreadsOf(session).visible == std::vector<uint32_t>{0, 1});
}

TEST_CASE("a main thread that only waits is shown, and the busiest is selected") {
  RecordedSession session = SampleSession();
  std::vector<ThreadRow>& threads = session.processes[0].threads;
  ChangeRows(threads[0].samples, [](SampleRow& sample) { sample.cpu_delta_ns = 50'000'000; });
  ChangeRows(threads[1].samples, [](SampleRow& sample) { sample.cpu_delta_ns = 50'000'000; });
  CHECK(InitialThreadsOf(session).selected == 0);
  ChangeRows(threads[0].samples, [](SampleRow& sample) { sample.cpu_delta_ns = 0; });
  CHECK(InitialThreadsOf(session).visible == std::vector<uint32_t>{0, 1});
  CHECK(InitialThreadsOf(session).selected == 1);
  ChangeRows(threads[1].samples, [](SampleRow& sample) { sample.cpu_delta_ns = 0; });
  CHECK(InitialThreadsOf(session).selected == 0);
  CHECK(!InitialThreadsOf(RecordedSession()).selected.has_value());
}

TEST_CASE("meta.stackwalk is what the features say") {
  RecordedSession session = SampleSession();
  CHECK(Meta(session)["meta"]["stackwalk"].GetInt() == 1);
  session.processes[0].features = {"cpu", "nostacksampling"};
  CHECK(Meta(session)["meta"]["stackwalk"].GetInt() == 0);
}

TEST_CASE("meta: times, flags, types of markers") {
  const auto document = Meta(SampleSession());
  const auto& meta = document["meta"];
  CHECK(meta["preprocessedProfileVersion"].GetInt() == 63);
  CHECK(meta["product"].GetString() == std::string("solver"));
  CHECK(meta["startTime"].GetDouble() == 1795225882547.5);  // zero is the exec, 2 ms before the start
  CHECK(meta["profilingStartTime"].GetDouble() == 2);
  CHECK(meta["profilingEndTime"].GetDouble() == 32);
  CHECK(meta["interval"].GetDouble() == 1);
  for (const char* flag : {"symbolicated", "symbolicationNotSupported", "usesOnlyOneStackType"}) {
    CHECK(meta[flag].GetBool());
  }
  CHECK(meta["categories"][0]["color"].GetString() == std::string("grey"));
  REQUIRE(meta["markerSchema"].Size() == 2);
  CHECK(meta["markerSchema"][1]["fields"].Size() == 3);
  CHECK(meta["markerSchema"][1]["description"].GetString() == std::string("One step."));
  CHECK(meta["initialVisibleThreads"][0].GetInt() == 0);
  CHECK(meta["initialSelectedThreads"].Size() == 1);
}

TEST_CASE("a marker type that two processes have is written once") {
  RecordedSession session = SampleSession();
  session.processes[1].marker_types = session.processes[0].marker_types;
  session.processes[1].marker_types[0].description = "another";
  const auto document = Meta(session);
  REQUIRE(document["meta"]["markerSchema"].Size() == 2);
  CHECK(document["meta"]["markerSchema"][1]["description"].GetString() == std::string("One step."));
}

TEST_CASE("the command line is written as a shell would read it") {
  RecordedSession session = SampleSession();
  CHECK(Meta(session)["meta"]["arguments"].GetString() == std::string("solver 'two words'"));
  session.arguments = {"x", "", "it's", "$HOME", "--plain=1"};
  CHECK(Meta(session)["meta"]["arguments"].GetString() == std::string("x '' 'it'\\''s' '$HOME' --plain=1"));
  session.product = "named";
  CHECK(Meta(session)["meta"]["product"].GetString() == std::string("named"));
}

TEST_CASE("extra sections: the recording, then each process with what it lost") {
  RecordedSession session = SampleSession();
  session.exit_status = 3;
  session.exit_status_known = true;
  session.losses = {{"unreadable-segment", 1}};
  session.cpu_times = {2'500'000, 1'000'000};
  session.processes[0].sampler_cpu_ns = 300'000;
  session.processes[1].sampler_cpu_ns = 200'000;
  session.processes[0].problems = {"no cpu times"};
  session.processes[0].exit = {3, 1'000'000, 500'000, 7 << 20};
  session.processes[0].cpu_ns = 1'500'000;
  session.end = "exit status 3";
  session.unsampled_processes = 12;
  session.unsampled_cpu_ns = 9'000'000;
  const auto document = Meta(session);
  const auto& extra = document["meta"]["extra"];
  REQUIRE(extra.Size() == 3);
  CHECK(Entry(document, 0, "Exit status")->GetString() == std::string("3"));
  CHECK(Entry(document, 0, "End")->GetString() == std::string("exit status 3"));
  CHECK(Entry(document, 0, "Processes that ended before their first sample")->GetInt() == 12);
  CHECK(Entry(document, 0, "CPU time of processes that ended before their first sample")->GetDouble() == 9);
  CHECK(Entry(document, 1, "CPU time")->GetDouble() == 1.2);
  CHECK(Entry(document, 1, "Peak of resident memory")->GetInt() == 7 << 20);
  CHECK(Entry(document, 2, "CPU time") == nullptr);
  CHECK(Entry(document, 0, "Lost: unreadable-segment")->GetInt() == 1);
  CHECK(Entry(document, 0, "CPU time of the program and its children")->GetDouble() == 2.5);
  CHECK(Entry(document, 0, "CPU time that the samples have")->GetDouble() == 1);
  CHECK(Entry(document, 0, "CPU time of the samplers")->GetDouble() == 0.5);
  CHECK(Entry(document, 0, "Processes")->GetInt() == 1);
  CHECK(Entry(document, 0, "Program images")->GetInt() == 2);
  CHECK(extra[1]["label"].GetString() == std::string("solver (1001)"));
  CHECK(extra[2]["label"].GetString() == std::string("next (1001.1)"));
  CHECK(Entry(document, 1, "Ended")->GetString() == std::string("exit status 3"));
  CHECK(Entry(document, 1, "Lost: no-chunk")->GetInt() == 3);
  CHECK(Entry(document, 1, "Not as asked")->GetString() == std::string("no cpu times"));
  CHECK(Entry(document, 1, "Handler ran 0 to 1000 ns")->GetInt() == 5);
  CHECK(Entry(document, 1, "Handler ran 1000 to 2000 ns")->GetInt() == 7);
  CHECK(Entry(document, 2, "Lost: no-chunk") == nullptr);
  session.unsampled_processes = 0;
  CHECK(Entry(Meta(session), 0, "Processes that ended before their first sample") == nullptr);
  session.exit_status_known = false;
  CHECK(Entry(Meta(session), 0, "Exit status") == nullptr);
  session.cpu_times.reset();
  CHECK(Entry(Meta(session), 0, "CPU time that the samples have") == nullptr);
}

TEST_CASE("a process that left no name is called so") {
  RecordedSession session = SampleSession();
  session.processes[1].executable.clear();
  CHECK(Meta(session)["meta"]["extra"][2]["label"].GetString() == std::string("unknown program (1001.1)"));
}

}  // namespace
}  // namespace geckoprof
