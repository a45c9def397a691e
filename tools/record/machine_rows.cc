#include "tools/record/machine_rows.h"

#include <string.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/config/start_features.h"
#include "tools/machine/cpu_list.h"
#include "tools/record/new_marker.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr int64_t kMostNs = INT64_MAX / 4;
constexpr uint64_t kMostValue = uint64_t{1} << 53;  // in pWh it fits into int64_t
constexpr uint16_t kMostSeries = 4096;

// How a profile shows the series of a measure.
struct ShownMeasure {
  MachineMeasure measure;
  uint32_t feature;
  const char* name;  // null: the name of the series
  const char* category;
  const char* unit;
  int64_t parts;
  const char* color;
  const char* description;
};
constexpr char kWaitUnit[] = "ms";  // a viewer shows it as a share of the time
constexpr ShownMeasure kShown[] = {
    {MachineMeasure::kEnergy, kFeaturePower, nullptr, "power", "pWh", 1, "",
     "Energy that this part of the machine used. A package has that of its parts, and psys that of all"},
    {MachineMeasure::kFrequency, kFeatureCpuFreq, nullptr, "", "", 1, "", ""},
    {MachineMeasure::kCpuPressure, kFeatureSystem, "CPU pressure", "Pressure", kWaitUnit, kNsPerUs, "red",
     "Time in which a task of the machine waited for a core"},
    {MachineMeasure::kMemoryPressure, kFeatureSystem, "Memory pressure", "Pressure", kWaitUnit, kNsPerUs, "red",
     "Time in which a task of the machine waited for memory"},
    {MachineMeasure::kMemoryStall, kFeatureSystem, "Memory pressure on all", "Pressure", kWaitUnit, kNsPerUs, "red",
     "Time in which all tasks of the machine waited for memory"},
    {MachineMeasure::kIoPressure, kFeatureSystem, "I/O pressure", "Pressure", kWaitUnit, kNsPerUs, "red",
     "Time in which a task of the machine waited for input or output"},
    {MachineMeasure::kIoStall, kFeatureSystem, "I/O pressure on all", "Pressure", kWaitUnit, kNsPerUs, "red",
     "Time in which all tasks of the machine waited for input or output"},
    {MachineMeasure::kReceivedBytes, kFeatureSystem, "Network received", "Bandwidth", "bytes", 1, "",
     "Bytes that the network interfaces of the machine received"},
    {MachineMeasure::kSentBytes, kFeatureSystem, "Network sent", "Bandwidth", "bytes", 1, "",
     "Bytes that the network interfaces of the machine sent"},
};
static_assert(std::size(kShown) == kLastMachineMeasure);

const ShownMeasure& ShownAs(MachineMeasure measure) { return kShown[static_cast<size_t>(measure) - 1]; }

uint32_t FeatureOf(MachineFault fault) {
  switch (fault) {
    case MachineFault::kNoZones:
    case MachineFault::kZonesDenied:
    case MachineFault::kEventsDenied:
    case MachineFault::kPowerUnreadable:
    case MachineFault::kPowerNonsense:
      return kFeaturePower;
    case MachineFault::kNoFrequencies:
    case MachineFault::kFrequencyUnreadable:
    case MachineFault::kFrequencyNonsense:
      return kFeatureCpuFreq;
    default:
      return kFeatureSystem;
  }
}

// Returns what is missing, and the remedy.
std::string SentenceOf(const MachineNote& note) {
  switch (note.fault) {
    case MachineFault::kNoZones:
      return "This machine has no RAPL zones, as most virtual machines. On others, modprobe intel_rapl_msr (kernel "
             "option CONFIG_INTEL_RAPL)";
    case MachineFault::kZonesDenied:
      return R"(This user may not read the RAPL zones. Permit it by a udev rule: SUBSYSTEM=="powercap", )"
             R"(ACTION=="add", RUN+="/bin/chmod a+r /sys%p/energy_uj", or once by chmod a+r )"
             R"(/sys/class/powercap/*/energy_uj)";
    case MachineFault::kEventsDenied:
      return "This user may not open the perf events of the PMU \"power\". Permit it by CAP_PERFMON, or by sysctl "
             "kernel.perf_event_paranoid=0";
    case MachineFault::kNoFrequencies:
      return "The kernel tells no frequencies of cores, as in most virtual machines. On others, load a driver such as "
             "acpi_cpufreq (kernel option CONFIG_CPU_FREQ)";
    case MachineFault::kNoPressure:
      return "The kernel tells no pressure. It needs the option CONFIG_PSI, and psi=1 on its command line";
    case MachineFault::kNoNetwork:
      return Concat("The bytes of the network are missing, because ", note.detail, " cannot be read (",
                    strerror(note.error), "). It needs a mounted /proc, and the kernel option CONFIG_NET");
    case MachineFault::kPowerUnreadable:
    case MachineFault::kFrequencyUnreadable:
    case MachineFault::kLoadUnreadable:
      return Concat(note.detail, " cannot be read, or not at all times (", strerror(note.error),
                    "). Permit this user to read it, if it is there");
    case MachineFault::kPowerNonsense:
    case MachineFault::kFrequencyNonsense:
    case MachineFault::kLoadNonsense:
      return Concat(note.detail,
                    " has numbers that make no sense, which are left out. Look for a newer kernel or driver");
  }
  return "";
}

MarkerTypeRow SpeedType() {
  MarkerTypeRow type;
  type.name = "CPUSpeed";
  type.description = "The frequency of a core.";
  type.chart_label = type.tooltip_label = type.table_label = "{marker.name}: {marker.data.speed} GHz";
  type.display = {"marker-chart", "marker-table"};
  type.fields = {{"speed", "Frequency (GHz)", "decimal"}};
  type.graphs = {{"speed", "bar", "ink"}};
  return type;
}

// 1 uJ is 2500/9 pWh.
int64_t CountOf(MachineMeasure measure, uint64_t value) {
  return static_cast<int64_t>(measure == MachineMeasure::kEnergy ? value / 9 * 2500 + value % 9 * 2500 / 9 : value);
}

}  // namespace

void MachineRows::Add(const CounterRowBytes& row) {
  const auto text = std::bit_cast<MachineTextRow>(row);
  if (text.no_pid != 0 || text.time_ns <= 0 || text.time_ns >= kMostNs) return;
  if (text.kind == MachineRowKind::kValues) return AddValues(std::bit_cast<MachineValueRow>(row));
  if (text.kind == MachineRowKind::kSeries || text.kind == MachineRowKind::kNote) AddText(text);
}

void MachineRows::AddText(const MachineTextRow& row) {
  const std::string text(row.text, strnlen(row.text, sizeof(row.text)));
  if (row.kind == MachineRowKind::kNote) {
    if (row.what == 0 || row.what > kLastMachineFault) return;
    const auto fault = static_cast<MachineFault>(row.what);
    notes_.insert({fault, {fault, row.number, text}});
    return;
  }
  if (row.what == 0 || row.what > kLastMachineMeasure || row.number >= kMostSeries) return;
  series_.insert({row.number, {static_cast<MachineMeasure>(row.what), text, {}}});
}

void MachineRows::AddValues(const MachineValueRow& row) {
  for (size_t i = 0; i < std::min<size_t>(row.count, MachineValueRow::kMost); ++i) {
    const auto found = series_.find(row.series[i]);
    const uint64_t value = row.values[i];
    if (found == series_.end() || (value > kMostValue && value != kNoReading)) continue;
    std::vector<Point>& points = found->second.points;
    if (points.empty() || row.time_ns > points.back().time_ns) points.push_back({row.time_ns, value});
  }
}

bool MachineRows::Series::HasCounted() const {
  uint64_t first = kNoReading;
  for (const Point& point : points) {
    if (point.value == kNoReading) continue;
    if (first != kNoReading && point.value != first) return true;
    first = point.value;
  }
  return false;
}

uint32_t MachineRows::Features() const {
  uint32_t features = 0;
  for (const auto& [number, series] : series_) features |= ShownAs(series.measure).feature;
  for (const auto& [fault, note] : notes_) features |= FeatureOf(fault);
  return features;
}

std::vector<std::string> MachineRows::Lines() const {
  std::map<uint32_t, std::string> lines;  // by feature
  const auto add = [&lines](uint32_t feature, std::string_view sentence) {
    std::string& line = lines[feature];
    line += Concat(line.empty() ? "" : ". ", sentence);
  };
  for (const auto& [fault, note] : notes_) add(FeatureOf(fault), SentenceOf(note));
  const auto is_zone = [](const auto& entry) { return entry.second.measure == MachineMeasure::kEnergy; };
  const auto zones = std::ranges::count_if(series_, is_zone);
  const bool has_counted =
      std::ranges::any_of(series_, [&](const auto& entry) { return is_zone(entry) && entry.second.HasCounted(); });
  if (zones != 0 && !has_counted && !lines.contains(kFeaturePower)) {
    add(kFeaturePower, Concat("The RAPL zones (", zones,
                              ") did not count, as in most virtual machines. Record on the host, or for longer"));
  }
  std::vector<std::string> result;
  for (const Feature& feature : kFeatureList) {
    const auto line = lines.find(feature.bit);
    if (line != lines.end()) result.push_back(Concat(feature.name, ": ", line->second));
  }
  return result;
}

// The markers of frequencies that were added, and the mean of all cores and times.
class MachineRows::SpeedSums {
 public:
  // Returns false if the core has its frequencies already.
  bool BeginCpu(int cpu) { return ++asked_ <= kMostCpus && cpus_.insert(cpu).second; }
  bool has_all_cpus() const { return asked_ >= kMostCpus; }
  bool is_full() const { return count_ == kMost; }
  void Add(uint64_t mhz, int64_t duration_ns) {
    ++count_;
    least_ = std::min(least_, mhz);
    most_ = std::max(most_, mhz);
    sum_ += static_cast<double>(mhz) * static_cast<double>(duration_ns);
    duration_ns_ += static_cast<double>(duration_ns);
  }
  // Returns "0.80 to 3.50 GHz, 2.26 in the mean", or an empty text.
  std::string Text() const {
    if (count_ == 0) return "";
    const auto mean = static_cast<uint64_t>(sum_ / duration_ns_);
    return Concat(GhzText(least_), " to ", GhzText(most_), " GHz, ", GhzText(mean), " in the mean");
  }

 private:
  static constexpr size_t kMost = 4'000'000;  // later markers are left out
  static constexpr size_t kMostCpus = 8192;   // of all series, so that a damaged file takes little time

  static std::string GhzText(uint64_t mhz) {
    const uint64_t hundredths = mhz / 10;
    return Concat(hundredths / 100, ".", hundredths / 10 % 10, hundredths % 10);
  }

  std::set<int> cpus_;
  size_t asked_ = 0;
  size_t count_ = 0;
  uint64_t least_ = UINT64_MAX, most_ = 0;
  double sum_ = 0, duration_ns_ = 0;
};

void MachineRows::AddTo(int64_t begin_ns, int64_t end_ns, ProcessProfile& process) const {
  for (const Feature& feature : kFeatureList) {
    if ((Features() & feature.bit) != 0) process.features.emplace_back(feature.name);
  }
  SpeedSums speeds;
  for (const auto& [number, series] : series_) {
    if (series.measure == MachineMeasure::kFrequency) {
      AddSpeeds(series, begin_ns, end_ns, speeds, process);
    } else {
      AddCounter(series, begin_ns, end_ns, process);
    }
  }
  process.core_speeds = speeds.Text();
}

void MachineRows::AddCounter(const Series& series, int64_t begin_ns, int64_t end_ns, ProcessProfile& process) {
  constexpr int64_t kRestNs = 250 * kNsPerMs;  // a count that rests has no rows, and the last look comes that soon
  const ShownMeasure& shown = ShownAs(series.measure);
  CounterRow counter;
  counter.name = shown.name != nullptr ? shown.name : series.name;
  counter.category = shown.category;
  counter.description = shown.description;
  counter.unit = shown.unit;
  counter.color = shown.color;
  counter.parts = shown.parts;
  counter.is_rate = true;
  counter.since_ns = begin_ns;
  counter.samples.push_back({.time_ns = begin_ns});
  uint64_t last = kNoReading;
  bool is_changed = false;
  for (const Point& point : series.points) {
    if (point.time_ns - end_ns > kRestNs) break;
    if (point.value == kNoReading) continue;
    const int64_t before = CountOf(series.measure, last != kNoReading ? std::min(last, point.value) : point.value);
    last = point.value;
    const int64_t time_ns = std::min(point.time_ns, end_ns);
    if (time_ns <= counter.samples.back().time_ns) continue;
    counter.samples.push_back({.time_ns = time_ns, .count = CountOf(series.measure, last) - before});
    is_changed |= counter.samples.back().count != 0;
  }
  const bool rests = !series.points.empty() && series.points.back().value != kNoReading &&
                     end_ns - counter.samples.back().time_ns > kRestNs;
  if (rests) counter.samples.push_back({.time_ns = end_ns});
  if (is_changed) process.counters.push_back(std::move(counter));
}

void MachineRows::AddSpeeds(const Series& series, int64_t begin_ns, int64_t end_ns, SpeedSums& sums,
                            ProcessProfile& process) {
  constexpr double kMhzPerGhz = 1000;
  struct Run {
    int64_t from_ns, to_ns;
    uint64_t mhz;
  };
  std::vector<Run> runs;
  for (size_t i = 0, next = 0; i < series.points.size(); i = next) {
    const uint64_t mhz = series.points[i].value;
    next = i + 1;
    while (next < series.points.size() && series.points[next].value == mhz) ++next;
    const int64_t from_ns = std::max(series.points[i].time_ns, begin_ns);
    const int64_t to_ns = std::min(next < series.points.size() ? series.points[next].time_ns : end_ns, end_ns);
    if (mhz != kNoReading && from_ns < to_ns) runs.push_back({from_ns, to_ns, mhz});
  }
  if (runs.empty() || sums.has_all_cpus()) return;
  const MarkerTypeRow type = SpeedType();
  for (const int cpu : ParseCpuList(series.name)) {
    if (!sums.BeginCpu(cpu)) continue;
    NewMarker marker(process, Concat("CPU ", cpu), type, begin_ns);
    marker.Number("speed", 0.0);
    for (const Run& run : runs) {
      if (sums.is_full()) return;
      sums.Add(run.mhz, run.to_ns - run.from_ns);
      marker.BecomeInterval(run.from_ns, run.to_ns, static_cast<double>(run.mhz) / kMhzPerGhz);
      marker.AddTo(MainThread(process));
    }
  }
}

}  // namespace geckoprof
