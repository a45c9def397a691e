#include "tools/record/machine_counters.h"

#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "geckoprof/base/clock.h"
#include "geckoprof/config/start_features.h"
#include "tests/support/machine_tree.h"
#include "tests/support/temporary_folder.h"
#include "tools/record/session_counters.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr uint64_t kLimitBytes = 128 << 20;
constexpr int64_t kPauseNs = 50 * kNsPerMs;

ProcessProfile MainProcess() {
  ProcessProfile process;
  process.threads.emplace_back();
  process.threads[0].is_main = true;
  return process;
}

// A session whose recorder looks at a machine at times that a test chooses.
class Session {
 public:
  explicit Session(uint32_t features, const MachineTree& tree, uint64_t limit_bytes = kLimitBytes)
      : file_(folder_.path(), limit_bytes), counters_(features, tree.Roots(), file_), begin_ns_(MonotonicNs()) {}

  void LookAt(int64_t pause) { counters_.LookNow(TimeNs(pause)); }
  int64_t TimeNs(int64_t pause) const { return begin_ns_ + pause * kPauseNs; }

  MachineRows Rows() const { return SessionCounters::Read(folder_.path()).machine; }
  ProcessProfile Profile(int64_t from_pause, int64_t to_pause) const {
    ProcessProfile process = MainProcess();
    Rows().AddTo(TimeNs(from_pause), TimeNs(to_pause), process);
    return process;
  }
  std::string path() const { return folder_.path() + "/" + kCounterFileName; }

 private:
  const TemporaryFolder folder_;
  CounterFile file_;
  MachineCounters counters_;
  const int64_t begin_ns_;
};

const CounterRow* Find(const ProcessProfile& process, std::string_view name) {
  const auto found = std::ranges::find(process.counters, name, &CounterRow::name);
  return found != process.counters.end() ? &*found : nullptr;
}

std::vector<int64_t> CountsOf(const CounterRow& counter) {
  std::vector<int64_t> counts;
  for (const CounterSample& sample : counter.samples) counts.push_back(sample.count);
  return counts;
}

// Returns "CPU 0 0-2 0.8": name, begin and end in pauses, and GHz.
std::vector<std::string> SpeedsOf(const Session& session, const ProcessProfile& process) {
  std::vector<std::string> speeds;
  for (const MarkerRow& marker : process.threads[0].markers) {
    REQUIRE(process.marker_types[static_cast<size_t>(marker.type)].name == "CPUSpeed");
    speeds.push_back(Concat(process.strings[static_cast<size_t>(marker.name)], " ",
                            (marker.start_ns - session.TimeNs(0)) / kPauseNs, "-",
                            (marker.end_ns - session.TimeNs(0)) / kPauseNs, " ", marker.fields[0].number));
  }
  return speeds;
}

using Lines = std::vector<std::string>;

TEST_CASE("energy is in pWh since the row before, and zones that never count have no track") {
  MachineTree tree;
  tree.AddTwoPackages();
  Session session(kFeaturePower, tree);
  session.LookAt(1);
  for (const auto& [pause, energy_uj] : {std::pair{2, 1'000'009}, {3, 1'000'018}, {4, 1'000'019}}) {
    tree.Write(tree.EnergyOf("intel-rapl:0"), Concat(energy_uj, "\n"));
    session.LookAt(pause);
  }
  const ProcessProfile process = session.Profile(0, 4);
  CHECK(process.counters.size() == 1);
  const CounterRow* const package = Find(process, "package-0");
  REQUIRE(package != nullptr);
  CHECK(package->category == "power");
  CHECK(package->unit == "pWh");
  CHECK(package->is_rate);
  CHECK(CountsOf(*package) == std::vector<int64_t>{0, 0, 2'500, 2'500, 277});
  CHECK(package->samples.back().time_ns == session.TimeNs(4));
  CHECK(process.features == Lines{"power"});
  CHECK(session.Rows().Lines().empty());
}

TEST_CASE("a count that rests has a row at the end of its rest") {
  MachineTree tree;
  tree.SetNetwork(1'000, 10);
  Session session(kFeatureSystem, tree);
  for (int64_t pause = 1; pause <= 10; ++pause) {
    if (pause == 9) tree.SetNetwork(1'700, 10);
    session.LookAt(pause);
  }
  const ProcessProfile process = session.Profile(0, 30);
  const CounterRow* const received = Find(process, "Network received");
  REQUIRE(received != nullptr);
  CHECK(received->category == "Bandwidth");
  CHECK(CountsOf(*received) == std::vector<int64_t>{0, 0, 0, 700, 0});
  CHECK(received->samples[2].time_ns == session.TimeNs(8));
  CHECK(received->samples[3].time_ns == session.TimeNs(9));
  CHECK(received->samples[4].time_ns == session.TimeNs(30));
  CHECK(Find(process, "Network sent") == nullptr);
}

TEST_CASE("each core has a marker for each of its frequencies, until its file is gone") {
  MachineTree tree;
  tree.AddPolicy(0, "0 1", 800'000);
  tree.AddPolicy(2, "2", 1'500'000);
  Session session(kFeatureCpuFreq, tree);
  session.LookAt(1);
  session.LookAt(2);
  tree.AddPolicy(0, "0 1", 3'500'000);
  session.LookAt(3);
  tree.Write("sys/devices/system/cpu/cpufreq/policy2/scaling_cur_freq", "");
  session.LookAt(4);
  CHECK(SpeedsOf(session, session.Profile(0, 6)) ==
        Lines{"CPU 0 1-3 0.8", "CPU 0 3-6 3.5", "CPU 1 1-3 0.8", "CPU 1 3-6 3.5", "CPU 2 1-4 1.5"});
  CHECK(SpeedsOf(session, session.Profile(2, 3)) == Lines{"CPU 0 2-3 0.8", "CPU 1 2-3 0.8", "CPU 2 2-3 1.5"});
  CHECK(session.Profile(0, 6).core_speeds == "0.80 to 3.50 GHz, 2.20 in the mean");
  CHECK(session.Profile(10, 11).core_speeds == "3.50 to 3.50 GHz, 3.50 in the mean");
  const Lines lines = session.Rows().Lines();
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].starts_with("cpufreq: "));
}

TEST_CASE("a window begins with what was there at its begin") {
  MachineTree tree;
  tree.AddZone("intel-rapl:0", "package-0", 0);
  Session session(kFeaturePower, tree);
  for (int64_t pause = 1; pause <= 10; ++pause) {
    tree.Write(tree.EnergyOf("intel-rapl:0"), Concat(pause * 9'000, "\n"));
    session.LookAt(pause);
  }
  const ProcessProfile window = session.Profile(7, 9);
  const CounterRow* const package = Find(window, "package-0");
  REQUIRE(package != nullptr);
  CHECK(CountsOf(*package) == std::vector<int64_t>{0, 2'500'000, 2'500'000});
  CHECK(package->samples[0].time_ns == session.TimeNs(7));
}

TEST_CASE("a program that ends between two looks has the energy up to the look after its end") {
  MachineTree tree;
  tree.AddZone("intel-rapl:0", "package-0", 0);
  Session session(kFeaturePower, tree);
  session.LookAt(1);
  tree.Write(tree.EnergyOf("intel-rapl:0"), "9000\n");
  session.LookAt(4);
  const ProcessProfile process = session.Profile(2, 3);
  const CounterRow* const package = Find(process, "package-0");
  REQUIRE(package != nullptr);
  CHECK(CountsOf(*package) == std::vector<int64_t>{0, 2'500'000});
  CHECK(package->samples[1].time_ns == session.TimeNs(3));
}

TEST_CASE("each feature that has nothing, or zones at rest, has one line with the remedy") {
  const auto lines_of = [](const MachineTree& tree) {
    Session session(kRecorderFeatures, tree);
    for (int64_t pause = 1; pause < 4; ++pause) session.LookAt(pause);
    CHECK(session.Profile(0, 4).counters.empty());
    CHECK(session.Profile(0, 4).features == Lines{"power", "cpufreq", "system"});
    return session.Rows().Lines();
  };
  const Lines nothing = lines_of(MachineTree());
  REQUIRE(nothing.size() == 3);
  CHECK(nothing[0].starts_with("power: This machine has no RAPL zones"));
  CHECK(nothing[1].starts_with("cpufreq: The kernel tells no frequencies"));
  CHECK(nothing[2].find("psi=1") != std::string::npos);
  MachineTree virtual_machine;
  virtual_machine.AddZone("intel-rapl:0", "psys", 0);
  const Lines at_rest = lines_of(virtual_machine);
  REQUIRE(at_rest.size() == 3);
  CHECK(at_rest[0].starts_with("power: The RAPL zones (1) did not count"));
  MachineTree denied;
  denied.AddPowerEvents();
  CHECK(lines_of(denied)[0].find("CAP_PERFMON") != std::string::npos);
}

TEST_CASE("nothing is read or written without a feature") {
  MachineTree tree;
  tree.AddTwoPackages();
  Session session(0, tree);
  session.LookAt(1);
  CHECK_FALSE(std::filesystem::exists(session.path()));
  CHECK(session.Rows().empty());
}

TEST_CASE("a full file keeps the names of the series, and the newer values") {
  MachineTree tree;
  tree.AddZone("intel-rapl:0", "package-0", 0);
  constexpr uint64_t kRows = 40;
  Session session(kFeaturePower, tree, kRows * kCounterRowBytes * 16);
  for (int64_t pause = 1; pause <= 200; ++pause) {
    tree.Write(tree.EnergyOf("intel-rapl:0"), Concat(pause * 9'000, "\n"));
    session.LookAt(pause);
    REQUIRE(std::filesystem::file_size(session.path()) <= 16 + kRows * kCounterRowBytes);
  }
  const ProcessProfile process = session.Profile(0, 200);
  const CounterRow* const package = Find(process, "package-0");
  REQUIRE(package != nullptr);
  CHECK(package->samples.size() >= kRows / 2);
  CHECK(package->samples.back().time_ns == session.TimeNs(200));
}

TEST_CASE("a file that repeats the cores of a series has each core once") {
  MachineRows rows;
  const auto add = [&rows](const auto& row) {
    CounterRowBytes bytes;
    std::memcpy(bytes.data(), &row, sizeof(row));
    rows.Add(bytes);
  };
  for (uint16_t number = 0; number < 4'000; ++number) {
    MachineTextRow series = {.time_ns = 1, .number = number, .what = static_cast<uint16_t>(MachineMeasure::kFrequency)};
    std::strcpy(series.text, "0-4095");
    add(series);
    add(MachineValueRow{.time_ns = 10, .count = 1, .series = {number}, .values = {1'000}});
  }
  ProcessProfile process = MainProcess();
  rows.AddTo(1, 100, process);
  CHECK(process.threads[0].markers.size() == 4'096);
}

TEST_CASE("rows that make no sense are left out") {
  MachineRows rows;
  const auto add = [&rows](const auto& row) {
    CounterRowBytes bytes;
    std::memcpy(bytes.data(), &row, sizeof(row));
    rows.Add(bytes);
  };
  CounterRowBytes noise;
  noise.fill(0xff);
  rows.Add(noise);
  add(MachineTextRow{.time_ns = 1, .number = 0, .what = 99});
  add(MachineTextRow{.time_ns = 1, .number = 9'999, .what = 1});
  add(MachineTextRow{.time_ns = 1, .kind = MachineRowKind::kNote, .what = 99});
  add(MachineTextRow{.time_ns = -1, .number = 0, .what = 1});
  add(MachineValueRow{.time_ns = 5, .count = 60'000});  // no series is known
  CHECK(rows.empty());
  MachineTextRow cores = {.time_ns = 1, .number = 0, .what = static_cast<uint16_t>(MachineMeasure::kFrequency)};
  std::memset(cores.text, '9', sizeof(cores.text));  // no zero at the end, and no core
  add(cores);
  add(MachineTextRow{.time_ns = 1, .number = 1, .what = static_cast<uint16_t>(MachineMeasure::kSentBytes)});
  for (const uint64_t value : {uint64_t{7}, UINT64_MAX - 1, uint64_t{5}, uint64_t{9}}) {
    static int64_t time_ns = 10;
    add(MachineValueRow{.time_ns = ++time_ns, .count = 65'535, .series = {0, 1}, .values = {value, value}});
  }
  add(MachineValueRow{.time_ns = 3, .count = 2, .series = {0, 1}, .values = {1, 1}});  // it goes back
  ProcessProfile process = MainProcess();
  rows.AddTo(1, 100, process);
  CHECK(process.threads[0].markers.empty());
  REQUIRE(process.counters.size() == 1);
  CHECK(CountsOf(process.counters[0]) == std::vector<int64_t>{0, 0, 0, 4});
}

}  // namespace
}  // namespace geckoprof
