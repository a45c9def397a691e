#include "tools/processed_format/processed_thread_writer.h"

#include <algorithm>

#include "geckoprof/gecko_json/gecko_categories.h"
#include "geckoprof/gecko_json/gecko_text.h"
#include "geckoprof/gecko_json/marker_field_writer.h"
#include "geckoprof/reader/profile_facts.h"

namespace geckoprof {
namespace {

// The viewer names the track of a process after its main thread. The kernel cuts that name to 15 bytes.
std::string_view ThreadName(const ThreadRow& thread, std::string_view process_name) {
  constexpr size_t kLongestKernelName = 15;
  const bool is_cut = thread.name.size() == kLongestKernelName && process_name.starts_with(thread.name);
  if (thread.is_main && (thread.name.empty() || is_cut)) return process_name;
  return thread.name.empty() ? "thread" : std::string_view(thread.name);
}

}  // namespace

std::string ProcessedPid(const ProcessProfile& process) {
  std::string pid = std::to_string(process.pid);
  if (process.pid_space != 0) pid += "@" + std::to_string(process.pid_space);
  if (process.image != 0) pid += "." + std::to_string(process.image);
  return pid;
}

void ProcessedThreadWriter::Write(size_t process, const ThreadRow& row) {
  const ProcessProfile& profile = session_.processes[process];
  ProcessedThread thread;
  thread.process_startup_time = TimeAt(profile.start_ns);
  if (profile.end_reason != "alive") thread.process_shutdown_time = TimeUnless0(profile.end_ns);
  thread.register_time = TimeAt(row.registered_ns);
  thread.unregister_time = TimeUnless0(row.unregistered_ns);
  for (const PausedRange& range : profile.paused) {
    thread.paused.push_back({TimeAt(range.start_ns), TimeUnless0(range.end_ns), range.reason});
  }
  thread.process_name = ProgramName(profile);
  thread.name = ThreadName(row, thread.process_name);
  thread.is_main = thread.shows_markers = row.is_main;
  thread.pid = ProcessedPid(profile);
  if (profile.parent_pid != 0) thread.parent_pid = std::to_string(profile.parent_pid);
  thread.tid = row.tid;
  if (!lock_waits_ || process_ != process) {
    lock_waits_.emplace(&profile);
    allocations_.emplace(&profile);
    process_ = process;
  }
  StartThread(thread, writer_);
  WriteSamples(Samples(process, row), FindLoopBlocks(profile, row));
  WriteMarkers(process, row);
  if (row.is_main) WriteAllocations(process);
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
    const uint64_t weight = stack == kNone ? 0 : static_cast<uint64_t>(IntervalsOfRow(profile, row));
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

void ProcessedThreadWriter::WriteSamples(const std::vector<Sample>& samples, const std::vector<LoopBlock>& blocks) {
  const auto fill = [&](SampleColumn column, size_t first_row, std::span<JsonNumber> cells) {
    const auto fill_by = [&](const auto& cell) { FillFromRows(samples, first_row, cells, cell); };
    const auto fill_int = [&](const auto& number_of) {
      fill_by([&](const Sample& sample) { return JsonNumber::Int(number_of(sample.row)); });
    };
    switch (column) {
      case SampleColumn::kStack:
        return fill_by([](const Sample& sample) { return RowCell(sample.stack); });
      case SampleColumn::kTime:
        return fill_by([&](const Sample& sample) { return TimeAt(sample.row.time_ns); });
      case SampleColumn::kWeight:
        return fill_by([](const Sample& sample) { return JsonNumber::Int(static_cast<int64_t>(sample.weight)); });
      case SampleColumn::kEventDelay:
        if (blocks.empty()) return fill_by([](const Sample&) { return JsonNumber::Null(); });
        return fill_by([&](const Sample& sample) { return JsonNumber::TimeMs(DelayNs(blocks, sample.row.time_ns)); });
      case SampleColumn::kCpuDelta:
        return fill_by([](const Sample& sample) {
          return sample.row.cpu_delta_ns < 0 ? JsonNumber::Null() : JsonNumber::Int(sample.row.cpu_delta_ns);
        });
      case SampleColumn::kState:
        return fill_int([](const SampleRow& row) { return StateNumber(row); });
      case SampleColumn::kWaitCause:
        return fill_int([](const SampleRow& row) { return static_cast<int64_t>(row.cause); });
      case SampleColumn::kReadyDelta:
        return fill_int([](const SampleRow& row) { return row.ready_ns; });
      case SampleColumn::kLock:
        return fill_int([](const SampleRow& row) {
          return row.lock_address <= INT64_MAX ? static_cast<int64_t>(row.lock_address) : 0;
        });
      case SampleColumn::kLockHolder:
        return fill_int([](const SampleRow& row) { return row.holder_tid; });
    }
  };
  geckoprof::WriteSamples({samples.size(), /*has_states=*/true}, fill, writer_);
}

// Markers that no process recorded follow those of the thread.
void ProcessedThreadWriter::WriteMarkers(size_t process, const ThreadRow& thread) {
  const std::vector<LockWait> lock_waits = lock_waits_->Find(thread);
  const auto allocations = std::count_if(thread.markers.begin(), thread.markers.end(),
                                         [this](const MarkerRow& marker) { return allocations_->IsOne(marker); });
  const size_t recorded = thread.markers.size() - static_cast<size_t>(allocations);
  auto next = thread.markers.begin();  // to find a row takes a walk over all before it
  const auto skip_allocations = [&] {
    while (next != thread.markers.end() && allocations_->IsOne(*next)) ++next;
  };
  const auto fill = [&](MarkerColumn column, size_t first_row, std::span<JsonNumber> cells) {
    if (first_row == 0) next = thread.markers.begin();
    for (size_t row = first_row; row < first_row + cells.size(); ++row) {
      JsonNumber& cell = cells[row - first_row];
      if (row >= recorded) {
        cell = LockWaitCell(process, lock_waits[row - recorded], column);
        continue;
      }
      skip_allocations();
      cell = MarkerCell(process, *next, column);
      ++next;
    }
  };
  const auto write_data = [&](size_t row) {
    if (row >= recorded) return WriteLockWait(process, lock_waits[row - recorded]);
    if (row == 0) next = thread.markers.begin();
    skip_allocations();
    WriteMarkerData(process, thread, *next);
    ++next;
  };
  geckoprof::WriteMarkers(recorded + lock_waits.size(), fill, write_data, writer_);
}

void ProcessedThreadWriter::WriteAllocations(size_t process) {
  const std::vector<NativeAllocation> rows = allocations_->List();
  if (rows.empty()) return;
  const auto fill = [&](AllocationColumn column, size_t first_row, std::span<JsonNumber> cells) {
    const auto fill_by = [&](const auto& cell) { FillFromRows(rows, first_row, cells, cell); };
    switch (column) {
      case AllocationColumn::kTime:
        return fill_by([&](const NativeAllocation& row) { return TimeAt(row.time_ns); });
      case AllocationColumn::kWeight:
        return fill_by([](const NativeAllocation& row) { return JsonNumber::Int(row.weight); });
      case AllocationColumn::kStack:
        return fill_by(
            [&](const NativeAllocation& row) { return RowCell(tables_.MarkerStack(process, row.stack, row.time_ns)); });
      case AllocationColumn::kAddress:
        return fill_by([](const NativeAllocation& row) { return JsonNumber::Int(static_cast<int64_t>(row.address)); });
      case AllocationColumn::kThread:
        return fill_by([](const NativeAllocation& row) { return JsonNumber::Int(row.tid); });
    }
  };
  WriteNativeAllocations(rows.size(), fill, writer_);
}

JsonNumber ProcessedThreadWriter::MarkerCell(size_t process, const MarkerRow& marker, MarkerColumn column) {
  const auto phase = static_cast<int64_t>(marker.phase);
  switch (column) {
    case MarkerColumn::kName:
      return JsonNumber::Int(tables_.String(session_.processes[process].Text(marker.name)));
    case MarkerColumn::kStartTime:
      return HasStartTime(phase) ? TimeAt(marker.start_ns) : JsonNumber::Null();
    case MarkerColumn::kEndTime:
      return HasEndTime(phase) ? TimeAt(marker.end_ns) : JsonNumber::Null();
    case MarkerColumn::kPhase:
      return JsonNumber::Int(phase);
    case MarkerColumn::kCategory:
      return JsonNumber::Int(tables_.Category(process, marker.category));
  }
  return JsonNumber::Null();
}

JsonNumber ProcessedThreadWriter::LockWaitCell(size_t process, const LockWait& wait, MarkerColumn column) {
  if (column == MarkerColumn::kName) return JsonNumber::Int(tables_.String("lock wait"));
  MarkerRow marker;
  marker.phase = MarkerPhase::kInterval;
  marker.start_ns = wait.start_ns;
  marker.end_ns = wait.end_ns;
  marker.category = kNone;
  return MarkerCell(process, marker, column);
}

void ProcessedThreadWriter::WriteLockWait(size_t process, const LockWait& wait) {
  writer_.StartObject();
  writer_.StringProperty("type", LockWaitMarkerType().name);
  if (wait.address != 0) writer_.StringProperty("lock", GeckoAddressText(wait.address));
  if (wait.holder != nullptr) {
    writer_.StringProperty("holder", wait.holder->name + " (" + std::to_string(wait.holder->tid) + ")");
    const StateLook running = StateLook::FromNumber(StateLook::kRunning);
    WriteCause(JsonNumber::Int(wait.holder->tid), TimeAt(wait.holder_time_ns),
               tables_.SampleStack(process, wait.holder_stack, running, wait.holder_time_ns), writer_);
  }
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
  WriteCause(JsonNumber::Int(marker.stack_tid != 0 ? marker.stack_tid : thread.tid), TimeAt(marker.StackTimeNs()),
             stack, writer_);
  writer_.EndObject();
}

void ProcessedThreadWriter::WriteMarkerField(const ProcessProfile& profile, const MarkerField& field,
                                             const MarkerTypeRow& type) {
  const std::string_view key = profile.Text(field.key);
  if (IsReservedMarkerKey(key)) return;
  writer_.Key(key);
  const std::string_view text = profile.Text(field.text);
  std::string room;
  if (IsInStringTable(type, key)) return writer_.Uint(tables_.String(TableText(field, text, zero_ns_, &room)));
  WriteMarkerFieldValue(field, text, type, key, zero_ns_, writer_);
}

}  // namespace geckoprof
