#include "tools/record/capture_triggers.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "geckoprof/base/clock.h"
#include "tools/options/quantity.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

constexpr int64_t kShortestMarkerNs = kNsPerMs, kLongestMarkerNs = 3600 * kNsPerSecond;
constexpr double kMostCpuPercent = 1e6;
constexpr size_t kMostNameBytes = 100;
constexpr uint64_t kLeastResidentBytes = uint64_t{1} << 20;

absl::Status Bad(std::string_view text, std::string_view why) {
  return absl::InvalidArgumentError(Concat("--capture-when: ", text, " ", why));
}

std::string Rounded(double value) { return Concat(static_cast<int64_t>(std::llround(value))); }

// "1.5 s", "612 ms".
std::string DurationText(int64_t ns) {
  const int64_t ms = ns / kNsPerMs;
  if (ns < kNsPerSecond) return Concat(ms, " ms");
  return Concat(ms / 1000, ".", ms / 100 % 10, " s");
}

std::string SizeText(uint64_t bytes) { return Concat(bytes >> 20, " MiB"); }

absl::Status ParseMarker(std::string_view limit, CaptureTrigger& trigger) {
  const std::optional<int64_t> duration_ns = ParseTimeNs(limit);
  const bool is_in_range = duration_ns && *duration_ns >= kShortestMarkerNs && *duration_ns <= kLongestMarkerNs;
  if (!is_in_range) return Bad(trigger.text, "does not end with a time from 1ms to 1h (with ms, s, min or h)");
  trigger.kind = CaptureTrigger::Kind::kMarker;
  trigger.duration_ns = *duration_ns;
  return absl::OkStatus();
}

absl::Status ParseCpu(std::string_view limit, CaptureTrigger& trigger) {
  const std::optional<double> percent = ParsePercent(limit);
  if (!percent || *percent <= 0 || *percent > kMostCpuPercent) {
    return Bad(trigger.text, "does not end with a share such as 90% (100% is one core)");
  }
  trigger.kind = CaptureTrigger::Kind::kCpu;
  trigger.cpu_percent = *percent;
  return absl::OkStatus();
}

absl::Status ParseMemory(std::string_view limit, uint64_t machine_bytes, CaptureTrigger& trigger) {
  const std::optional<double> percent = ParsePercent(limit);
  if (percent && *percent > 0 && *percent < 100) {
    trigger.resident_bytes = static_cast<uint64_t>(static_cast<double>(machine_bytes) * *percent / 100);
  } else if (const std::optional<uint64_t> bytes = ParseSizeBytes(limit); bytes && *bytes >= kLeastResidentBytes) {
    trigger.resident_bytes = *bytes;
  } else {
    return Bad(trigger.text, "does not end with a size of 1MiB or more, or with a share of the memory below 100%");
  }
  trigger.kind = CaptureTrigger::Kind::kMemory;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CaptureTrigger> CaptureTrigger::Parse(std::string_view text, uint64_t machine_bytes) {
  constexpr std::string_view kMarkerNamed = "marker:", kOfOne = "process-";
  CaptureTrigger trigger{.text = std::string(text)};
  if (text == "exit") return trigger;
  const size_t at = text.rfind('>');  // a marker's name may have one
  std::string_view what = text.substr(0, at);
  if (at == std::string_view::npos) {
    // An unquoted '>' is the shell's.
    return Bad(text, "is none of 'marker>TIME', 'marker:NAME>TIME', 'cpu>N%', 'memory>SIZE', exit (quote the >)");
  }
  const std::string_view limit = text.substr(at + 1);
  absl::Status status;
  if (what == "marker") {
    status = ParseMarker(limit, trigger);
  } else if (what.starts_with(kMarkerNamed) && what.size() > kMarkerNamed.size()) {
    trigger.marker_name = what.substr(kMarkerNamed.size());
    status = ParseMarker(limit, trigger);
  } else {
    trigger.is_of_one = what.starts_with(kOfOne);
    if (trigger.is_of_one) what.remove_prefix(kOfOne.size());
    status = what == "cpu"      ? ParseCpu(limit, trigger)
             : what == "memory" ? ParseMemory(limit, machine_bytes, trigger)
                                : Bad(text, "is about none of marker, cpu, process-cpu, memory and process-memory");
  }
  if (!status.ok()) return status;
  return trigger;
}

void AddCause(std::string_view cause, std::string& causes) {
  if (!causes.empty() && !cause.empty()) causes += "; ";
  causes += cause;
}

CaptureTriggers::CaptureTriggers(std::vector<CaptureTrigger> triggers, int64_t pause_ns) : pause_ns_(pause_ns) {
  for (CaptureTrigger& trigger : triggers) {
    using Kind = CaptureTrigger::Kind;
    if (trigger.kind == Kind::kMarker) least_marker_ns_ = std::min(least_marker_ns_, trigger.duration_ns);
    wants_loads_ |= trigger.kind == Kind::kCpu || trigger.kind == Kind::kMemory;
    wants_every_end_ |= trigger.kind == Kind::kExit;
    states_.push_back({std::move(trigger)});
  }
}

bool CaptureTriggers::MayCapture(const State& state, int64_t now_ns) const {
  const bool is_over = state.last_ns == INT64_MIN || now_ns - state.last_ns >= pause_ns_;
  return state.is_armed && is_over && state.captures < kMostCaptures;
}

std::string CaptureTriggers::Fire(State& state, std::string cause, int64_t now_ns) {
  state.last_ns = now_ns;
  ++state.captures;
  if (state.captures == kMostCaptures) cause += Concat(" (the last capture for ", state.trigger.text, ")");
  return cause;
}

std::string CaptureTriggers::OnMarker(const LongMarker& marker, int64_t now_ns) {
  std::string causes;
  for (State& state : states_) {
    const CaptureTrigger& trigger = state.trigger;
    const bool is_meant = trigger.kind == CaptureTrigger::Kind::kMarker && marker.duration_ns > trigger.duration_ns &&
                          (trigger.marker_name.empty() || trigger.marker_name == marker.name);
    if (!is_meant || !MayCapture(state, now_ns)) continue;
    const std::string name = CleanText(std::string_view(marker.name).substr(0, kMostNameBytes));
    const std::string cause =
        Concat("the marker \"", name, "\" of process ", marker.pid, " lasted ", DurationText(marker.duration_ns));
    AddCause(Fire(state, cause, now_ns), causes);
  }
  return causes;
}

std::string CaptureTriggers::OnLoad(const TreeLoad& load, int64_t now_ns) {
  std::string causes;
  for (State& state : states_) {
    const CaptureTrigger& trigger = state.trigger;
    const bool is_of_cpu = trigger.kind == CaptureTrigger::Kind::kCpu;
    if (!is_of_cpu && trigger.kind != CaptureTrigger::Kind::kMemory) continue;
    const auto exceeds = [&](const ProcessLoad& one) {
      return is_of_cpu ? one.cpu_percent > trigger.cpu_percent : one.resident_bytes > trigger.resident_bytes;
    };
    const auto what = [&](const ProcessLoad& one) {
      return is_of_cpu ? Concat("used ", Rounded(one.cpu_percent), "% CPU")
                       : Concat("had ", SizeText(one.resident_bytes), " of resident memory");
    };
    std::string cause;
    if (!trigger.is_of_one && exceeds(load.all)) cause = Concat("the processes ", what(load.all));
    for (const auto& [pid, one] : load.processes) {
      if (trigger.is_of_one && cause.empty() && exceeds(one)) cause = Concat("process ", pid, " ", what(one));
    }
    if (cause.empty()) {
      state.is_armed = true;
    } else if (MayCapture(state, now_ns)) {
      AddCause(Fire(state, std::move(cause), now_ns), causes);
      state.is_armed = false;
    }
  }
  return causes;
}

}  // namespace geckoprof
