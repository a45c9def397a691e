#include "tools/record/process_counters.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
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

// Returns whether two rows differ in more than their time.
bool IsChanged(ProcessCounterRow a, const ProcessCounterRow& b) {
  a.time_ns = b.time_ns;
  return memcmp(&a, &b, sizeof(a)) != 0;
}

}  // namespace

uint64_t ThreadSwitches::Look(pid_t pid) {
  if (round_.empty()) {
    const std::string path = Concat("/proc/", pid, "/task");
    std::map<pid_t, uint64_t> alive;
    DIR* const folder = opendir(path.c_str());
    while (const dirent* const entry = folder != nullptr ? readdir(folder) : nullptr) {
      const pid_t tid = atoi(entry->d_name);
      if (tid <= 0) continue;
      round_.push_back(tid);
      const auto known = known_.find(tid);
      alive[tid] = known != known_.end() ? known->second : 0;
    }
    if (folder != nullptr) closedir(folder);
    known_ = std::move(alive);
  }
  for (size_t read = 0; read < kMostThreads && !round_.empty(); ++read) {
    const pid_t tid = round_.back();
    round_.pop_back();
    const uint64_t switches = ReadThreadSwitches(pid, tid).value_or(0);
    uint64_t& known = known_[tid];
    if (switches > known) sum_ += switches - known;
    known = std::max(known, switches);
  }
  return sum_;
}

int64_t ProcessCounters::Look() {
  constexpr int64_t kUsualPauseNs = 10 * kNsPerMs;
  constexpr int64_t kRestShare = 200;
  const int64_t begin_cpu_ns = CurrentThreadCpuNs();
  FindProcesses();
  std::vector<ProcessCounterRow> rows;
  for (auto entry = processes_.begin(); entry != processes_.end();) {
    auto& [pid, process] = *entry;
    const bool has_ended = process.is_asked && !LookAt(pid, process, rows);
    entry = has_ended ? processes_.erase(entry) : std::next(entry);
  }
  if (!rows.empty()) file_.Append(std::span<const ProcessCounterRow>(rows));
  return std::max(kUsualPauseNs, (CurrentThreadCpuNs() - begin_cpu_ns) * kRestShare);
}

void ProcessCounters::FindProcesses() {
  DIR* const folder = opendir(path_.c_str());
  if (folder == nullptr) return;
  std::set<pid_t> found;
  while (const dirent* const entry = readdir(folder)) {
    SegmentName name;
    if (!name.Parse(entry->d_name)) continue;
    found.insert(name.pid);
    if (processes_.contains(name.pid)) continue;
    const std::optional<uint32_t> pid_namespace = ReadPidNamespace(Concat(path_, "/", entry->d_name));
    if (pid_namespace.has_value()) processes_[name.pid].is_asked = namespaces_.IsOurs(*pid_namespace);
  }
  closedir(folder);
  std::erase_if(processes_, [&](const auto& entry) { return !found.contains(entry.first); });
}

bool ProcessCounters::LookAt(pid_t pid, Process& process, std::vector<ProcessCounterRow>& rows) {
  const std::optional<uint64_t> cpu_ns = ReadProcessCpuNs(pid);
  if (!cpu_ns.has_value()) return false;
  ProcessCounterRow row = process.last;
  row.time_ns = MonotonicNs();
  if (*cpu_ns != row.cpu_ns) {
    const std::optional<ProcessUsage> usage = ReadProcessUsage(pid);
    if (!usage.has_value()) return false;
    // Another process has this pid by now.
    if (row.start_ticks != 0 && usage->start_ticks != row.start_ticks) return false;
    row = {.time_ns = MonotonicNs(),
           .pid = pid,
           .thread_count = usage->thread_count,
           .start_ticks = usage->start_ticks,
           .cpu_ns = usage->cpu_ns,
           .resident_bytes = usage->resident_bytes,
           .read_bytes = usage->read_bytes,
           .written_bytes = usage->written_bytes,
           .minor_faults = usage->minor_faults,
           .major_faults = usage->major_faults,
           .switches = process.switches.Look(pid)};
  }
  const bool is_changed = IsChanged(row, process.last);
  if (is_changed && !process.is_last_written) rows.push_back(process.last);
  if (is_changed) rows.push_back(row);
  process.last = row;
  process.is_last_written = is_changed;
  return true;
}

void ProcessCounterRows::Add(const ProcessCounterRow& row) {
  constexpr int64_t kMostNs = INT64_MAX / 4;
  if (row.pid <= 0 || row.start_ticks == 0 || row.time_ns >= kMostNs) return;
  std::vector<ProcessCounterRow>& process = rows_[{row.pid, row.start_ticks}];
  if (row.time_ns > (process.empty() ? 0 : process.back().time_ns)) process.push_back(row);
}

namespace {

// A counter of the file, and how a profile shows it.
struct ShownCounter {
  uint64_t ProcessCounterRow::*value;
  bool is_rate;
  int64_t parts;  // of the unit, that the value counts
  const char* name;
  const char* category;
  const char* unit;
  const char* description;
};
constexpr ShownCounter kShown[] = {
    {&ProcessCounterRow::cpu_ns, true, kNsPerMs, "CPU", "CPU", "ms",
     "CPU time of all threads of the process, with the sampler's"},
    {&ProcessCounterRow::resident_bytes, false, 1, "Resident memory", "Memory", "bytes",
     "Memory of the process that is in RAM"},
    {&ProcessCounterRow::read_bytes, true, 1, "Bytes read", "I/O", "bytes",
     "Bytes that read(2) and alike gave the process, from files, pipes and sockets"},
    {&ProcessCounterRow::written_bytes, true, 1, "Bytes written", "I/O", "bytes",
     "Bytes that the process passed to write(2) and alike, of files, pipes and sockets"},
    {&ProcessCounterRow::minor_faults, true, 1, "Page faults", "Kernel", "", "Page faults without a read from a disk"},
    {&ProcessCounterRow::major_faults, true, 1, "Page faults from disk", "Kernel", "",
     "Page faults that waited for a read from a disk"},
    {&ProcessCounterRow::switches, true, 1, "Context switches", "Kernel", "",
     "How often threads of the process gave up their core, or lost it"},
};

}  // namespace

void ProcessCounterRows::AddTo(ProcessProfile& process) const {
  const auto found = rows_.find({process.pid, process.process_start_ticks});
  if (found == rows_.end()) return;
  const std::vector<ProcessCounterRow>& all = found->second;
  const int64_t begin_ns = std::max(process.start_ns, process.recording_ns);
  const auto first = std::ranges::lower_bound(all, begin_ns, {}, &ProcessCounterRow::time_ns);
  const auto last = std::ranges::upper_bound(first, all.end(), process.end_ns, {}, &ProcessCounterRow::time_ns);
  if (first == last) return;
  // The use before the recording, or by a program that ran earlier in the process, is not counted.
  const ProcessCounterRow begin = first != all.begin()        ? *(first - 1)
                                  : process.recording_ns != 0 ? *first
                                                              : ProcessCounterRow();
  const auto add = [&](const ShownCounter& shown, const auto& value_of) {
    CounterRow counter;
    counter.name = shown.name;
    counter.category = shown.category;
    counter.description = shown.description;
    counter.unit = shown.unit;
    counter.is_rate = shown.is_rate;
    counter.parts = shown.parts;
    counter.since_ns = begin_ns;
    // A level is not known before the first row. A rate has begun with the process.
    uint64_t level = shown.is_rate ? value_of(begin) : value_of(*first);
    counter.samples.push_back({begin_ns, static_cast<int64_t>(level), 0});
    bool is_changed = false;
    for (auto row = first; row != last; ++row) {
      const uint64_t value = value_of(*row);
      if (value == ProcessUsage::kUnknown || (shown.is_rate && value < level)) continue;
      is_changed |= value != level;
      counter.samples.push_back(
          {std::max(row->time_ns, counter.samples.back().time_ns + 1), static_cast<int64_t>(value - level), 0});
      level = value;
    }
    if (process.end_ns > counter.samples.back().time_ns) counter.samples.push_back({process.end_ns, 0, 0});
    if (is_changed) process.counters.push_back(std::move(counter));
  };
  for (const ShownCounter& shown : kShown) {
    add(shown, [&](const ProcessCounterRow& row) { return row.*shown.value; });
  }
  add({nullptr, false, 1, "Threads", "Kernel", "", "Threads of the process, with the sampler's"},
      [](const ProcessCounterRow& row) { return uint64_t{row.thread_count}; });
}

}  // namespace geckoprof
