#include "tools/record/process_counters.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <optional>
#include <set>
#include <span>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/control/process_counters.h"
#include "geckoprof/segment/segment_format.h"
#include "tools/record/session_contents.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

template <typename Value>
bool ReadValue(const Fd& file, size_t offset, Value& value) {
  const std::span<uint8_t> bytes(reinterpret_cast<uint8_t*>(&value), sizeof(value));
  return file.ReadAt(offset, bytes) == static_cast<int64_t>(bytes.size());
}

// Returns the namespace of the process's pid, or nothing while the process still makes the segment.
std::optional<uint32_t> ReadPidNamespace(const std::string& segment) {
  const Fd file = Fd::Open(segment.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  char magic[sizeof(kSegmentMagic)];
  uint32_t pid_namespace = 0;
  const bool is_complete = file.ok() && ReadValue(file, offsetof(SegmentHeader, magic), magic) &&
                           memcmp(magic, kSegmentMagic, sizeof(magic)) == 0 &&
                           ReadValue(file, offsetof(SegmentHeader, pid_namespace), pid_namespace);
  return is_complete ? std::optional(pid_namespace) : std::nullopt;
}

}  // namespace

int64_t ProcessCounters::Look() {
  const int64_t begin_cpu_ns = CurrentThreadCpuNs();
  FindProcesses();
  std::vector<ProcessCounterRow> rows;
  for (auto entry = processes_.begin(); entry != processes_.end();) {
    Process& process = entry->second;
    const bool has_ended = process.meter.has_value() && !LookAt(process, rows);
    entry = has_ended ? processes_.erase(entry) : std::next(entry);
  }
  if (!rows.empty()) file_.Append(std::span<const ProcessCounterRow>(rows));
  return ProcessMeter::PauseNsAfter(CurrentThreadCpuNs() - begin_cpu_ns);
}

void ProcessCounters::FindProcesses() {
  DIR* const folder = opendir(path_.c_str());
  if (folder == nullptr) return;
  std::map<std::string, NamespacedPid> segments;
  std::set<NamespacedPid> found;
  std::vector<NamespacedPid> others;
  while (const dirent* const entry = readdir(folder)) {
    SegmentName name;
    if (!name.Parse(entry->d_name)) continue;
    const auto known = segments_.find(entry->d_name);
    const std::optional<NamespacedPid> process =
        known != segments_.end() ? known->second : AddProcess(entry->d_name, name.pid, others);
    if (!process.has_value()) continue;
    segments.emplace(entry->d_name, *process);
    found.insert(*process);
  }
  closedir(folder);
  segments_ = std::move(segments);
  if (!others.empty()) FindOthers(others);
  std::erase_if(processes_, [&](const auto& entry) { return !found.contains(entry.first); });
}

std::optional<NamespacedPid> ProcessCounters::AddProcess(const char* segment, pid_t pid,
                                                         std::vector<NamespacedPid>& others) {
  const std::optional<uint32_t> pid_namespace = ReadPidNamespace(Concat(path_, "/", segment));
  if (!pid_namespace.has_value()) return std::nullopt;
  const NamespacedPid name = namespaces_.NameOf(*pid_namespace, pid);
  const auto [place, is_new] = processes_.try_emplace(name);
  if (!is_new) return name;
  Process& process = place->second;
  process.last.pid = pid;
  process.last.pid_namespace = *pid_namespace;
  if (name.pid_namespace == 0) {
    process.meter.emplace(pid);
  } else {
    others.push_back(name);
  }
  return name;
}

void ProcessCounters::FindOthers(const std::vector<NamespacedPid>& names) {
  std::map<pid_t, NamespacedPid> names_of;
  for (const pid_t pid : ProcessIds()) {
    const auto known = names_.find(pid);
    if (known != names_.end()) {
      names_of.insert(*known);
      continue;
    }
    const std::string folder = Concat("/proc/", pid);
    const uint32_t pid_namespace = PidNamespaces::NumberOf(folder);
    const bool is_ours = namespaces_.IsOurs(pid_namespace);
    names_of.emplace(pid,
                     is_ours ? NamespacedPid(pid) : NamespacedPid(PidNamespaces::InnermostPid(folder), pid_namespace));
  }
  names_ = std::move(names_of);
  for (const auto& [pid, name] : names_) {
    if (name.pid_namespace != 0 && std::ranges::find(names, name) != names.end()) processes_[name].meter.emplace(pid);
  }
}

bool ProcessCounters::LookAt(Process& process, std::vector<ProcessCounterRow>& rows) {
  const ProcessMeter::Look look = process.meter->TakeLook();
  if (look == ProcessMeter::Look::kGone) return false;
  const bool is_changed = look == ProcessMeter::Look::kChanged;
  ProcessCounterRow row = process.last;
  row.time_ns = MonotonicNs();
  if (is_changed) row.usage = process.meter->usage();
  if (is_changed && !process.is_last_written) rows.push_back(process.last);
  if (is_changed) rows.push_back(row);
  process.last = row;
  process.is_last_written = is_changed;
  return true;
}

void ProcessCounterRows::Add(const ProcessCounterRow& row) {
  constexpr int64_t kMostNs = INT64_MAX / 4;
  if (row.pid <= 0 || row.usage.start_ticks == 0 || row.time_ns >= kMostNs) return;
  std::vector<ProcessCounterRow>& process = rows_[{row.pid, row.pid_namespace, row.usage.start_ticks}];
  if (row.time_ns > (process.empty() ? 0 : process.back().time_ns)) process.push_back(row);
}

void ProcessCounterRows::AddTo(ProcessProfile& process) const {
  const auto found = rows_.find({process.pid, process.pid_namespace, process.process_start_ticks});
  if (found == rows_.end()) return;
  const std::vector<ProcessCounterRow>& all = found->second;
  const int64_t begin_ns = std::max(process.start_ns, process.recording_ns);
  const auto first = std::ranges::lower_bound(all, begin_ns, {}, &ProcessCounterRow::time_ns);
  const auto last = std::ranges::upper_bound(first, all.end(), process.end_ns, {}, &ProcessCounterRow::time_ns);
  if (first == last) return;
  // The use before the recording, or by a program that ran earlier in the process, is not counted.
  const ProcessUsage begin = first != all.begin()        ? (first - 1)->usage
                             : process.recording_ns != 0 ? first->usage
                                                         : ProcessUsage{.read_bytes = 0, .written_bytes = 0};
  for (const ProcessCounter& shown : kProcessCounters) {
    CounterRow counter;
    counter.name = shown.name;
    counter.category = shown.category;
    counter.description = shown.description;
    counter.unit = shown.unit;
    counter.is_rate = shown.is_rate;
    counter.parts = shown.parts;
    counter.since_ns = begin_ns;
    // A level is not known before the first row. A rate has begun with the process.
    uint64_t level = (shown.is_rate ? begin : first->usage).*shown.value;
    counter.samples.push_back({begin_ns, static_cast<int64_t>(level), 0});
    bool is_changed = false;
    for (auto row = first; row != last; ++row) {
      const uint64_t value = row->usage.*shown.value;
      if (value == ProcessUsage::kUnknown || (shown.is_rate && value < level)) continue;
      is_changed |= value != level;
      counter.samples.push_back(
          {std::max(row->time_ns, counter.samples.back().time_ns + 1), static_cast<int64_t>(value - level), 0});
      level = value;
    }
    if (process.end_ns > counter.samples.back().time_ns) counter.samples.push_back({process.end_ns, 0, 0});
    if (is_changed) process.counters.push_back(std::move(counter));
  }
}

}  // namespace geckoprof
