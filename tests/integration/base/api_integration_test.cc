// The API in a program that is linked with the library (api_program.cc), read back from the segments it leaves.
#include <fcntl.h>
#include <rapidjson/document.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "program_run.h"
#include "session_folder.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;

ProgramOutput RunApi(const std::string& mode, const SessionFolder& session, const Strings& more = {}) {
  Strings environment = {"GECKOPROF_STARTUP=1", session.variable()};
  environment.insert(environment.end(), more.begin(), more.end());
  ProgramOutput output = RunProgram({PROGRAM_FOLDER "/api_program", mode}, environment);
  INFO(output.err);
  REQUIRE(output.status == 0);
  return output;
}

// The recording that the program made itself; the first is the environment's.
ProcessProfile OwnRecording(const std::string& mode, const SessionFolder& session) {
  return session.ReadOnly(RunApi(mode, session).pid, 1);
}

int64_t CountThreads(const ProcessProfile& profile, std::string_view name) {
  return std::count_if(profile.threads.begin(), profile.threads.end(),
                       [name](const ThreadRow& thread) { return thread.name == name; });
}

size_t CountWithLabel(const ProcessProfile& profile, std::string_view label) {
  const auto& samples = MainThread(profile).samples;
  return static_cast<size_t>(std::count_if(samples.begin(), samples.end(), [&](const SampleRow& sample) {
    return StackHasLabel(profile, sample.stack, label);
  }));
}

TEST_CASE("start, stop, pause and resume say what they did", "[states]") {
  const SessionFolder session;
  CHECK(RunApi("states", session).out ==
        "at first: active 1 unpaused 1 paused 0\n"
        "start 1\nstop 1\nstop 0\n"
        "stopped: active 0 unpaused 0 paused 0\n"
        "pause 0\nresume 0\nstart 0\nstart 1\n"
        "started: active 1 unpaused 1 paused 0\n"
        "pause 1\npause 0\n"
        "paused: active 1 unpaused 0 paused 1\n"
        "start 1\nresume 1\nresume 0\n"
        "resumed: active 1 unpaused 1 paused 0\n"
        "pause 1\nstop 1\nexcluded 2\n"
        "at last: active 0 unpaused 0 paused 0\n");
}

TEST_CASE("labels stand in the stacks where they were opened", "[labels]") {
  const SessionFolder session;
  const ProcessProfile profile = OwnRecording("labels", session);
  size_t in_order = 0, with_inner = 0, waiting = 0;
  for (const SampleRow& sample : MainThread(profile).samples) {
    if (!StackHasLabel(profile, sample.stack, "api inner")) {
      waiting += StackHasLabel(profile, sample.stack, "api middle some detail");
      continue;
    }
    ++with_inner;
    std::string shape;  // one letter a frame: labels o, m, i; code of the program N
    for (const FrameRow* frame : FramesOf(profile, sample.stack)) {
      const std::string_view text = TextOf(profile, frame->text);
      if (text == "api outer") shape += 'o';
      if (text == "api middle some detail") shape += 'm';
      if (text == "api inner") shape += 'i';
      if (LibraryOf(profile, *frame) == "api_program") shape += 'N';
    }
    INFO(shape);
    in_order += shape.find("NoNmNi") != std::string::npos;
  }
  CHECK(with_inner > 3);
  CHECK(waiting > 3);
  CHECK(in_order >= with_inner - with_inner / 20);  // all but those taken in a function's first instructions
  const FrameRow* label = nullptr;
  for (const FrameRow& frame : profile.frames) {
    if (TextOf(profile, frame.text) == "api middle some detail") label = &frame;
  }
  REQUIRE(label != nullptr);
  REQUIRE(label->category != kNone);
  CHECK(profile.categories.at(static_cast<size_t>(label->category)).name == "Network");
}

TEST_CASE("a label that was open before the start is seen after it", "[open_labels]") {
  const SessionFolder session;
  const ProgramOutput output = RunApi("open-labels", session);
  CHECK(CountWithLabel(session.ReadOnly(output.pid, 1), "open before the start") > 2);
  CHECK(CountWithLabel(session.ReadOnly(output.pid, 2), "open before the start") > 2);
}

TEST_CASE("markers are recorded with time, text and category, by every thread", "[markers]") {
  const SessionFolder session;
  const ProcessProfile profile = OwnRecording("markers", session);
  CHECK(MarkersNamed(profile, "while inactive").empty());
  CHECK(MarkersNamed(profile, "while paused").empty());
  REQUIRE(MarkersNamed(profile, "untyped").size() == 1);
  const MarkerRow untyped = MarkersNamed(profile, "untyped")[0];
  CHECK(untyped.phase == MarkerPhase::kInstant);
  CHECK(MarkerText(profile, untyped).empty());
  REQUIRE(MarkersNamed(profile, "untyped at").size() == 1);
  const MarkerRow at = MarkersNamed(profile, "untyped at")[0];
  CHECK(at.start_ns <= untyped.start_ns);
  CHECK(profile.categories.at(static_cast<size_t>(at.category)).name == "Timer");
  REQUIRE(MarkersNamed(profile, "interval").size() == 1);
  const MarkerRow interval = MarkersNamed(profile, "interval")[0];
  CHECK(interval.phase == MarkerPhase::kInterval);
  CHECK(interval.start_ns == at.start_ns);
  CHECK(interval.end_ns - interval.start_ns >= 2 * kMs);
  CHECK(MarkerText(profile, interval) == "of main");
  REQUIRE(MarkersNamed(profile, "begins").size() == 1);
  CHECK(MarkersNamed(profile, "begins")[0].phase == MarkerPhase::kIntervalStart);
  REQUIRE(MarkersNamed(profile, "ends").size() == 1);
  CHECK(MarkersNamed(profile, "ends")[0].phase == MarkerPhase::kIntervalEnd);
  CHECK(MarkersNamed(profile, "after resuming").size() == 1);
  REQUIRE(MarkersNamed(profile, "long text").size() == 1);
  const std::string long_text = MarkerText(profile, MarkersNamed(profile, "long text")[0]);
  CHECK(long_text.size() == 4096);
  const ThreadRow* const thread = FindThread(profile, "marker thread");
  REQUIRE(thread != nullptr);
  const std::vector<MarkerRow> markers = OwnMarkers(profile, *thread);
  REQUIRE(markers.size() == 1000);
  for (size_t i = 0; i < markers.size(); ++i) {
    CHECK(MarkerText(profile, markers[i]) == std::to_string(i));
  }
}

TEST_CASE("a marker right after the start is recorded", "[marker_at_once]") {
  const SessionFolder session;
  CHECK(MarkersNamed(OwnRecording("marker-at-once", session), "at once").size() == 1);
}

TEST_CASE("while paused there are no samples, and the profile says when that was", "[pause]") {
  const SessionFolder session;
  const ProgramOutput output = RunApi("pause", session);
  long long paused_ns = 0, resumed_ns = 0;
  REQUIRE(sscanf(output.out.c_str(), "%lld %lld", &paused_ns, &resumed_ns) == 2);
  const ProcessProfile profile = session.ReadOnly(output.pid, 1);
  REQUIRE(profile.paused.size() == 1);
  CHECK(profile.paused[0].start_ns >= paused_ns - 20 * kMs);
  CHECK(profile.paused[0].start_ns < resumed_ns);
  CHECK(profile.paused[0].end_ns >= resumed_ns - 5 * kMs);  // a tick reads the time before it reads the command
  CHECK(profile.paused[0].reason == "profiler-paused");
  size_t before = 0, within = 0, after = 0;
  std::string late;  // those within: ms since the pause began, and the ticks each stands for
  for (const SampleRow& sample : MainThread(profile).samples) {
    before += sample.time_ns < paused_ns;
    within += sample.time_ns > profile.paused[0].start_ns && sample.time_ns < resumed_ns - 5 * kMs;
    after += sample.time_ns > resumed_ns;
    if (sample.time_ns > profile.paused[0].start_ns && sample.time_ns < resumed_ns - 5 * kMs) {
      late += std::to_string((sample.time_ns - profile.paused[0].start_ns) / kMs) + "/" +
              std::to_string(sample.idle_ticks) + " ";
    }
  }
  INFO(late);
  CHECK(before > 2);
  CHECK(within == 0);
  CHECK(after > 2);
}

TEST_CASE("threads are listed with the name of their first registration, alive and dead", "[threads]") {
  const SessionFolder session;
  const ProcessProfile profile = OwnRecording("threads", session);
  CHECK(profile.threads.size() == 4);
  const ThreadRow* const nested = FindThread(profile, "outer name");
  REQUIRE(nested != nullptr);
  CHECK(nested->unregistered_ns != 0);
  CHECK(nested->unregistered_ns > nested->registered_ns);
  CHECK(nested->samples.size() > 3);
  CHECK(FindThread(profile, "inner name") == nullptr);
  const ThreadRow* const alive = FindThread(profile, "lives on");
  REQUIRE(alive != nullptr);
  CHECK(alive->unregistered_ns == 0);
  CHECK(MainThread(profile).unregistered_ns == 0);
  for (const ThreadRow& thread : profile.threads) {
    INFO(thread.name);
    for (size_t i = 1; i < thread.samples.size(); ++i)
      CHECK(thread.samples[i - 1].time_ns <= thread.samples[i].time_ns);
  }
}

TEST_CASE("a thread that names itself at once keeps its name however short it lives", "[short_thread]") {
  const SessionFolder session;
  CHECK(FindThread(OwnRecording("short-thread", session), "named at once") != nullptr);
}

TEST_CASE("a thread that names itself later and ends soon keeps its name", "[late_name]") {
  const SessionFolder session, second;
  CHECK(FindThread(OwnRecording("short-thread", session), "named at last") != nullptr);
  CHECK(FindThread(OwnRecording("late-name", second), "late name") != nullptr);
}

TEST_CASE("threads that the kernel's calls name keep their names however short they live", "[kernel_names]") {
  const SessionFolder session;
  const ProcessProfile profile = OwnRecording("kernel-names", session);
  for (const char* name : {"by prctl", "by pthread", "by another"}) {
    INFO(name);
    CHECK(FindThread(profile, name) != nullptr);
  }
  CHECK(CountThreads(profile, "at once") == 20);
}

TEST_CASE("a thread whose first marker is a signal handler's is one thread", "[handler_at_once]") {
  const SessionFolder session;
  const ProcessProfile profile = OwnRecording("handler-at-once", session);
  std::set<int32_t> tids;
  for (const ThreadRow& thread : profile.threads) CHECK(tids.insert(thread.tid).second);
  CHECK(tids.size() == 151);
  CHECK(MarkersNamed(profile, "at once").size() > 75);  // not of a thread that had ended, or that was marking
  CHECK(MarkersNamed(profile, "afterwards").size() == 150);
}

TEST_CASE("a name is that of the thread that lives on a stack, not of those before it", "[stack_again]") {
  const SessionFolder session;
  const ProgramOutput output = RunApi("stack-again", session);
  CHECK(output.out.empty());  // each second thread had its first one's stack
  const ProcessProfile profile = session.ReadOnly(output.pid, 1);
  CHECK(CountThreads(profile, "named itself") == 4);
  CHECK(CountThreads(profile, "was named") >= 2);
}

TEST_CASE("each recording of a process is a segment of its own", "[many_recordings]") {
  const SessionFolder session;
  const ProgramOutput output = RunApi("many-recordings", session);
  CHECK(output.out.empty());
  for (uint32_t i = 0; i < 10; ++i) {
    const ProcessProfile profile = session.ReadOnly(output.pid, i + 1);
    const auto markers = MarkersNamed(profile, "recording");
    REQUIRE(markers.size() == 1);
    CHECK(MarkerText(profile, markers[0]) == std::to_string(i));
    if (i < 9) CHECK(profile.end_reason == "stopped");
  }
}

TEST_CASE("a program that starts the profiler itself records where the environment says", "[api_session_dir]") {
  UsePrivateSharedMemory();
  const SessionFolder session;
  const ProgramOutput output = RunProgram({PROGRAM_FOLDER "/api_program", "start-only"}, {session.variable()});
  CHECK(output.out == "start 0\n");
  CHECK(session.Read().size() == 1);
}

rapidjson::Document ReadJson(const std::string& path) {
  std::ifstream file(path);
  REQUIRE(file.good());
  std::stringstream text;
  text << file.rdbuf();
  rapidjson::Document document;
  document.Parse(text.str().c_str());
  REQUIRE_FALSE(document.HasParseError());
  return document;
}

TEST_CASE("the process writes its profile as Gecko JSON at its end", "[shutdown_json]") {
  const SessionFolder session;
  const ProgramOutput output = RunApi("pause", session, {"GECKOPROF_SHUTDOWN=" + session.path() + "/%p.json"});
  const rapidjson::Document json = ReadJson(session.path() + "/" + std::to_string(output.pid) + ".json");
  CHECK(json["meta"]["version"].GetInt() == 34);
  CHECK(json["meta"]["interval"].GetDouble() == 1.0);
  CHECK(json["libs"].Size() > 2);
  REQUIRE(json["threads"].Size() == 1);
  CHECK(std::string(json["threads"][0]["name"].GetString()) == "GeckoMain");
  CHECK(json["threads"][0]["samples"]["data"].Size() > 10);
  REQUIRE(json["pausedRanges"].Size() == 1);
  CHECK(std::string(json["pausedRanges"][0]["reason"].GetString()) == "profiler-paused");
}

// What a program leaves in a pipe whose reader takes `most_bytes` and goes.
std::string ReadFromPipe(const std::string& path, size_t most_bytes) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::string text;
  char part[4096];
  for (ssize_t got = 0; text.size() < most_bytes && (got = read(fd, part, sizeof(part))) > 0;) {
    text.append(part, static_cast<size_t>(got));
    if (most_bytes == SIZE_MAX) usleep(1000);  // slower than the writer
  }
  close(fd);
  return text;
}

TEST_CASE("the profile may go to a pipe, whose reader may be slow or gone", "[shutdown_pipe]") {
  for (const size_t most_bytes : {SIZE_MAX, size_t{1}}) {
    const SessionFolder session;
    const std::string pipe = session.path() + "/pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    std::string text;
    std::thread reader([&] { text = ReadFromPipe(pipe, most_bytes); });
    const ProgramOutput output =
        RunProgram({Scenario("busy_mix"), "1.5"}, Recording({session.variable(), "GECKOPROF_SHUTDOWN=" + pipe}));
    reader.join();
    CHECK(output.status == 0);
    if (most_bytes != SIZE_MAX) continue;
    rapidjson::Document json;
    CHECK(text.size() > 65536);  // more than a pipe holds
    CHECK_FALSE(json.Parse(text.c_str()).HasParseError());
  }
}

TEST_CASE("every way to end normally writes the profile", "[shutdown_json]") {
  for (const char* script : {"exit 3", "exec true", "for i in {1..3000}; do :; done"}) {
    INFO(script);
    const SessionFolder session;
    RunProgram({"bash", "-c", script},
               Recording({session.variable(), "GECKOPROF_SHUTDOWN=" + session.path() + "/profile.json"}));
    CHECK(ReadJson(session.path() + "/profile.json").HasMember("threads"));
  }
}

}  // namespace
}  // namespace geckoprof
