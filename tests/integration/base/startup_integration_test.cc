// How the library begins: before anybody else, or not at all; and what it makes of its variables.
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "program_run.h"
#include "session_folder.h"

namespace geckoprof {
namespace {

const std::string kProcessFacts = PROGRAM_FOLDER "/process_facts";

// Whether a sample was taken in the other library's constructor, which begins after ours and spins for 5 ms.
bool SamplesWhileOthersConstruct(const std::string& preload) {
  const SessionFolder session;
  const ProgramOutput output = RunProgram({Scenario("deep_stack"), "0.02"},
                                          {"LD_PRELOAD=" + preload, "GECKOPROF_STARTUP=1", session.variable()});
  REQUIRE(output.status == 0);
  const ProcessProfile profile = session.ReadOnly(output.pid);
  if (CountSamples(profile) == 0) return false;  // it was over before the sampler had a core
  const ThreadRow& main = MainThread(profile);
  size_t spinning = 0;
  for (const SampleRow& sample : main.samples) {
    spinning += StackHasLibrary(profile, sample.stack, "libspin_constructor.so");
  }
  const int64_t first_ns = main.samples[0].time_ns;
  CHECK(profile.constructor_ns > 0);
  CHECK(first_ns >= profile.constructor_ns);
  constexpr std::string_view kEnd = "constructed at ";
  REQUIRE(output.out.starts_with(kEnd));
  const int64_t end_ns = std::stoll(output.out.substr(kEnd.size()));
  INFO(spinning << " samples in the constructor, the first after " << first_ns - profile.constructor_ns << " ns");
  return spinning > 0 && first_ns < end_ns;
}

TEST_CASE("the first sample is taken before another library's constructor has ended", "[first_sample]") {
  const std::string spin = Scenario("libspin_constructor.so");
  for (const std::string& preload : {LibraryPath() + ":" + spin, spin + ":" + LibraryPath()}) {
    INFO(preload);
    // A machine that has other work may give the sampler no core meanwhile; not always.
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(40);
    bool sampled = false;
    while (!sampled && std::chrono::steady_clock::now() < give_up) sampled = SamplesWhileOthersConstruct(preload);
    CHECK(sampled);
  }
}

TEST_CASE("not asked to start, it changes nothing that a process can see of itself", "[not_started]") {
  const bool is_private = UsePrivateSharedMemory();
  const std::string preload = "LD_PRELOAD=" + LibraryPath();
  for (const Strings& environment :
       {Strings{}, Strings{"GECKOPROF_STARTUP="}, Strings{"GECKOPROF_STARTUP=0"}, Strings{"GECKOPROF_STARTUP=N"},
        Strings{"GECKOPROF_STARTUP_INTERVAL=nonsense"}, Strings{"OTHER=1", "GECKOPROFILER=1"}}) {
    const ProgramOutput bare = RunProgram({kProcessFacts}, environment);
    Strings with_library = environment;
    with_library.insert(with_library.begin(), preload);
    const ProgramOutput loaded = RunProgram({kProcessFacts}, with_library);
    // The handler through which another process may start a recording.
    std::string expected = bare.out;
    const size_t at = expected.find("SigCgt:\t0000000000000000");
    REQUIRE(at != std::string::npos);
    expected[at + std::string_view("SigCgt:\t0000000000").size()] = '4';  // SIGURG
    CHECK(loaded.out == expected);
    CHECK(loaded.err == bare.err);
    CHECK(loaded.status == 0);
  }
  if (is_private) CHECK(std::filesystem::is_empty("/dev/shm"));
}

TEST_CASE("started, libc still knows one thread, and descriptors and environment are as they were", "[not_started]") {
  const SessionFolder session;
  const ProgramOutput bare =
      RunProgram({kProcessFacts}, {"GECKOPROF_STARTUP=1", "GECKOPROF_COMMAND=" + CommandPath(), session.variable()});
  const ProgramOutput started = RunProgram({kProcessFacts}, Recording({session.variable()}));
  const auto from_descriptors = [](const std::string& text) {
    const size_t at = text.find("descriptors ");
    REQUIRE(at != std::string::npos);
    return text.substr(at);
  };
  std::string expected = from_descriptors(bare.out);
  const size_t tasks = expected.find("tasks 3");  // "." and ".." and the main thread; ours is one more
  REQUIRE(tasks != std::string::npos);
  expected.replace(tasks, 7, "tasks 4");
  CHECK(from_descriptors(started.out) == expected);
  CHECK(started.out.find("SigBlk:\t0000000000000000") != std::string::npos);
}

TEST_CASE("help is printed instead of running the program", "[help]") {
  const ProgramOutput help =
      RunProgram({"echo", "the program ran"}, {"LD_PRELOAD=" + LibraryPath(), "GECKOPROF_HELP=1"});
  CHECK(help.status == 0);
  CHECK(help.out.empty());
  for (const char* name : {"GECKOPROF_STARTUP", "GECKOPROF_STARTUP_INTERVAL", "GECKOPROF_SHUTDOWN", "GECKOPROF_HELP"}) {
    CHECK(help.err.find(name) != std::string::npos);
  }
  const ProgramOutput no_help =
      RunProgram({"echo", "the program ran"}, {"LD_PRELOAD=" + LibraryPath(), "GECKOPROF_HELP="});
  CHECK(no_help.out == "the program ran\n");
  CHECK(no_help.err.empty());
}

TEST_CASE("a value that cannot be used is a line of the profile, and nothing to the program", "[bad_values]") {
  const std::string long_item(200, 'f');
  const struct {
    const char* name;
    std::string value;
    const char* text;
  } cases[] = {{"GECKOPROF_STARTUP_ENTRIES", "lots", "is not a number"},
               {"GECKOPROF_STARTUP_ENTRIES", "1", "is out of range"},
               {"GECKOPROF_STARTUP_ENTRIES", "99999999999999999999999GiB", "is out of range"},
               {"GECKOPROF_STARTUP_INTERVAL", "fast", "is not a number"},
               {"GECKOPROF_STARTUP_INTERVAL", "0", "is out of range"},
               {"GECKOPROF_STARTUP_DURATION", "-1", "is not a number"},
               {"GECKOPROF_STARTUP_FEATURES", "stackwalk,flying", "names something unknown"},
               {"GECKOPROF_STARTUP_FEATURES", "stackwalk,powr", "\"powr\" names something unknown"},
               {"GECKOPROF_STARTUP_FEATURES_BITFIELD", "0xyz", "is not a number"},
               {"GECKOPROF_STARTUP_FILTERS", "*," + long_item, "is too long"},
               {"GECKOPROF_EXEC_TIME", "yesterday", "is not a number"},
               {"GECKOPROF_STARTUP_INTERVALL", "1", "GECKOPROF_STARTUP_INTERVALL is not a variable"}};
  const ProgramOutput bare = RunProgram({Scenario("deep_stack"), "0.5"}, {});
  for (const auto& bad : cases) {
    INFO(bad.name << "=" << bad.value);
    const SessionFolder session;
    const ProgramOutput output = RunProgram({Scenario("deep_stack"), "0.5"},
                                            Recording({session.variable(), std::string(bad.name) + "=" + bad.value}));
    CHECK(output.status == bare.status);
    CHECK(output.out == bare.out);
    CHECK(output.err == bare.err);
    const ProcessProfile profile = session.ReadOnly(output.pid);
    REQUIRE(profile.problems.size() == 1);
    INFO(profile.problems[0]);
    CHECK(profile.problems[0].find(bad.text) != std::string::npos);
    CHECK(CountSamples(profile) > 0);
  }
}

TEST_CASE("unusable paths are no trouble for the program either", "[bad_values]") {
  const bool is_private = UsePrivateSharedMemory();
  const SessionFolder session;
  const ProgramOutput bare = RunProgram({Scenario("deep_stack"), "0.05"}, {});
  const auto check_unchanged = [&bare](const std::string& variable) {
    const ProgramOutput output = RunProgram({Scenario("deep_stack"), "0.05"}, Recording({variable}));
    CHECK(output.status == bare.status);
    CHECK(output.out == bare.out);
    CHECK(output.err == bare.err);
  };
  for (const std::string& folder :
       Strings{"relative", "/no/such/folder", "/etc/passwd", "/" + std::string(5000, 'd')}) {
    INFO(folder.substr(0, 80));
    check_unchanged("GECKOPROF_SESSION_DIR=" + folder);
    if (is_private) CHECK(LeftInSharedMemory() == Strings{});
  }
  check_unchanged("GECKOPROF_SHUTDOWN=" + std::string(5000, 'p'));
  if (is_private) CHECK(LeftInSharedMemory() == Strings{});
  size_t kept = 0;
  for (const std::string& file : Strings{"/no/such/folder/profile.json", "/dev/full", session.path()}) {
    INFO(file);
    check_unchanged("GECKOPROF_SHUTDOWN=" + file);
    if (is_private) CHECK(LeftInSharedMemory().size() == ++kept);  // for `geckoprof recover`
  }
}

TEST_CASE("the written profile, too, says what was wrong with the parameters", "[bad_values_json]") {
  const SessionFolder session;
  const std::string json = session.path() + "/profile.json";
  RunProgram({Scenario("deep_stack"), "0.05"},
             Recording({session.variable(), "GECKOPROF_STARTUP_INTERVAL=fast", "GECKOPROF_SHUTDOWN=" + json}));
  std::ifstream file(json);
  std::stringstream text;
  text << file.rdbuf();
  CHECK(text.str().find("\"threads\"") != std::string::npos);
  CHECK(text.str().find("GECKOPROF_STARTUP_INTERVAL") != std::string::npos);
}

TEST_CASE("features and filters choose what is recorded", "[switched_off]") {
  const SessionFolder no_stacks, no_cpu, other_process;
  const Strings command = {Scenario("deep_stack"), "1"};
  ProgramOutput output =
      RunProgram(command, Recording({no_stacks.variable(), "GECKOPROF_STARTUP_FEATURES=nostacksampling,cpu"}));
  for (const FrameRow& frame : no_stacks.ReadOnly(output.pid).frames) CHECK(frame.kind == FrameKind::kRoot);
  output = RunProgram(command, Recording({no_cpu.variable(), "GECKOPROF_STARTUP_FEATURES=stackwalk"}));
  const ProcessProfile without_cpu = no_cpu.ReadOnly(output.pid);
  CHECK(CountSamples(without_cpu) > 10);
  for (const SampleRow& sample : MainThread(without_cpu).samples) CHECK(sample.cpu_delta_ns <= 0);
  RunProgram(command, Recording({other_process.variable(), "GECKOPROF_STARTUP_FILTERS=pid:1"}));
  CHECK(other_process.Read().empty());
}

}  // namespace
}  // namespace geckoprof
