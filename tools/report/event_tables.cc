#include "tools/report/event_tables.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/report/duration_figures.h"
#include "tools/report/marker_times.h"
#include "tools/report/startup_phases.h"

namespace geckoprof {
namespace {

using Kind = ReportTable::Kind;
using Cell = ReportTable::Cell;

std::vector<ReportTable::Column> DurationColumns() {
  return {{"totalMs", "total time", Kind::kMs},
          {"p50Ms", "p50", Kind::kMs},
          {"p90Ms", "p90", Kind::kMs},
          {"p99Ms", "p99", Kind::kMs},
          {"maxMs", "max", Kind::kMs}};
}

void AddDurations(DurationFigures figures, ReportTable::Row* row) {
  if (!figures.has_durations()) {
    row->resize(row->size() + 5);
    return;
  }
  row->insert(row->end(), {figures.total_ms(), figures.Percentile(50), figures.Percentile(90), figures.Percentile(99),
                           figures.Percentile(100)});
}

}  // namespace

ReportTable MarkerTable(const ProfileModel& model, size_t top, bool by_type) {
  absl::flat_hash_map<int32_t, DurationFigures> sums;
  for (const ProfileThread& thread : model.threads) {
    for (const MarkerTime& time : MarkerTimesOf(thread)) {
      const ProfileMarker& marker = thread.markers[static_cast<size_t>(time.marker)];
      const int32_t type = marker.data == kNoRow ? kNoRow : model.marker_data[static_cast<size_t>(marker.data)].type;
      DurationFigures& sum = sums[by_type ? type : marker.name];
      time.has_duration ? sum.Add(time.end_ms - time.start_ms) : sum.AddInstant();
    }
  }
  const auto name = [&model](int32_t row) {
    return row == kNoRow ? std::string("(no type)") : model.strings[static_cast<size_t>(row)];
  };
  std::vector<std::pair<int32_t, const DurationFigures*>> rows;
  for (const auto& [row, sum] : sums) rows.emplace_back(row, &sum);
  std::sort(rows.begin(), rows.end(), [&name](const auto& a, const auto& b) {
    const std::pair key_a(a.second->total_ms(), a.second->count()), key_b(b.second->total_ms(), b.second->count());
    return key_a != key_b ? key_a > key_b : name(a.first) < name(b.first);
  });
  ReportTable table;
  table.title = by_type ? "Types of markers" : "Markers";
  table.columns = DurationColumns();
  table.columns.insert(table.columns.begin(), {"count", "count", Kind::kCount});
  table.columns.push_back({"name", by_type ? "type" : "marker", Kind::kText});
  table.all_rows = rows.size();
  for (size_t i = 0; i < std::min(top, rows.size()); ++i) {
    ReportTable::Row row = {static_cast<double>(rows[i].second->count())};
    AddDurations(*rows[i].second, &row);
    row.emplace_back(name(rows[i].first));
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReportTable StartupTable(const ProfileModel& model, size_t top) {
  const std::vector<StartupPhase> phases = StartupPhasesOf(model);
  ReportTable table;
  table.title = "Start";
  table.columns = {{"startMs", "start", Kind::kTimeMs},
                   {"durationMs", "duration", Kind::kMs},
                   {"cpuMs", "CPU", Kind::kMs},
                   {"samples", "samples", Kind::kCount},
                   {"pid", "pid", Kind::kText},
                   {"phase", "phase", Kind::kText},
                   {"what", "library or program", Kind::kText}};
  table.all_rows = phases.size();
  for (size_t i = 0; i < std::min(top, phases.size()); ++i) {
    const StartupPhase& phase = phases[i];
    const bool is_sampled = phase.kind != StartupPhase::Kind::kExec && phase.kind != StartupPhase::Kind::kHandover;
    table.rows.push_back(
        {phase.start_ms, phase.duration_ms, is_sampled && model.has_cpu_times ? Cell(phase.cpu_ms) : Cell(),
         is_sampled ? Cell(phase.samples) : Cell(), model.processes[static_cast<size_t>(phase.process)].pid,
         std::string_view(PhaseName(phase.kind)), phase.what});
  }
  const auto has = [&phases](StartupPhase::Kind kind) {
    return std::any_of(phases.begin(), phases.end(), [kind](const StartupPhase& phase) { return phase.kind == kind; });
  };
  if (!has(StartupPhase::Kind::kExec)) {
    table.notes.push_back("The time from exec to the profiler's constructor is not in this profile.");
  }
  if (!has(StartupPhase::Kind::kMain)) table.notes.push_back("No stack of a main thread shows where main begins.");
  if (!has(StartupPhase::Kind::kHandover)) table.notes.push_back("There was no handover between profilers.");
  return table;
}

ReportTable EventTable(const ProfileModel& model, EventTopic topic, size_t top) {
  const bool is_io = topic == EventTopic::kIo;
  const std::vector<EventFigures> all = EventFiguresOf(model, topic);
  ReportTable table;
  table.title = is_io ? "Input and output" : "Allocations";
  table.columns = DurationColumns();
  table.columns.insert(table.columns.begin(), {{"count", "count", Kind::kCount}, {"bytes", "bytes", Kind::kBytes}});
  table.columns.push_back({"source", "source", Kind::kText});
  table.columns.push_back({"name", "name", Kind::kText});
  table.all_rows = all.size();
  constexpr const char* kSources[] = {"marker", "counter", "samples"};
  for (size_t i = 0; i < std::min(top, all.size()); ++i) {
    const EventFigures& figures = all[i];
    ReportTable::Row row = {figures.has_count ? Cell(figures.count) : Cell(),
                            figures.bytes.has_value() ? Cell(*figures.bytes) : Cell()};
    AddDurations(figures.durations, &row);
    row.emplace_back(std::string_view(kSources[static_cast<size_t>(figures.source)]));
    row.emplace_back(figures.name);
    table.rows.push_back(std::move(row));
  }
  if (all.empty()) {
    table.notes.push_back(is_io ? "This profile has no markers or counters of input or output."
                                : "This profile has no markers, counters or samples of allocations.");
  }
  return table;
}

}  // namespace geckoprof
