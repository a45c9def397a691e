#include "tools/report/overhead_table.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "tools/report/cell_text.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

using Kind = ReportTable::Kind;
using Cell = ReportTable::Cell;

// The profiler's own time in one process, or in all. Times are in ms, unless they say us.
struct OverheadSum {
  size_t looks = 0;
  double upkeep_ms = 0, sources_ms = 0, threads_ms = 0;
  double late_us = 0;
  std::vector<float> lateness_us;
  std::optional<double> sampler_ms, handler_ms;
  double recording_ms = 0;

  void Add(const ProfileOverhead& overhead) {
    looks += overhead.looks;
    // The lock is Firefox's, and belongs to the work before the samples.
    upkeep_ms += (overhead.locking.total_us + overhead.upkeep.total_us) / 1000;
    sources_ms += overhead.counters.total_us / 1000;
    threads_ms += overhead.threads.total_us / 1000;
    for (const float us : overhead.lateness_us) late_us += static_cast<double>(us);
    lateness_us.insert(lateness_us.end(), overhead.lateness_us.begin(), overhead.lateness_us.end());
    if (overhead.sampler_ms.has_value()) sampler_ms = sampler_ms.value_or(0) + *overhead.sampler_ms;
    if (overhead.handler_ms.has_value()) handler_ms = handler_ms.value_or(0) + *overhead.handler_ms;
    recording_ms = std::max(recording_ms, overhead.recording_ms);
  }
  // The least lateness that 99 % of the looks do not exceed.
  double LateP99Us() {
    if (lateness_us.empty()) return 0;
    const size_t rank = (lateness_us.size() * 99 + 99) / 100 - 1;
    std::ranges::nth_element(lateness_us, lateness_us.begin() + static_cast<std::ptrdiff_t>(rank));
    return static_cast<double>(lateness_us[rank]);
  }
  double LateMostUs() const { return lateness_us.empty() ? 0 : static_cast<double>(std::ranges::max(lateness_us)); }
  double LateMeanUs() const { return late_us / static_cast<double>(std::max<size_t>(lateness_us.size(), 1)); }
  double KnownMs() const { return sampler_ms.value_or(0) + handler_ms.value_or(0); }

  Cell Share(double ms) const { return recording_ms > 0 && sampler_ms.has_value() ? Cell(ms / recording_ms) : Cell(); }
  ReportTable::Row Cells() {
    const auto late = [this](double us) { return lateness_us.empty() ? Cell() : Cell(us / 1000); };
    const auto known = [](const std::optional<double>& ms) { return ms.has_value() ? Cell(*ms) : Cell(); };
    return {Share(KnownMs()), known(sampler_ms),  known(handler_ms), upkeep_ms,          sources_ms,
            threads_ms,       late(LateMeanUs()), late(LateP99Us()), late(LateMostUs()), static_cast<double>(looks)};
  }
};

OverheadSum SumOfAll(const ProfileModel& model) {
  OverheadSum all;
  for (const ProfileOverhead& overhead : model.overheads) all.Add(overhead);
  all.recording_ms = std::max(all.recording_ms, model.duration_ms);
  return all;
}

}  // namespace

ReportTable OverheadTable(const ProfileModel& model, size_t top) {
  ReportTable table;
  table.title = "The profiler's own time";
  table.columns = {{"share", "of a core", Kind::kShare},
                   {"samplerMs", "sampler", Kind::kMs},
                   {"handlerMs", "handlers", Kind::kMs},
                   {"upkeepMs", "upkeep", Kind::kMs},
                   {"sourcesMs", "counters", Kind::kMs},
                   {"threadsMs", "samples", Kind::kMs},
                   {"lateMeanMs", "late, mean", Kind::kMs},
                   {"lateP99Ms", "99 %", Kind::kMs},
                   {"lateMaxMs", "most", Kind::kMs},
                   {"looks", "looks", Kind::kCount},
                   {"pid", "pid", Kind::kText},
                   {"name", "process", Kind::kText}};
  const auto add = [&table](OverheadSum sum, std::string_view pid, std::string_view name) {
    ReportTable::Row row = sum.Cells();
    row.emplace_back(pid);
    row.emplace_back(name);
    table.rows.push_back(std::move(row));
  };
  if (model.overheads.size() > 1) add(SumOfAll(model), "", "all processes");
  std::vector<const ProfileOverhead*> sorted;
  for (const ProfileOverhead& overhead : model.overheads) sorted.push_back(&overhead);
  std::ranges::stable_sort(sorted, std::greater(), [](const ProfileOverhead* overhead) {
    return overhead->sampler_ms.value_or(0) + overhead->handler_ms.value_or(0);
  });
  table.all_rows = table.rows.size() + sorted.size();
  if (sorted.size() > top) sorted.resize(top);
  for (const ProfileOverhead* const overhead : sorted) {
    OverheadSum sum;
    sum.Add(*overhead);
    const ProfileProcess& process = model.processes[static_cast<size_t>(overhead->process)];
    add(std::move(sum), process.pid, process.name);
  }
  if (model.overheads.empty()) {
    table.notes.push_back("The file does not say what the profiler itself took.");
    return table;
  }
  table.notes.push_back(
      "\"sampler\" is CPU time of the profiler's thread. \"upkeep\", \"counters\" and \"samples\" are the wall time of "
      "its phases.");
  table.notes.push_back(
      "The kernel's part of each sample in the program's threads is not in these numbers (docs/performance.md).");
  if (std::string text = LongerIntervalText(model); !text.empty()) table.notes.push_back(std::move(text));
  return table;
}

std::string OverheadText(const ProfileModel& model) {
  OverheadSum all = SumOfAll(model);
  if (!all.sampler_ms.has_value() || all.recording_ms <= 0) return "";
  std::string text =
      Concat(PercentText(all.KnownMs(), all.recording_ms), " of a core: sampler ", DurationText(*all.sampler_ms),
             ", signal handlers ", DurationText(all.handler_ms.value_or(0)));
  if (!all.lateness_us.empty()) {
    text += Concat("; looks late by ", DurationText(all.LateMeanUs() / 1000), " on average, ",
                   DurationText(all.LateMostUs() / 1000), " at most");
  }
  return text;
}

std::string LongerIntervalText(const ProfileModel& model) {
  std::string text;
  size_t others = 0;
  for (const ProfileSection& section : model.sections) {
    for (const ProfileSection::Entry& entry : section.entries) {
      if (!entry.value.starts_with(kLongerIntervalProblem)) continue;
      if (text.empty()) {
        text = entry.value;
      } else {
        ++others;
      }
    }
  }
  if (others > 0) text += Concat(", and so in ", others, others == 1 ? " other process" : " other processes");
  return text;
}

}  // namespace geckoprof
