#include "geckoprof/config/start_parameters.h"

#include <stdlib.h>

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

TEST_CASE("variables have different names with our prefix") {
  std::set<std::string_view> names;
  for (size_t i = 0; i < kStartVariableCount; ++i) {
    const std::string_view name = StartVariableName(static_cast<StartVariable>(i));
    CHECK(name.starts_with("GECKOPROF_"));
    CHECK(name.size() > 10);
    names.insert(name);
  }
  CHECK(names.size() == kStartVariableCount);
}

TEST_CASE("each kind of problem has a text of its own") {
  std::set<std::string_view> texts;
  const auto last = static_cast<size_t>(StartProblemKind::kOfRecorder);
  for (size_t i = 0; i <= last; ++i) texts.insert(StartProblemText(static_cast<StartProblemKind>(i)));
  CHECK(texts.size() == last + 1);
}

using Lines = std::vector<std::string>;

StartParameters Parse(const Lines& lines) {
  std::vector<const char*> environment;
  for (const std::string& line : lines) environment.push_back(line.c_str());
  environment.push_back(nullptr);
  StartParameters parameters;
  parameters.features = 12345;  // must be overwritten
  ParseStartParameters(environment.data(), parameters);
  return parameters;
}

// The only problem's kind, if there is exactly one.
std::optional<StartProblemKind> OnlyProblem(const StartParameters& parameters, StartVariable variable) {
  if (parameters.problem_count != 1 || parameters.problems[0].variable != variable) return std::nullopt;
  return parameters.problems[0].kind;
}

TEST_CASE("no environment means off, with defaults") {
  StartParameters parameters;
  ParseStartParameters(nullptr, parameters);
  CHECK_FALSE(parameters.start_requested);
  CHECK_FALSE(parameters.help_requested);
  CHECK(parameters.capacity_bytes == 128u << 20);
  CHECK(parameters.interval_ns == 1'000'000);
  CHECK(parameters.duration_ns == 0);
  CHECK(parameters.features == (kFeatureStackWalk | kFeatureCpu));
  CHECK(parameters.filter.size() == 0);
  CHECK(parameters.problem_count == 0);
  CHECK(std::string_view(parameters.session_dir).empty());
}

TEST_CASE("nothing of what was parsed before is left") {
  StartParameters parameters;
  const char* const environment[] = {"GECKOPROF_HELP=1",
                                     "GECKOPROF_STARTUP=1",
                                     "GECKOPROF_NO_ARGUMENTS=1",
                                     "GECKOPROF_SIGNALS=1",
                                     "GECKOPROF_STARTUP_ENTRIES=1000000",
                                     "GECKOPROF_STARTUP_INTERVAL=5",
                                     "GECKOPROF_STARTUP_DURATION=5",
                                     "GECKOPROF_STARTUP_FEATURES=nostacksampling",
                                     "GECKOPROF_STARTUP_FILTERS=worker",
                                     "GECKOPROF_SHUTDOWN=/tmp/profile.json",
                                     "GECKOPROF_SESSION_DIR=/tmp/session",
                                     "GECKOPROF_EXEC_TIME=1:1",
                                     "GECKOPROF_SECCOMP_FILTERS=1",
                                     "GECKOPROF_STARTUP_MISSPELT=1",
                                     nullptr};
  ParseStartParameters(environment, parameters);
  REQUIRE(parameters.filter.size() == 1);
  ParseStartParameters(nullptr, parameters);
  const StartParameters fresh;
  CHECK(parameters.help_requested == fresh.help_requested);
  CHECK(parameters.start_requested == fresh.start_requested);
  CHECK(parameters.leaves_out_arguments == fresh.leaves_out_arguments);
  CHECK(parameters.obeys_signals == fresh.obeys_signals);
  CHECK(parameters.capacity_bytes == fresh.capacity_bytes);
  CHECK(parameters.interval_ns == fresh.interval_ns);
  CHECK(parameters.duration_ns == fresh.duration_ns);
  CHECK(parameters.features == fresh.features);
  CHECK(parameters.requested_features == fresh.requested_features);
  CHECK(parameters.filter.size() == 0);
  CHECK(std::string_view(parameters.session_dir).empty());
  CHECK(std::string_view(parameters.shutdown_path).empty());
  CHECK(parameters.exec_pid == fresh.exec_pid);
  CHECK(parameters.exec_ns == 0);
  CHECK(parameters.seccomp_filters == -1);
  CHECK(parameters.problem_count == 0);
}

TEST_CASE("GECKOPROF_STARTUP is off for the words of no") {
  for (const char* off : {"", "0", "N", "n"}) {
    INFO(off);
    CHECK_FALSE(Parse({std::string("GECKOPROF_STARTUP=") + off}).start_requested);
  }
  for (const char* on : {"1", "yes", "no", "00", "Nn", " "}) {
    INFO(on);
    CHECK(Parse({std::string("GECKOPROF_STARTUP=") + on}).start_requested);
  }
  CHECK_FALSE(Parse({"PATH=/bin", "XGECKOPROF_STARTUP=1", "GECKOPROF_STARTUP"}).start_requested);
}

TEST_CASE("GECKOPROF_HELP asks for help unless empty") {
  CHECK(Parse({"GECKOPROF_HELP=1"}).help_requested);
  CHECK(Parse({"GECKOPROF_HELP=0"}).help_requested);
  CHECK_FALSE(Parse({"GECKOPROF_HELP="}).help_requested);
}

TEST_CASE("the first of two equal variables counts") {
  CHECK(Parse({"GECKOPROF_STARTUP_INTERVAL=2", "GECKOPROF_STARTUP_INTERVAL=3"}).interval_ns == 2'000'000);
  CHECK_FALSE(Parse({"GECKOPROF_STARTUP=", "GECKOPROF_STARTUP=1"}).start_requested);
}

struct NumberCase {
  const char* text;
  uint64_t expected;
  std::optional<StartProblemKind> problem;
};
constexpr std::optional<StartProblemKind> kFine = std::nullopt;

TEST_CASE("GECKOPROF_STARTUP_ENTRIES") {
  const NumberCase cases[] = {{"", kDefaultCapacityBytes, kFine},
                              {"131072", kMinCapacityBytes, kFine},
                              {"131071", kMinCapacityBytes, StartProblemKind::kOutOfRange},
                              {"0", kMinCapacityBytes, StartProblemKind::kOutOfRange},
                              {"1MiB", kMinCapacityBytes, kFine},
                              {"3MB", 3'000'000, kFine},
                              {"1048583KiB", 1'073'748'992, kFine},
                              {"2GiB", kMaxCapacityBytes, kFine},
                              {"3GiB", kMaxCapacityBytes, StartProblemKind::kOutOfRange},
                              {"99999999999999999999", kMaxCapacityBytes, StartProblemKind::kOutOfRange},
                              {"-5", kDefaultCapacityBytes, StartProblemKind::kNotANumber},
                              {"lots", kDefaultCapacityBytes, StartProblemKind::kNotANumber},
                              {"64 MiB", kDefaultCapacityBytes, StartProblemKind::kNotANumber}};
  for (const NumberCase& c : cases) {
    INFO(c.text);
    const StartParameters parameters = Parse({std::string("GECKOPROF_STARTUP_ENTRIES=") + c.text});
    CHECK(parameters.capacity_bytes == c.expected);
    CHECK(OnlyProblem(parameters, StartVariable::kEntries) == c.problem);
    CHECK(parameters.capacity_bytes % kBytesPerEntry == 0);
  }
}

TEST_CASE("GECKOPROF_STARTUP_INTERVAL") {
  const NumberCase cases[] = {{"", 1'000'000, kFine},
                              {"0.05", 50'000, kFine},
                              {"0.049", 50'000, StartProblemKind::kOutOfRange},
                              {"0", 50'000, StartProblemKind::kOutOfRange},
                              {"2.5", 2'500'000, kFine},
                              {"5000", 5'000'000'000, kFine},
                              {"1001", 1'001'000'000, kFine},
                              {"5000.1", 5'000'000'000, StartProblemKind::kOutOfRange},
                              {"1e3", 1'000'000, StartProblemKind::kNotANumber},
                              {"-1", 1'000'000, StartProblemKind::kNotANumber},
                              {"1ms", 1'000'000, StartProblemKind::kNotANumber}};
  for (const NumberCase& c : cases) {
    INFO(c.text);
    const StartParameters parameters = Parse({std::string("GECKOPROF_STARTUP_INTERVAL=") + c.text});
    CHECK(parameters.interval_ns == static_cast<int64_t>(c.expected));
    CHECK(OnlyProblem(parameters, StartVariable::kInterval) == c.problem);
  }
}

TEST_CASE("GECKOPROF_STARTUP_MAX_OVERHEAD") {
  const NumberCase cases[] = {{"", 0, kFine},
                              {"2%", 200, kFine},
                              {"0.1%", 10, kFine},
                              {"100%", 10'000, kFine},
                              {"0%", 10, StartProblemKind::kOutOfRange},
                              {"200%", 10'000, StartProblemKind::kOutOfRange},
                              {"2", 0, StartProblemKind::kNotANumber},
                              {"%", 0, StartProblemKind::kNotANumber},
                              {"much", 0, StartProblemKind::kNotANumber}};
  for (const NumberCase& c : cases) {
    INFO(c.text);
    const StartParameters parameters = Parse({std::string("GECKOPROF_STARTUP_MAX_OVERHEAD=") + c.text});
    CHECK(parameters.overhead_limit == c.expected);
    CHECK(OnlyProblem(parameters, StartVariable::kMaxOverhead) == c.problem);
  }
}

TEST_CASE("GECKOPROF_STARTUP_DURATION") {
  const NumberCase cases[] = {{"", 0, kFine},
                              {"0", 0, kFine},
                              {"0.25", 250'000'000, kFine},
                              {"90", 90'000'000'000, kFine},
                              {"99999999999999", static_cast<uint64_t>(kMaxDurationNs), StartProblemKind::kOutOfRange},
                              {"-1", 0, StartProblemKind::kNotANumber},
                              {"ten", 0, StartProblemKind::kNotANumber}};
  for (const NumberCase& c : cases) {
    INFO(c.text);
    const StartParameters parameters = Parse({std::string("GECKOPROF_STARTUP_DURATION=") + c.text});
    CHECK(parameters.duration_ns == static_cast<int64_t>(c.expected));
    CHECK(OnlyProblem(parameters, StartVariable::kDuration) == c.problem);
  }
}

struct FeatureCase {
  const char* text;
  uint32_t features;
  uint32_t requested;
  std::optional<StartProblemKind> problem;
};

TEST_CASE("GECKOPROF_STARTUP_FEATURES") {
  const FeatureCase cases[] = {
      {"", 0, 0, kFine},
      {"default", kDefaultFeatures, kDefaultFeatures, kFine},
      {"cpu", kFeatureCpu, kFeatureCpu, kFine},
      {",cpu,,stackwalk,", kDefaultFeatures, kDefaultFeatures, kFine},
      {"default,nostacksampling", kFeatureCpu | kFeatureNoStackSampling, kFeatureCpu | kFeatureNoStackSampling, kFine},
      {"default,tracing", kDefaultFeatures, kDefaultFeatures, StartProblemKind::kUnknownName},
      {"cpu,power", kFeatureCpu, kFeatureCpu | kFeaturePower, StartProblemKind::kOfRecorder},
      {"cpufreq,system", kDefaultFeatures, kDefaultFeatures | kFeatureCpuFreq | kFeatureSystem,
       StartProblemKind::kOfRecorder},
      {"cpu,CPU", kFeatureCpu, kFeatureCpu, StartProblemKind::kUnknownName},
      {"cpux", 0, 0, StartProblemKind::kUnknownName}};
  for (const FeatureCase& c : cases) {
    INFO(c.text);
    const StartParameters parameters = Parse({std::string("GECKOPROF_STARTUP_FEATURES=") + c.text});
    CHECK(parameters.features == c.features);
    CHECK(parameters.requested_features == c.requested);
    CHECK(OnlyProblem(parameters, StartVariable::kFeatures) == c.problem);
  }
  CHECK(std::string_view(Parse({"GECKOPROF_STARTUP_FEATURES=cpux"}).problems[0].detail) == "cpux");
}

TEST_CASE("GECKOPROF_STARTUP_FEATURES_BITFIELD") {
  const FeatureCase cases[] = {
      {"", kDefaultFeatures, kDefaultFeatures, kFine},
      {"0", 0, 0, kFine},
      {"16640", kDefaultFeatures, kDefaultFeatures, kFine},
      {"0x4100", kDefaultFeatures, kDefaultFeatures, kFine},
      {"0x4500", 0x4400, 0x4400, kFine},
      {"0x4102", kDefaultFeatures, kDefaultFeatures, StartProblemKind::kUnknownName},
      {"0x6000100", kFeatureStackWalk, kFeatureStackWalk, StartProblemKind::kUnknownName},
      {"0x20004100", kDefaultFeatures, kDefaultFeatures | kFeatureSystem, StartProblemKind::kOfRecorder},
      {"0x100004100", kDefaultFeatures, kDefaultFeatures, StartProblemKind::kUnknownName},
      {"cpu", kDefaultFeatures, kDefaultFeatures, StartProblemKind::kNotANumber},
      {"-1", kDefaultFeatures, kDefaultFeatures, StartProblemKind::kNotANumber}};
  for (const FeatureCase& c : cases) {
    INFO(c.text);
    const StartParameters parameters = Parse({std::string("GECKOPROF_STARTUP_FEATURES_BITFIELD=") + c.text});
    CHECK(parameters.features == c.features);
    CHECK(parameters.requested_features == c.requested);
    CHECK(OnlyProblem(parameters, StartVariable::kFeaturesBitfield) == c.problem);
  }
}

TEST_CASE("the bit field wins over the list, unless it is no number") {
  const StartParameters both =
      Parse({"GECKOPROF_STARTUP_FEATURES=stackwalk", "GECKOPROF_STARTUP_FEATURES_BITFIELD=16384"});
  CHECK(both.features == kFeatureCpu);
  CHECK(OnlyProblem(both, StartVariable::kFeatures) == StartProblemKind::kOverridden);
  const StartParameters bad = Parse({"GECKOPROF_STARTUP_FEATURES=stackwalk", "GECKOPROF_STARTUP_FEATURES_BITFIELD=x"});
  CHECK(bad.features == kFeatureStackWalk);
  CHECK(OnlyProblem(bad, StartVariable::kFeaturesBitfield) == StartProblemKind::kNotANumber);
}

TEST_CASE("GECKOPROF_STARTUP_FILTERS") {
  const StartParameters two = Parse({"GECKOPROF_STARTUP_FILTERS=,worker,,pid:7,"});
  REQUIRE(two.filter.size() == 2);
  CHECK(two.filter.item(0) == "worker");
  CHECK(two.filter.item(1) == "pid:7");
  CHECK(two.problem_count == 0);
  CHECK(Parse({"GECKOPROF_STARTUP_FILTERS="}).filter.size() == 0);

  for (const char* unusable : {"pid:abc", "pid:", "pid:07", "pid:-1", ",,,"}) {
    INFO(unusable);
    const StartParameters all = Parse({std::string("GECKOPROF_STARTUP_FILTERS=") + unusable});
    CHECK(all.filter.size() == 0);
    REQUIRE(all.problem_count == 1);
    CHECK(all.problems[0].variable == StartVariable::kFilters);
  }
  const StartParameters shortened = Parse({"GECKOPROF_STARTUP_FILTERS=" + std::string(64, 'a')});
  CHECK(OnlyProblem(shortened, StartVariable::kFilters) == StartProblemKind::kTooLong);
  CHECK(shortened.filter.item(0) == std::string(63, 'a'));

  std::string many = "GECKOPROF_STARTUP_FILTERS=a";
  for (size_t i = 0; i < ThreadFilter::kMaxItems; ++i) many += ",b";
  const StartParameters full = Parse({many});
  CHECK(full.filter.size() == ThreadFilter::kMaxItems);
  CHECK(OnlyProblem(full, StartVariable::kFilters) == StartProblemKind::kTooMany);
}

TEST_CASE("paths are kept whole or not at all") {
  CHECK(std::string_view(Parse({"GECKOPROF_SHUTDOWN=out.json"}).shutdown_path) == "out.json");
  CHECK(std::string_view(Parse({"GECKOPROF_SESSION_DIR=/dev/shm/x"}).session_dir) == "/dev/shm/x");
  const StartParameters relative = Parse({"GECKOPROF_SESSION_DIR=x"});
  CHECK(std::string_view(relative.session_dir).empty());
  CHECK(OnlyProblem(relative, StartVariable::kSessionDir) == StartProblemKind::kNotAbsolute);
  CHECK(std::string_view(Parse({"GECKOPROF_COMMAND=/opt/geckoprof"}).command_path) == "/opt/geckoprof");
  const StartParameters by_name = Parse({"GECKOPROF_COMMAND=geckoprof"});
  CHECK(std::string_view(by_name.command_path).empty());
  CHECK(OnlyProblem(by_name, StartVariable::kCommand) == StartProblemKind::kNotAbsolute);
  const std::string fits(StartParameters::kPathBytes - 1, 'p');
  CHECK(std::string_view(Parse({"GECKOPROF_SHUTDOWN=" + fits}).shutdown_path) == fits);
  const StartParameters long_path = Parse({"GECKOPROF_SHUTDOWN=" + fits + "p"});
  CHECK(std::string_view(long_path.shutdown_path).empty());
  CHECK(OnlyProblem(long_path, StartVariable::kShutdown) == StartProblemKind::kTooLong);
}

TEST_CASE("a relative shutdown path is below the folder of the start, wherever the program goes") {
  std::string folder = "/tmp/start_parameters-%p-XXXXXX";
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  const std::string before = std::filesystem::current_path();
  const auto resolve = [](const std::string& path) {
    StartParameters parameters = Parse({"GECKOPROF_SHUTDOWN=" + path});
    parameters.SetShutdownFolder();
    std::vector<char> out(StartParameters::kPathBytes);
    REQUIRE(parameters.ExpandShutdownPath(ProcessId::FromNumber(4711), out));
    return std::string(out.data());
  };
  std::filesystem::current_path(folder);
  CHECK(resolve("out-%p.json") == folder + "/out-4711.json");  // "%p" of the folder's own name is no pid
  CHECK(resolve("/out-%p.json") == "/out-4711.json");
  const std::string fits(StartParameters::kPathBytes - 1 - folder.size() - 1, 'p');
  CHECK(resolve(fits) == folder + "/" + fits);
  CHECK(resolve(fits + "p") == fits + "p");
  std::filesystem::remove(folder);
  CHECK(resolve("out.json") == "out.json");  // the folder has no name any more
  std::filesystem::current_path(before);
  StartParameters none = Parse({});
  none.SetShutdownFolder();
  CHECK(std::string_view(none.shutdown_path).empty());
}

TEST_CASE("%p in the shutdown path becomes the pid") {
  const auto expand = [](const std::string& path, size_t room) {
    const StartParameters parameters = Parse({"GECKOPROF_SHUTDOWN=" + path});
    std::vector<char> out(room, 'x');
    if (!parameters.ExpandShutdownPath(ProcessId::FromNumber(4711), out)) return std::string("(no)");
    return std::string(out.data());
  };
  CHECK(expand("out.json", 64) == "out.json");
  CHECK(expand("out-%p.json", 64) == "out-4711.json");
  CHECK(expand("%p%p", 9) == "47114711");
  CHECK(expand("%p%p", 8) == "(no)");
  CHECK(expand("100%", 64) == "100%");
  CHECK(expand("%%p", 64) == "%4711");
  CHECK(expand("", 64) == "(no)");
  CHECK(expand("abc", 3) == "(no)");
}

TEST_CASE("%r in the shutdown path becomes the rank of the start") {
  const auto expand = [](const std::vector<std::string>& environment) {
    const StartParameters parameters = Parse(environment);
    std::vector<char> out(64);
    REQUIRE(parameters.ExpandShutdownPath(ProcessId::FromNumber(4711), out));
    return std::string(out.data());
  };
  CHECK(expand({"GECKOPROF_SHUTDOWN=%r-%p", "PMIX_RANK=31"}) == "31-4711");
  CHECK(expand({"GECKOPROF_SHUTDOWN=%r-%p"}) == "0-4711");
  CHECK(expand({"GECKOPROF_SHUTDOWN=%r", "SLURM_PROCID=../etc"}) == "0");
}

TEST_CASE("how many seccomp filters are harmless: a number, else nobody said") {
  CHECK(Parse({}).seccomp_filters == -1);
  CHECK(Parse({"GECKOPROF_SECCOMP_FILTERS=0"}).seccomp_filters == 0);
  CHECK(Parse({"GECKOPROF_SECCOMP_FILTERS=3"}).seccomp_filters == 3);
  const StartParameters refused = Parse({"GECKOPROF_SECCOMP_FILTERS=-1"});
  CHECK(refused.seccomp_filters == -1);
  CHECK(refused.problem_count == 1);
}

TEST_CASE("GECKOPROF_EXEC_TIME is believed for its own process only") {
  const StartParameters parameters = Parse({"GECKOPROF_EXEC_TIME=42:1000"});
  CHECK(parameters.ExecTimeNs(ProcessId::FromNumber(42), 5000) == 1000);
  CHECK(parameters.ExecTimeNs(ProcessId::FromNumber(43), 5000) == 0);
  CHECK(parameters.ExecTimeNs(ProcessId::FromNumber(42), 999) == 0);
  CHECK(Parse({"GECKOPROF_EXEC_TIME="}).problem_count == 0);
  for (const char* bad : {"42", "42:", ":1000", "a:1", "1:a", "-1:5", "4294967296:1", "1:9223372036854775808"}) {
    INFO(bad);
    const StartParameters refused = Parse({std::string("GECKOPROF_EXEC_TIME=") + bad});
    CHECK(refused.exec_ns == 0);
    CHECK(OnlyProblem(refused, StartVariable::kExecTime) == StartProblemKind::kNotANumber);
  }
}

TEST_CASE("a misspelt variable is reported") {
  const StartParameters parameters = Parse({"GECKOPROF_STARTUP_INTERVALL=2"});
  CHECK(OnlyProblem(parameters, StartVariable::kOther) == StartProblemKind::kUnknownVariable);
  CHECK(std::string_view(parameters.problems[0].detail) == "GECKOPROF_STARTUP_INTERVALL");
  CHECK(Parse({"GECKOPROF_JOBS=4"}).problem_count == 0);
}

TEST_CASE("the list of problems is bounded and says how many it left out") {
  Lines lines;
  for (int i = 0; i < 20; ++i) lines.push_back("GECKOPROF_STARTUP_" + std::string(60, 'X') + std::to_string(i) + "=1");
  const StartParameters parameters = Parse(lines);
  CHECK(parameters.problem_count == StartParameters::kMaxProblems);
  CHECK(parameters.problems_not_kept == 20 - StartParameters::kMaxProblems);
  CHECK(std::string_view(parameters.problems[0].detail).size() == StartProblem::kDetailBytes - 1);
}

TEST_CASE("a change replaces the named settings alone, and tells of a duration") {
  StartParameters parameters =
      Parse({"GECKOPROF_STARTUP_INTERVAL=5", "GECKOPROF_STARTUP_FILTERS=worker,pool", "GECKOPROF_STARTUP_DURATION=7",
             "GECKOPROF_SHUTDOWN=/tmp/profile.json", "GECKOPROF_NO_ARGUMENTS=1", "GECKOPROF_SESSION_DIR=/tmp/session"});
  const char* const interval[] = {"GECKOPROF_STARTUP_INTERVAL=0.5", "GECKOPROF_SHUTDOWN=/other",
                                  "GECKOPROF_SESSION_DIR=/other", nullptr};
  CHECK_FALSE(ChangeStartParameters(interval, parameters));
  CHECK(parameters.interval_ns == 500'000);
  CHECK(parameters.duration_ns == 7'000'000'000);
  CHECK(parameters.filter.size() == 2);
  CHECK(parameters.features == kDefaultFeatures);
  CHECK(parameters.leaves_out_arguments);
  CHECK(std::string_view(parameters.shutdown_path) == "/tmp/profile.json");
  CHECK(std::string_view(parameters.session_dir) == "/tmp/session");
  const char* const rest[] = {"GECKOPROF_STARTUP_FILTERS=main", "GECKOPROF_STARTUP_FEATURES=cpu",
                              "GECKOPROF_STARTUP_ENTRIES=2MiB", "GECKOPROF_STARTUP_DURATION=9", nullptr};
  CHECK(ChangeStartParameters(rest, parameters));
  CHECK(parameters.interval_ns == 500'000);
  CHECK(parameters.duration_ns == 9'000'000'000);
  REQUIRE(parameters.filter.size() == 1);
  CHECK(parameters.filter.item(0) == "main");
  CHECK(parameters.features == kFeatureCpu);
  CHECK(parameters.capacity_bytes == 2u << 20);
}

TEST_CASE("GECKOPROF_SIGNALS is off for the words of no") {
  CHECK(Parse({"GECKOPROF_SIGNALS=1"}).obeys_signals);
  CHECK_FALSE(Parse({"GECKOPROF_SIGNALS=0"}).obeys_signals);
  CHECK_FALSE(Parse({}).obeys_signals);
}

TEST_CASE("the file of a signal has the pid in its name and lies in the current folder") {
  StartParameters parameters;
  parameters.SetDefaultShutdown();
  char path[StartParameters::kPathBytes];
  REQUIRE(parameters.ExpandShutdownPath(ProcessId::FromNumber(4711), path));
  CHECK(std::string(path) == (std::filesystem::current_path() / "profile_4711.json.gz").string());
}

}  // namespace
}  // namespace geckoprof
