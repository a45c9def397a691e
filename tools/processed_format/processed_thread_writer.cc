#include "tools/processed_format/processed_thread_writer.h"

#include <algorithm>

#include "geckoprof/gecko_json/gecko_text.h"
#include "geckoprof/gecko_json/marker_field_writer.h"
#include "geckoprof/gecko_json/state_categories.h"
#include "geckoprof/reader/profile_facts.h"
#include "tools/processed_format/json_column.h"

namespace geckoprof {
namespace {

// This stands in MarkerRow::type for markers that no process recorded.
constexpr int32_t kLockWaitType = -2;
constexpr std::string_view kLockWaitName = "lock wait";

std::string_view TextOf(const ProcessProfile& profile, int32_t string) {
  if (string < 0 || static_cast<size_t>(string) >= profile.strings.size()) return {};
  return profile.strings[static_cast<size_t>(string)];
}

// The viewer names the track of a process after its main thread. The kernel cuts that name to 15 bytes.
std::string_view ThreadName(const ThreadRow& thread, std::string_view process_name) {
  constexpr size_t kLongestKernelName = 15;
  const bool is_cut = thread.name.size() == kLongestKernelName && process_name.starts_with(thread.name);
  if (thread.is_main && (thread.name.empty() || is_cut)) return process_name;
  return thread.name.empty() ? "thread" : std::string_view(thread.name);
}

bool HasStart(const MarkerRow& marker) { return marker.phase != MarkerPhase::kIntervalEnd; }

}  // namespace

std::string ProcessedPid(const ProcessProfile& process) {
  std::string pid = std::to_string(process.pid);
  if (process.pid_space != 0) pid += "@" + std::to_string(process.pid_space);
  if (process.image != 0) pid += "." + std::to_string(process.image);
  return pid;
}

void ProcessedThreadWriter::Write(size_t process, const ThreadRow& thread) {
  const ProcessProfile& profile = session_.processes[process];
  const std::string process_name(ProgramName(profile));
  writer_.StartObject();
  writer_.StringProperty("processType", "default");
  writer_.TimeMsProperty("processStartupTime", profile.start_ns - zero_ns_);
  writer_.Key("processShutdownTime");
  TimeOrNull(profile.end_reason != "alive" && profile.end_ns != 0, profile.end_ns);
  writer_.TimeMsProperty("registerTime", thread.registered_ns - zero_ns_);
  writer_.Key("unregisterTime");
  TimeOrNull(thread.unregistered_ns != 0, thread.unregistered_ns);
  WritePausedRanges(profile);
  writer_.StringProperty("name", ThreadName(thread, process_name));
  writer_.BoolProperty("isMainThread", thread.is_main);
  writer_.StringProperty("processName", process_name);
  writer_.StringProperty("pid", ProcessedPid(profile));
  if (profile.parent_pid != 0) writer_.StringProperty("parentPid", std::to_string(profile.parent_pid));
  writer_.IntProperty("tid", thread.tid);
  if (thread.is_main) writer_.BoolProperty("showMarkersInTimeline", true);
  WriteSamples(Samples(process, thread));

  WriteMarkers(process, thread);
  writer_.EndObject();
}

std::vector<ProcessedThreadWriter::Sample> ProcessedThreadWriter::Samples(size_t process, const ThreadRow& thread) {
  const ProcessProfile& profile = session_.processes[process];
  std::vector<Sample> samples;
  samples.reserve(thread.samples.size());
  int64_t previous_ns = std::min(profile.start_ns, thread.registered_ns) - 1;
  for (const SampleRow& row : thread.samples) {
    const int32_t stack = tables_.SampleStack(process, row.stack, StateLook::Of(row), row.time_ns);
    const uint64_t ticks = IdleRows(row, previous_ns);
    // A row without a stack is no sample: one ahead of the first, one of a gap, and one of a short wait.
    const uint64_t weight = stack == kNone ? 0 : 1;
    Sample last{stack, weight, row};
    if (ticks > 1) {
      Sample first = last;
      first.weight = weight * (ticks - 1);
      first.row.time_ns = row.time_ns - static_cast<int64_t>(ticks - 1) * row.apart_ns;
      first.row.cpu_delta_ns = 0;
      first.row.ready_ns = ReadyBeforeRun(row, ticks);
      samples.push_back(first);
      last.row.cpu_delta_ns = std::max<int64_t>(row.cpu_delta_ns, 0);
      last.row.ready_ns -= first.row.ready_ns;
    }
    samples.push_back(last);
    previous_ns = std::max(previous_ns, row.time_ns);
  }
  return samples;
}

void ProcessedThreadWriter::WriteSamples(const std::vector<Sample>& samples) {
  writer_.StartObjectProperty("samples");
  WriteColumn("stack", samples, writer_, [&](const Sample& sample) { IntOrNull(sample.stack, writer_); });
  WriteColumn("time", samples, writer_, [&](const Sample& sample) { writer_.TimeMs(sample.row.time_ns - zero_ns_); });
  const bool weighted = std::any_of(samples.begin(), samples.end(), [](const Sample& s) { return s.weight != 1; });
  if (weighted) {
    WriteColumn("weight", samples, writer_, [&](const Sample& sample) { writer_.Uint(sample.weight); });
  } else {
    writer_.NullProperty("weight");
  }
  writer_.StringProperty("weightType", "samples");
  if (std::any_of(samples.begin(), samples.end(), [](const Sample& s) { return s.row.cpu_delta_ns >= 0; })) {
    WriteColumn("threadCPUDelta", samples, writer_, [&](const Sample& sample) {
      if (sample.row.cpu_delta_ns >= 0) {
        writer_.Int(sample.row.cpu_delta_ns);
      } else {
        writer_.Null();
      }
    });
  }
  WriteStates(samples);
  writer_.UintProperty("length", samples.size());
  writer_.EndObject();
}

// The columns that other readers do not know. The first says that states are known. Others are left out if they have no
// number that says something.
void ProcessedThreadWriter::WriteStates(const std::vector<Sample>& samples) {
  WriteColumn("state", samples, writer_, [&](const Sample& sample) { writer_.Int(StateNumber(sample.row)); });
  const auto write = [&](std::string_view name, const auto& number_of) {
    const bool is_empty =
        std::all_of(samples.begin(), samples.end(), [&](const Sample& sample) { return number_of(sample.row) == 0; });
    if (is_empty) return;
    WriteColumn(name, samples, writer_, [&](const Sample& sample) { writer_.Int(number_of(sample.row)); });
  };
  write("waitCause", [](const SampleRow& row) { return static_cast<int64_t>(row.cause); });
  write("threadReadyDelta", [](const SampleRow& row) { return row.ready_ns; });
  write("lock", [](const SampleRow& row) {
    return row.lock_address <= INT64_MAX ? static_cast<int64_t>(row.lock_address) : 0;
  });
  write("lockHolder", [](const SampleRow& row) { return int64_t{row.holder_tid}; });
}

// Each column is one walk over the markers, so that no second copy of them is needed. Markers that no process recorded
// follow those of the thread.
void ProcessedThreadWriter::WriteMarkers(size_t process, const ThreadRow& thread) {
  const ProcessProfile& profile = session_.processes[process];
  if (!lock_waits_ || lock_waits_process_ != process) {
    lock_waits_.emplace(&profile);
    lock_waits_process_ = process;
  }
  const std::vector<LockWait> lock_waits = lock_waits_->Find(thread);
  MarkerRow lock_wait;
  lock_wait.phase = MarkerPhase::kInterval;
  lock_wait.category = kNone;
  lock_wait.type = kLockWaitType;
  const auto write_column = [&](std::string_view name, const auto& write_cell) {
    writer_.StartArrayProperty(name);
    for (const MarkerRow& marker : thread.markers) write_cell(marker, nullptr);
    for (const LockWait& wait : lock_waits) {
      lock_wait.start_ns = wait.start_ns;
      lock_wait.end_ns = wait.end_ns;
      write_cell(lock_wait, &wait);
    }
    writer_.EndArray();
  };
  writer_.StartObjectProperty("markers");
  write_column("name", [&](const MarkerRow& marker, const LockWait*) {
    writer_.Uint(tables_.String(marker.type == kLockWaitType ? kLockWaitName : TextOf(profile, marker.name)));
  });
  write_column("startTime",
               [&](const MarkerRow& marker, const LockWait*) { TimeOrNull(HasStart(marker), marker.start_ns); });
  write_column("endTime",
               [&](const MarkerRow& marker, const LockWait*) { TimeOrNull(marker.HasEnd(), marker.end_ns); });
  write_column("phase",
               [&](const MarkerRow& marker, const LockWait*) { writer_.Int(static_cast<int64_t>(marker.phase)); });
  write_column("category", [&](const MarkerRow& marker, const LockWait*) {
    writer_.Int(tables_.Category(process, marker.category));
  });
  write_column("data", [&](const MarkerRow& marker, const LockWait* wait) {
    wait != nullptr ? WriteLockWait(process, *wait) : WriteMarkerData(process, thread, marker);
  });
  writer_.UintProperty("length", thread.markers.size() + lock_waits.size());
  writer_.EndObject();
}

void ProcessedThreadWriter::WriteLockWait(size_t process, const LockWait& wait) {
  writer_.StartObject();
  writer_.StringProperty("type", LockWaitMarkerType().name);
  if (wait.address != 0) writer_.StringProperty("lock", GeckoAddressText(wait.address));
  if (wait.holder != nullptr) {
    writer_.StringProperty("holder", wait.holder->name + " (" + std::to_string(wait.holder->tid) + ")");
    const StateLook running = StateLook::FromNumber(StateLook::kRunning);
    WriteCause(wait.holder->tid, wait.holder_time_ns,
               tables_.SampleStack(process, wait.holder_stack, running, wait.holder_time_ns));
  }
  writer_.EndObject();
}

void ProcessedThreadWriter::WriteCause(int32_t tid, int64_t time_ns, int32_t stack) {
  if (stack == kNone) return;
  writer_.StartObjectProperty("cause");
  writer_.IntProperty("tid", tid);
  writer_.TimeMsProperty("time", time_ns - zero_ns_);
  writer_.IntProperty("stack", stack);
  writer_.EndObject();
}

void ProcessedThreadWriter::WriteMarkerData(size_t process, const ThreadRow& thread, const MarkerRow& marker) {
  const ProcessProfile& profile = session_.processes[process];
  const bool has_type = marker.type >= 0 && static_cast<size_t>(marker.type) < profile.marker_types.size();
  const int32_t stack = tables_.MarkerStack(process, marker.stack, marker.StackTimeNs());
  if (!has_type && stack == kNone) return writer_.Null();
  writer_.StartObject();
  if (has_type) {
    const MarkerTypeRow& type = profile.marker_types[static_cast<size_t>(marker.type)];
    writer_.StringProperty("type", type.name);
    for (const MarkerField& field : marker.fields) WriteMarkerField(profile, field, type);
  } else {
    writer_.StringProperty("type", "NoPayloadUserData");
  }
  WriteCause(marker.stack_tid != 0 ? marker.stack_tid : thread.tid, marker.StackTimeNs(), stack);
  writer_.EndObject();
}

void ProcessedThreadWriter::WriteMarkerField(const ProcessProfile& profile, const MarkerField& field,
                                             const MarkerTypeRow& type) {
  const std::string_view key = TextOf(profile, field.key);
  if (IsReservedMarkerKey(key)) return;
  writer_.Key(key);
  const std::string_view text = TextOf(profile, field.text);
  std::string room;
  if (IsInStringTable(type, key)) return writer_.Uint(tables_.String(TableText(field, text, zero_ns_, &room)));
  WriteMarkerFieldValue(field, text, type, key, zero_ns_, writer_);
}

void ProcessedThreadWriter::WritePausedRanges(const ProcessProfile& profile) {
  writer_.StartArrayProperty("pausedRanges");
  for (const PausedRange& range : profile.paused) {
    writer_.StartObject();
    writer_.TimeMsProperty("startTime", range.start_ns - zero_ns_);
    writer_.Key("endTime");
    TimeOrNull(range.end_ns != 0, range.end_ns);
    writer_.StringProperty("reason", range.reason);
    writer_.EndObject();
  }
  writer_.EndArray();
}

void ProcessedThreadWriter::TimeOrNull(bool known, int64_t time_ns) {
  if (known) {
    writer_.TimeMs(time_ns - zero_ns_);
  } else {
    writer_.Null();
  }
}

}  // namespace geckoprof
