#include "tools/record/machine_counters.h"

#include <stdlib.h>

#include <algorithm>
#include <span>
#include <string>

#include "geckoprof/base/clock.h"
#include "geckoprof/config/start_features.h"
#include "tools/machine/cpu_frequencies.h"
#include "tools/machine/power_zones.h"
#include "tools/machine/system_load.h"

namespace geckoprof {
namespace {

MachineTextRow TextRow(int64_t now_ns, MachineRowKind kind, size_t number, uint16_t what, const std::string& text) {
  MachineTextRow row = {.time_ns = now_ns, .kind = kind, .number = static_cast<uint16_t>(number), .what = what};
  text.copy(row.text, sizeof(row.text) - 1);
  return row;
}

}  // namespace

MachineRoots MachineRootsNow() {
  const char* const folder = getenv("GECKOPROF_MACHINE_ROOT");
  return MachineRoots::Below(folder != nullptr ? folder : "");
}

// Collects values of one time, and writes them in full rows.
class MachineCounters::RowBuilder {
 public:
  RowBuilder(int64_t time_ns, CounterFile& file) : file_(file) { row_.time_ns = time_ns; }
  void Add(size_t series, uint64_t value) {
    row_.series[row_.count] = static_cast<uint16_t>(series);
    row_.values[row_.count++] = value;
    if (row_.count == MachineValueRow::kMost) Finish();
  }
  void Finish() {
    if (row_.count != 0) file_.Append(std::span<const MachineValueRow>(&row_, 1));
    row_.count = 0;
  }

 private:
  CounterFile& file_;
  MachineValueRow row_;
};

MachineCounters::MachineCounters(uint32_t features, const MachineRoots& roots, CounterFile& file) : file_(file) {
  if ((features & kFeaturePower) != 0) sources_.push_back({std::make_unique<PowerZones>(roots)});
  if ((features & kFeatureCpuFreq) != 0) sources_.push_back({std::make_unique<CpuFrequencies>(roots)});
  if ((features & kFeatureSystem) != 0) sources_.push_back({std::make_unique<SystemLoad>(roots)});
  const int64_t now_ns = MonotonicNs();
  for (Source& source : sources_) {
    source.first_series = values_.size();
    for (const MachineSeries& series : source.source->series()) {
      const auto measure = static_cast<uint16_t>(series.measure);
      file_.AppendKept(TextRow(now_ns, MachineRowKind::kSeries, values_.size(), measure, series.name));
      values_.push_back(kNoReading);
      is_count_.push_back(series.measure != MachineMeasure::kFrequency);
    }
  }
  last_ = values_;
  is_last_written_.resize(values_.size());
}

int64_t MachineCounters::Look(int64_t now_ns) {
  if (sources_.empty()) return INT64_MAX;
  if (now_ns >= due_ns_) LookNow(now_ns);
  return due_ns_ - now_ns;
}

void MachineCounters::LookNow(int64_t now_ns) {
  constexpr int64_t kUsualPauseNs = 50 * kNsPerMs;
  constexpr int64_t kRestShare = 200;
  if (sources_.empty() || now_ns <= last_ns_) return;
  const int64_t begin_cpu_ns = CurrentThreadCpuNs();
  for (const Source& source : sources_) {
    source.source->Read(now_ns, std::span(values_).subspan(source.first_series, source.source->series().size()));
  }
  WriteNotes(now_ns);
  WriteValues(now_ns);
  due_ns_ = now_ns + std::max(kUsualPauseNs, (CurrentThreadCpuNs() - begin_cpu_ns) * kRestShare);
}

void MachineCounters::WriteNotes(int64_t now_ns) {
  for (Source& source : sources_) {
    const std::vector<MachineNote>& notes = source.source->notes();
    for (; source.known_notes < notes.size(); ++source.known_notes) {
      const MachineNote& note = notes[source.known_notes];
      const auto error = static_cast<size_t>(std::max(note.error, 0));
      file_.AppendKept(TextRow(now_ns, MachineRowKind::kNote, error, static_cast<uint16_t>(note.fault), note.detail));
    }
  }
}

void MachineCounters::WriteValues(int64_t now_ns) {
  constexpr int64_t kAllPauseNs = 10 * kNsPerSecond;
  const bool is_all_due = now_ns >= all_due_ns_;
  if (is_all_due) all_due_ns_ = now_ns + kAllPauseNs;
  RowBuilder before(last_ns_, file_), now(now_ns, file_);
  for (size_t i = 0; i < values_.size(); ++i) {
    const bool is_changed = values_[i] != last_[i];
    if (is_changed && is_count_[i] && !is_last_written_[i] && last_ns_ != 0) before.Add(i, last_[i]);
  }
  before.Finish();
  for (size_t i = 0; i < values_.size(); ++i) {
    const bool is_written = values_[i] != last_[i] || (is_all_due && values_[i] != kNoReading);
    is_last_written_[i] = is_written;
    if (is_written) now.Add(i, values_[i]);
  }
  now.Finish();
  last_ = values_;
  last_ns_ = now_ns;
}

}  // namespace geckoprof
