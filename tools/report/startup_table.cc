#include "tools/report/startup_table.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/report/cell_text.h"
#include "tools/report/startup_phases.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

using Kind = ReportTable::Kind;
using Cell = ReportTable::Cell;
using PhaseKind = StartupPhase::Kind;

constexpr double kLeastMs = 0.5;

// The start of one process.
struct WholeStart {
  double begin_ms = std::numeric_limits<double>::infinity();
  double main_ms = std::numeric_limits<double>::infinity();
  double named_end_ms = -std::numeric_limits<double>::infinity();
  double last_end_ms = -std::numeric_limits<double>::infinity();

  void Add(const StartupPhase& phase) {
    const double end_ms = phase.start_ms + phase.duration_ms;
    begin_ms = std::min(begin_ms, phase.start_ms);
    if (phase.kind == PhaseKind::kMain) main_ms = std::min(main_ms, phase.start_ms);
    if (phase.kind == PhaseKind::kNamed) named_end_ms = std::max(named_end_ms, end_ms);
    if (phase.kind != PhaseKind::kMain) last_end_ms = std::max(last_end_ms, end_ms);
  }
  double end_ms() const {
    if (named_end_ms > begin_ms) return named_end_ms;
    return main_ms != std::numeric_limits<double>::infinity() ? main_ms : last_end_ms;
  }
  Cell ShareOf(const StartupPhase& phase) const {
    const double whole_ms = end_ms() - begin_ms;
    const bool is_within = phase.kind != PhaseKind::kMain && phase.start_ms + phase.duration_ms <= end_ms();
    return is_within && whole_ms > 0 ? Cell(phase.duration_ms / whole_ms) : Cell();
  }
};

bool IsShort(const StartupPhase& phase) {
  return phase.is_measured && phase.duration_ms < kLeastMs &&
         (phase.kind == PhaseKind::kConstructors || phase.kind == PhaseKind::kLoad);
}

Cell CellOf(std::optional<double> ms) { return ms.has_value() ? Cell(*ms) : Cell(); }

// Takes the short phases out, and returns the note about them, or an empty text.
std::string TakeShort(std::vector<StartupPhase>* phases) {
  size_t count = 0;
  double sum_ms = 0;
  for (const StartupPhase& phase : *phases) {
    if (!IsShort(phase)) continue;
    ++count;
    if (phase.kind == PhaseKind::kConstructors) sum_ms += phase.duration_ms;
  }
  std::erase_if(*phases, IsShort);
  if (count == 0) return "";
  return Concat(count, count == 1 ? " short load or constructor is" : " short loads and constructors are",
                " left out. Their constructors took ", DurationText(sum_ms), " together.");
}

}  // namespace

ReportTable StartupTable(const ProfileModel& model, size_t top) {
  std::vector<StartupPhase> phases = StartupPhasesOf(model);
  std::vector<WholeStart> starts(model.processes.size());
  for (const StartupPhase& phase : phases) starts[static_cast<size_t>(phase.process)].Add(phase);
  const std::string short_note = TakeShort(&phases);
  ReportTable table;
  table.title = "Start";
  table.columns = {{"startMs", "start", Kind::kTimeMs},
                   {"durationMs", "duration", Kind::kMs},
                   {"share", "share", Kind::kShare},
                   {"cpuMs", "CPU", Kind::kMs},
                   {"samples", "samples", Kind::kCount}};
  const bool has_loads = std::ranges::count(phases, PhaseKind::kLoad, &StartupPhase::kind) > 0;
  if (has_loads) {
    table.columns.insert(table.columns.end(), {{"mappingMs", "mapping", Kind::kMs},
                                               {"relocationMs", "relocation", Kind::kMs},
                                               {"constructorsMs", "constructors", Kind::kMs}});
  }
  table.columns.insert(table.columns.end(), {{"pid", "pid", Kind::kText},
                                             {"by", "by", Kind::kText},
                                             {"phase", "phase", Kind::kText},
                                             {"what", "library or program", Kind::kText}});
  table.all_rows = phases.size();
  for (size_t i = 0; i < std::min(top, phases.size()); ++i) {
    const StartupPhase& phase = phases[i];
    const size_t process = static_cast<size_t>(phase.process);
    ReportTable::Row row = {phase.start_ms, phase.duration_ms, starts[process].ShareOf(phase),
                            phase.is_sampled && model.has_cpu_times ? Cell(phase.cpu_ms) : Cell(),
                            phase.is_sampled ? Cell(phase.samples) : Cell()};
    if (has_loads) {
      row.insert(row.end(), {CellOf(phase.mapping_ms), CellOf(phase.relocation_ms), CellOf(phase.constructors_ms)});
    }
    row.insert(row.end(), {Cell(model.processes[process].pid), Cell(phase.is_measured ? "marker" : "samples"),
                           Cell(PhaseName(phase.kind)), Cell(phase.what)});
    table.rows.push_back(std::move(row));
  }
  const auto has = [&phases](PhaseKind kind) {
    return std::any_of(phases.begin(), phases.end(), [kind](const StartupPhase& phase) { return phase.kind == kind; });
  };
  if (!short_note.empty()) table.notes.push_back(short_note);
  if (!has(PhaseKind::kExec)) {
    table.notes.push_back("The time from exec to the profiler's constructor is not in this profile.");
  }
  if (!has(PhaseKind::kMain)) table.notes.push_back("No stack of a main thread shows where main begins.");
  if (!has(PhaseKind::kHandover)) table.notes.push_back("There was no handover between profilers.");
  return table;
}

}  // namespace geckoprof
