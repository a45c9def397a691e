// Several processes, and processes that end badly: what their segments hold.
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "geckoprof/reader/segment_reader.h"
#include "program_run.h"
#include "session_folder.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;

int64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

// How many processes with samples there are, by program.
std::map<std::string, size_t> ProcessesOfForkTree() {
  const SessionFolder session;
  const ProgramOutput output = RunProgram({Scenario("fork_tree")}, Recording({session.variable()}));
  REQUIRE(output.status == 0);
  std::set<int32_t> pids;
  std::map<std::string, size_t> with_samples;
  for (const ProcessProfile& profile : session.Read()) {
    pids.insert(profile.pid);
    if (profile.pid != output.pid) CHECK(profile.parent_pid != 0);
    if (CountSamples(profile) > 0) ++with_samples[std::filesystem::path(profile.executable).filename().string()];
  }
  CHECK(pids.count(output.pid) == 1);
  return with_samples;
}

TEST_CASE("children by fork, vfork, spawn and system record into the same directory", "[children]") {
  // The parent, its forked child, the children by vfork and exec and by posix_spawn, and the grandchild.
  constexpr size_t kOfProgram = 5;
  constexpr size_t kPrograms = 2;  // and the shell of system()
  // A machine that gives a sampler no core for the 50 ms that a child lives may do so once, not always.
  std::map<std::string, size_t> with_samples;
  for (int i = 0; i < 5 && (with_samples["fork_tree"] != kOfProgram || with_samples.size() != kPrograms); ++i) {
    with_samples = ProcessesOfForkTree();
  }
  CHECK(with_samples["fork_tree"] == kOfProgram);
  CHECK(with_samples.size() == kPrograms);
}

TEST_CASE("a forked child's stacks are its own", "[children]") {
  const SessionFolder session;
  const ProgramOutput output = RunProgram({Scenario("fork_tree")}, Recording({session.variable()}));
  for (const ProcessProfile& profile : session.Read()) {
    if (profile.parent_pid != output.pid || profile.executable.find("fork_tree") == std::string::npos) continue;
    if (CountSamples(profile) == 0) continue;  // one of the children ends at once
    INFO("process " << profile.pid << ", image " << profile.image);
    const auto& samples = MainThread(profile).samples;
    size_t in_program = 0;
    for (const SampleRow& sample : samples) {
      in_program += StackHasLibrary(profile, sample.stack, "fork_tree");
      CHECK(sample.time_ns >= profile.start_ns);
    }
    if (samples.size() > 5) CHECK(in_program * 2 > samples.size());
  }
}

TEST_CASE("programs that replace each other in one process are images of it", "[exec_in_place]") {
  const SessionFolder session;
  const std::string loop = "for i in {1..20000}; do :; done; ";
  const ProgramOutput output =
      RunProgram({"bash", "-c", loop + "exec bash -c '" + loop + "exec " + Scenario("deep_stack") + " 0.05'"},
                 Recording({session.variable()}));
  REQUIRE(output.status == 0);
  const auto profiles = session.Read();
  REQUIRE(profiles.size() == 3);
  for (uint32_t i = 0; i < 3; ++i) {
    CHECK(profiles[i].pid == output.pid);
    CHECK(profiles[i].image == i);
    CHECK(CountSamples(profiles[i]) > 0);
  }
  CHECK(profiles[2].executable.find("deep_stack") != std::string::npos);
}

// Until a program that runs has recorded more samples than these; its first segment has the name that is looked for.
void WaitForSamples(const SessionFolder& session, pid_t pid, size_t count) {
  const std::string file = session.path() + "/" + std::to_string(pid) + "-0.segment";
  const int64_t latest_ns = NowNs() + 10'000 * kMs;
  while (NowNs() < latest_ns) {
    ProcessProfile profile;
    if (ReadSegmentFile(file.c_str(), profile).status == SegmentReadStatus::kOk && CountSamples(profile) > count)
      return;
    usleep(10'000);
  }
}

// How long before its SIGKILL a program's record ends; the record itself is checked.
int64_t RecordEndsBeforeKillNs() {
  const SessionFolder session;
  const pid_t pid = StartProgram({Scenario("busy_mix"), "20"}, Recording({session.variable()}));
  WaitForSamples(session, pid, 50);
  const int64_t killed_ns = NowNs();
  kill(pid, SIGKILL);
  int status = 0;
  waitpid(pid, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  const ProcessProfile profile = session.ReadOnly(pid);
  CHECK(CountSamples(profile) > 50);
  CHECK(MainThread(profile).samples.back().time_ns <= profile.end_ns);
  return killed_ns - profile.end_ns;
}

TEST_CASE("what a killed process recorded can be read up to its last 5 ms", "[killed]") {
  int64_t best_ns = INT64_MAX;
  for (int i = 0; i < 4 && best_ns > 5 * kMs; ++i) best_ns = std::min(best_ns, RecordEndsBeforeKillNs());
  CHECK(best_ns <= 5 * kMs);
}

TEST_CASE("a process that crashes leaves its record", "[killed]") {
  const SessionFolder session;
  const ProgramOutput output = RunProgram({"bash", "-c", "ulimit -c 0; for i in {1..30000}; do :; done; kill -SEGV $$"},
                                          Recording({session.variable()}));
  CHECK(output.status == 128 + SIGSEGV);
  CHECK(CountSamples(session.ReadOnly(output.pid)) > 5);
}

uint64_t CountLosses(const ProcessProfile& profile, std::initializer_list<std::string_view> reasons) {
  uint64_t count = 0;
  for (const LossRow& loss : profile.losses) {
    if (std::find(reasons.begin(), reasons.end(), loss.what) != reasons.end()) count += loss.count;
  }
  return count;
}

TEST_CASE("each sample that was asked for is there, or lost for a reason", "[asked]") {
  const SessionFolder session;
  const ProgramOutput output = RunProgram({Scenario("thread_churn"), "500"}, Recording({session.variable()}));
  REQUIRE(output.status == 0);
  const ProcessProfile profile = session.ReadOnly(output.pid);
  const uint64_t lost =
      CountLosses(profile, {"moved-while-read", "no-capture-buffer", "signal-not-sent", "thread-ended", "unanswered"});
  INFO(profile.samples_asked << " asked, " << profile.samples_taken << " taken, " << lost << " lost");
  CHECK(profile.samples_asked > 20);
  CHECK(profile.samples_taken + lost <= profile.samples_asked);
  // It may end between two counts.
  CHECK(profile.samples_asked <= profile.samples_taken + lost + 1);
}

TEST_CASE("the last sample of a long interval is there when the program exits", "[last_answer]") {
  const SessionFolder session;
  const ProgramOutput output =
      RunProgram({Scenario("busy_mix"), "0.3"}, Recording({"GECKOPROF_STARTUP_INTERVAL=5000", session.variable()}));
  REQUIRE(output.status == 0);
  const ProcessProfile profile = session.ReadOnly(output.pid);
  CHECK(profile.samples_asked > 0);
  // A thread that left its wait while its stack was read owes no answer.
  CHECK(profile.samples_taken + CountLosses(profile, {"moved-while-read"}) == profile.samples_asked);
}

// A program that dies tells the sampler nothing. Its last sample is there if the sampler took it before the next tick,
// however late the thread answered.
TEST_CASE("the last sample of a long interval is there when the program dies", "[last_answer]") {
  const SessionFolder session;
  const pid_t pid = StartProgram({"bash", "-c", "ulimit -c 0; while :; do :; done"},
                                 Recording({"GECKOPROF_STARTUP_INTERVAL=5000", session.variable()}));
  WaitForSamples(session, pid, 0);
  kill(pid, SIGSEGV);
  int status = 0;
  waitpid(pid, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  const ProcessProfile profile = session.ReadOnly(pid);
  CHECK(profile.samples_asked - CountLosses(profile, {"moved-while-read"}) == 1);
  CHECK(profile.samples_taken == 1);
  CHECK(CountSamples(profile) == 1);
}

// Whether the profile is there, whole, and nothing else.
bool IsWrittenWhen(const char* main_way, const char* other_way, const char* delay_us) {
  const SessionFolder folder;
  const std::string json = folder.path() + "/profile.json";
  const Strings command = {Scenario("exit_race"), main_way, other_way, delay_us};
  if (RunProgram(command, Recording({"GECKOPROF_SHUTDOWN=" + json})).status != 0) return false;
  std::ifstream file(json);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::filesystem::directory_iterator entries(folder.path());
  return text.ends_with("}") && std::distance(begin(entries), end(entries)) == 1;
}

TEST_CASE("other threads that end the process wait for the profile that the first one writes", "[exit_race]") {
  for (const char* main_way : {"exit", "_exit", "quick_exit"}) {
    for (const char* other_way : {"exit", "_exit", "quick_exit"}) {
      for (const char* delay_us : {"100", "300", "1000"}) {
        INFO(main_way << ", " << other_way << " after " << delay_us);
        CHECK(IsWrittenWhen(main_way, other_way, delay_us));
      }
    }
  }
}

TEST_CASE("a library that was unloaded before the end still has its frames", "[unloaded]") {
  const SessionFolder session;
  const ProgramOutput output =
      RunProgram({PROGRAM_FOLDER "/unload_program", Scenario("libchurn_plugin.so")}, Recording({session.variable()}));
  REQUIRE(output.status == 0);
  const ProcessProfile profile = session.ReadOnly(output.pid);
  size_t in_plugin = 0, in_unloaded = 0;
  for (const SampleRow& sample : MainThread(profile).samples) {
    for (const FrameRow* frame : FramesOf(profile, sample.stack)) {
      if (LibraryOf(profile, *frame) != "libchurn_plugin.so") continue;
      ++in_plugin;
      const LibraryRow& library = profile.libraries.at(static_cast<size_t>(frame->library));
      in_unloaded += library.unmapped_ns != 0;
      CHECK(frame->address >= library.start_avma);
      CHECK(frame->address < library.end_avma);
      break;
    }
  }
  INFO(MainThread(profile).samples.size() << " samples, " << in_plugin << " in the plugin");
  CHECK(in_plugin > 5);
  CHECK(in_unloaded == in_plugin);
}

TEST_CASE("samples in a library that comes and goes all the time are in that library", "[unloaded]") {
  const SessionFolder session;
  const ProgramOutput output =
      RunProgram({Scenario("dlopen_churn"), "300"}, Recording({session.variable(), "GECKOPROF_STARTUP_ENTRIES=1MiB"}));
  REQUIRE(output.status == 0);
  const ProcessProfile profile = session.ReadOnly(output.pid);
  for (const LossRow& loss : profile.losses) CHECK(loss.what != "recycled-chunk");  // unloading costs no chunk
  const auto& samples = MainThread(profile).samples;
  size_t in_plugin = 0;
  for (const SampleRow& sample : samples) in_plugin += StackHasLibrary(profile, sample.stack, "libchurn_plugin.so");
  CHECK(samples.size() > 5);
  CHECK(in_plugin * 4 > samples.size());  // the program does little else
}

// Two libraries take turns at one address: what was sampled in one of them is in that one, to the last sample before it
// goes and from the first one after it came.
TEST_CASE("samples in libraries that follow one another in one place are each in their own", "[unloaded]") {
  const SessionFolder session, plugins;
  const std::string paths[] = {plugins.path() + "/first.so", plugins.path() + "/second.so"};
  for (const std::string& path : paths) std::filesystem::copy_file(Scenario("libchurn_plugin.so"), path);
  const ProgramOutput output =
      RunProgram({PROGRAM_FOLDER "/turns_program", "20", paths[0], paths[1]}, Recording({session.variable()}));
  REQUIRE(output.status == 0);
  struct Turn {
    size_t which = 0;
    int64_t begin_ns = 0, end_ns = 0;
  };
  std::vector<Turn> turns;
  std::istringstream lines(output.out);
  for (Turn turn; lines >> turn.which >> turn.begin_ns >> turn.end_ns;) turns.push_back(turn);
  REQUIRE(turns.size() == 20);
  const ProcessProfile profile = session.ReadOnly(output.pid);
  size_t in_plugin = 0, in_another = 0;
  for (const SampleRow& sample : MainThread(profile).samples) {
    if (sample.idle_ticks > 1 || sample.cpu_delta_ns == 0) continue;  // it did not run
    for (size_t which : {0, 1}) {
      if (!StackHasLibrary(profile, sample.stack, which == 0 ? "first.so" : "second.so")) continue;
      ++in_plugin;
      in_another += std::ranges::none_of(turns, [&](const Turn& turn) {
        return turn.which == which && sample.time_ns >= turn.begin_ns && sample.time_ns <= turn.end_ns;
      });
    }
  }
  INFO(in_plugin << " samples in the plugins");
  CHECK(in_plugin > 20);
  CHECK(in_another == 0);
}

TEST_CASE("many threads that load and unload libraries at the same time run as they do", "[unloaded]") {
  const SessionFolder session, plugins;
  std::vector<std::string> command = {PROGRAM_FOLDER "/churn_threads_program", "3"};
  for (const char* name : {"a.so", "b.so", "c.so", "d.so"}) {
    command.push_back(plugins.path() + "/" + name);
    std::filesystem::copy_file(Scenario("libchurn_plugin.so"), command.back());
  }
  const ProgramOutput output = RunProgram(command, Recording({session.variable()}));
  REQUIRE(output.status == 0);
  const ProcessProfile profile = session.ReadOnly(output.pid);
  for (const char* name : {"a.so", "b.so", "c.so", "d.so"}) {
    size_t found = 0;
    for (const ThreadRow& thread : profile.threads) {
      for (const SampleRow& sample : thread.samples) found += StackHasLibrary(profile, sample.stack, name);
    }
    INFO(name);
    CHECK(found > 10);
  }
}

size_t CountReasons(const ProcessProfile& profile, const ThreadRow& thread, int64_t from_ns) {
  size_t count = 0;
  for (const SampleRow& sample : thread.samples) {
    if (sample.time_ns < from_ns) continue;
    for (const FrameRow* frame : FramesOf(profile, sample.stack)) count += frame->kind == FrameKind::kReason;
  }
  return count;
}

TEST_CASE("after a call that demands a single thread sampling goes on as before", "[step_aside]") {
  const SessionFolder session;
  const ProgramOutput output = RunProgram({PROGRAM_FOLDER "/step_aside_program"}, Recording({session.variable()}));
  REQUIRE(output.status == 0);
  const ProcessProfile profile = session.ReadOnly(output.pid);
  const int64_t aside_ns = std::stoll(output.out);
  size_t after = 0;
  for (const SampleRow& sample : MainThread(profile).samples) after += sample.time_ns > aside_ns;
  CHECK(after > 10);
  CHECK(CountReasons(profile, MainThread(profile), aside_ns) <= after / 10);
  for (const LossRow& loss : profile.losses) {
    if (loss.what == "unreadable-stack") CHECK(loss.count <= after / 10);
  }
}

TEST_CASE("threads that the filter leaves out have no samples", "[filters]") {
  const SessionFolder session;
  const ProgramOutput output =
      RunProgram({PROGRAM_FOLDER "/api_program", "filters"}, {"GECKOPROF_STARTUP=1", session.variable()});
  const ProcessProfile profile = session.ReadOnly(output.pid, 1);
  const ThreadRow* const wanted = FindThread(profile, "a Wanted thread");
  REQUIRE(wanted != nullptr);
  CHECK(wanted->samples.size() > 10);
  CHECK(MainThread(profile).samples.empty());
  CHECK(profile.filters == std::vector<std::string>{"wanted"});
}

// The ticks that the rows of a thread stand for.
uint64_t CountTicks(const ThreadRow& thread) {
  uint64_t ticks = 0;
  for (const SampleRow& sample : thread.samples) ticks += sample.idle_ticks;
  return ticks;
}

TEST_CASE("threads that sleep have stacks and times throughout a buffer that has wrapped", "[sleepers]") {
  const SessionFolder session;
  const ProgramOutput output =
      RunProgram({PROGRAM_FOLDER "/sleeping_threads_program", "6"},
                 Recording({session.variable(), "GECKOPROF_STARTUP_ENTRIES=1MiB", "GECKOPROF_STARTUP_INTERVAL=0.1"}));
  REQUIRE(output.status == 0);
  const ProcessProfile profile = session.ReadOnly(output.pid);
  const auto recycled = std::ranges::find(profile.losses, "recycled-chunk", &LossRow::what);
  REQUIRE(recycled != profile.losses.end());
  const SampleList& busy = MainThread(profile).samples;
  REQUIRE(busy.size() > 100);
  CHECK(busy.front().time_ns > profile.start_ns + 500 * kMs);
  size_t sleepers = 0;
  for (const ThreadRow& thread : profile.threads) {
    if (thread.name != "condition" && thread.name != "pipe") continue;
    ++sleepers;
    INFO(thread.name << " " << thread.tid);
    REQUIRE(thread.samples.size() > 20);
    CHECK(std::abs(thread.samples.front().time_ns - busy.front().time_ns) < 20 * kMs);
    // Ticks that the sampler missed have no rows. At this interval it misses many.
    const auto ticks = static_cast<uint64_t>((profile.end_ns - busy.front().time_ns) / profile.interval_ns);
    CHECK(CountTicks(thread) >= ticks * 6 / 10);
    CHECK(CountTicks(thread) <= ticks * 11 / 10);
    size_t in_wait = 0;
    for (const SampleRow& sample : thread.samples) {
      const std::vector<const FrameRow*> frames = FramesOf(profile, sample.stack);
      in_wait += frames.size() > 2 && LibraryOf(profile, *frames.back()) == "libc.so.6" &&
                 StackHasLibrary(profile, sample.stack, "sleeping_threads_program");
    }
    CHECK(in_wait + 2 >= thread.samples.size());  // at its begin and its end a thread does not wait
  }
  CHECK(sleepers == 3);
}

TEST_CASE("sampling ends when its duration is over", "[duration]") {
  // A busy machine delays the sampler and the program. One of several recordings must be in time.
  bool is_in_time = false;
  for (int i = 0; i < 20 && !is_in_time; ++i) {
    const SessionFolder session;
    const ProgramOutput output =
        RunProgram({PROGRAM_FOLDER "/api_program", "duration"}, {"GECKOPROF_STARTUP=1", session.variable()});
    CHECK(output.out == "after the duration: active 0 unpaused 0 paused 0\n");
    const ProcessProfile profile = session.ReadOnly(output.pid, 1);
    CHECK(profile.end_reason == "duration over");
    const auto& samples = MainThread(profile).samples;
    is_in_time = samples.size() > 5 && samples.back().time_ns - samples.front().time_ns < 200 * kMs;
  }
  CHECK(is_in_time);
}

}  // namespace
}  // namespace geckoprof
