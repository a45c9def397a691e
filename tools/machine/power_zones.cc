#include "tools/machine/power_zones.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "geckoprof/config/start_number.h"
#include "tools/machine/cpu_list.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr uint64_t kUjPerJ = 1'000'000;
constexpr uint64_t kMostWatts = 10'000;
constexpr uint64_t kMostUjAtOnce = 10 * kUjPerJ;
constexpr size_t kMostZones = 256;

bool IsDenied(int error) { return error == EACCES || error == EPERM; }

int OpenPerfEvent(uint32_t type, uint64_t config, int cpu) {
  perf_event_attr attributes = {};
  attributes.size = sizeof(attributes);
  attributes.type = type;
  attributes.config = config;
  const long result = syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  return result >= 0 ? static_cast<int>(result) : -errno;
}

// Returns the zone that "intel-rapl:0:1" is a part of, or an empty text.
std::string ParentOf(const std::string& zone) {
  const size_t last = zone.rfind(':');
  const bool is_part = last != std::string::npos && zone.find(':') != last;
  return is_part ? zone.substr(0, last) : "";
}

std::string ControlTypeOf(const std::string& zone) { return zone.substr(0, zone.find(':')); }

// Returns "package-0 core".
std::string LabelOf(const std::string& folder, const std::string& zone) {
  std::string label = FirstLineOf(Concat(folder, "/", zone, "/name"));
  if (label.empty()) label = zone;
  const std::string parent = ParentOf(zone);
  return parent.empty() ? label : Concat(LabelOf(folder, parent), " ", label);
}

std::optional<double> ParseScale(std::string_view text) {
  double scale = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), scale);
  const bool is_sound = error == std::errc() && std::isfinite(scale) && scale > 0 && scale < 1;
  return is_sound ? std::optional(scale) : std::nullopt;
}

// Returns powercap's name of an event.
std::string PartOf(std::string_view event) {
  if (event == "energy-cores") return "core";
  if (event == "energy-ram") return "dram";
  if (event == "energy-gpu") return "uncore";
  return std::string(event.substr(event.find('-') + 1));
}

}  // namespace

MachineRoots MachineRoots::Below(const std::string& folder) {
  return {.sys = folder + "/sys", .proc = folder + "/proc", .open_event = &OpenPerfEvent};
}

PowerZones::PowerZones(const MachineRoots& roots) : events_folder_(roots.sys + "/bus/event_source/devices/power") {
  const std::optional<MachineNote> failure = FindZones(roots.sys + "/class/powercap");
  if (zones_.empty()) FindEvents(roots);
  if (failure.has_value() && events_.empty()) Note(failure->fault, failure->error, failure->detail);
  if (series().empty() && notes().empty()) Note(MachineFault::kNoZones);
}

std::optional<MachineNote> PowerZones::FindZones(const std::string& folder) {
  constexpr std::string_view kAgain = "-mmio";  // the same registers, read on another way
  const std::vector<std::string> names = NamesIn(folder);
  std::set<std::string> labels;
  std::optional<MachineNote> failure;
  for (const bool is_again : {false, true}) {
    for (const std::string& name : names) {
      const std::string path = Concat(folder, "/", name, "/energy_uj");
      if (ControlTypeOf(name).ends_with(kAgain) != is_again || zones_.size() == kMostZones) continue;
      MachineFile energy(path);
      if (energy.error() == ENOENT) continue;  // it limits power, and counts none
      if (energy.error() != 0) {
        if (failure.has_value()) continue;
        const bool is_denied = IsDenied(energy.error());
        failure = {is_denied ? MachineFault::kZonesDenied : MachineFault::kPowerUnreadable, energy.error(), path};
        continue;
      }
      std::string label = LabelOf(folder, name);
      if (!labels.insert(label).second) continue;
      const uint64_t range = NumberOfLine(FirstLineOf(Concat(folder, "/", name, "/max_energy_range_uj")));
      AddSeries(MachineMeasure::kEnergy, std::move(label));
      zones_.push_back(
          {std::move(energy), GrowingCount(range != kNoReading ? range : 0, kMostWatts * kUjPerJ, kMostUjAtOnce)});
    }
  }
  return failure;
}

void PowerZones::FindEvents(const MachineRoots& roots) {
  const uint64_t type = NumberOfLine(FirstLineOf(events_folder_ + "/type"));
  if (type > UINT32_MAX) return;
  const std::vector<int> cpus = ParseCpuList(FirstLineOf(events_folder_ + "/cpumask"));
  for (const int cpu : cpus) {
    for (const std::string& name : NamesIn(events_folder_ + "/events")) {
      const bool is_event = name.starts_with("energy-") && name.find('.') == std::string::npos;
      const bool is_seen = name == "energy-psys" && cpu != cpus.front();
      if (is_event && !is_seen && events_.size() < kMostZones) {
        OpenEvent(roots, name, static_cast<uint32_t>(type), cpu);
      }
    }
  }
}

void PowerZones::OpenEvent(const MachineRoots& roots, const std::string& name, uint32_t type, int cpu) {
  constexpr std::string_view kKey = "event=";
  const std::string path = Concat(events_folder_, "/events/", name);
  const std::string event = FirstLineOf(path);
  const std::optional<double> scale = ParseScale(FirstLineOf(path + ".scale"));
  const std::optional<uint64_t> config =
      event.starts_with(kKey) ? ParseDecimalOrHex(std::string_view(event).substr(kKey.size())) : std::nullopt;
  if (!config.has_value() || !scale.has_value()) return Note(MachineFault::kPowerNonsense, 0, path);
  Fd descriptor(roots.open_event(type, *config, cpu));
  if (!descriptor.ok()) {
    return Note(IsDenied(descriptor.error()) ? MachineFault::kEventsDenied : MachineFault::kPowerUnreadable,
                descriptor.error(), path);
  }
  const std::string package =
      FirstLineOf(Concat(roots.sys, "/devices/system/cpu/cpu", cpu, "/topology/physical_package_id"));
  const std::string zone = Concat("package-", package.empty() ? "0" : package);
  const std::string part = PartOf(name);
  AddSeries(MachineMeasure::kEnergy, part == "pkg" ? zone : part == "psys" ? part : Concat(zone, " ", part));
  events_.push_back({std::move(descriptor), *scale * static_cast<double>(kUjPerJ),
                     GrowingCount(0, kMostWatts * kUjPerJ, kMostUjAtOnce)});
}

uint64_t PowerZones::Add(uint64_t energy_uj, int64_t now_ns, const std::string& path, GrowingCount& count) {
  if (!count.Add(energy_uj, now_ns)) Note(MachineFault::kPowerNonsense, 0, path);
  return count.is_begun() ? count.total() : kNoReading;
}

void PowerZones::Read(int64_t now_ns, std::span<uint64_t> values) {
  size_t row = 0;
  for (Zone& zone : zones_) {
    const uint64_t energy_uj = zone.energy.ReadNumber(now_ns);
    values[row] = kNoReading;
    if (energy_uj != kNoReading) {
      values[row] = Add(energy_uj, now_ns, zone.energy.path(), zone.count);
    } else {
      const bool is_nonsense = zone.energy.error() == EBADMSG;
      Note(is_nonsense ? MachineFault::kPowerNonsense : MachineFault::kPowerUnreadable, zone.energy.error(),
           zone.energy.path());
    }
    ++row;
  }
  for (Event& event : events_) {
    uint64_t raw = 0;
    values[row] = kNoReading;
    if (read(event.descriptor.number(), &raw, sizeof(raw)) == sizeof(raw)) {
      const double energy_uj = std::min(static_cast<double>(raw) * event.uj_per_count, 1e18);
      values[row] = Add(static_cast<uint64_t>(energy_uj), now_ns, events_folder_, event.count);
    } else {
      Note(MachineFault::kPowerUnreadable, errno, events_folder_);
    }
    ++row;
  }
}

}  // namespace geckoprof
