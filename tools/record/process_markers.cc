#include "tools/record/process_markers.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "geckoprof/gecko_json/gecko_text.h"
#include "tools/processed_format/end_text.h"
#include "tools/record/new_marker.h"
#include "tools/record/unrecorded_processes.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr std::string_view kStart = "process start", kExec = "exec";
constexpr size_t kMostCommandBytes = 1000;  // a list of files says enough in that

MarkerTypeRow ProcessType() {
  MarkerTypeRow type;
  type.name = "geckoprofProcess";
  type.description = "The life of a process: its start, fork, exec and exit.";
  type.chart_label = type.tooltip_label = "{marker.name}";
  type.table_label = "{marker.data.command}{marker.data.end}";
  type.display = {"marker-chart", "marker-table", "timeline-overview"};
  type.fields = {{"command", "Command", "string"},
                 {"process", "Process", "string"},
                 {"parent", "Parent process", "string"},
                 {"end", "End", "string"},
                 {"userTime", "CPU time in the program", "duration"},
                 {"systemTime", "CPU time in the kernel", "duration"},
                 {"peakMemory", "Peak of resident memory", "bytes"}};
  return type;
}

MarkerTypeRow CrashType() {
  MarkerTypeRow type;
  type.name = "geckoprofCrash";
  type.description = "The signal that ended the process. The stack is that of the crash.";
  type.chart_label = type.table_label = "{marker.data.signal}";
  type.tooltip_label = "Crash";
  type.display = {"marker-chart", "marker-table", "timeline-overview"};
  type.fields = {{"signal", "Signal", "string"},
                 {"reason", "Cause", "string"},
                 {"address", "Address", "string"},
                 {"instruction", "Instruction", "string"}};
  return type;
}

ThreadRow& ThreadWith(ProcessProfile& process, int32_t tid) {
  const auto last = std::find_if(process.threads.rbegin(), process.threads.rend(),
                                 [tid](const ThreadRow& thread) { return thread.tid == tid; });
  return last != process.threads.rend() ? *last : MainThread(process);
}

void AddStart(ProcessProfile& process, std::string_view name, int64_t time_ns, std::string_view command) {
  NewMarker marker(process, name, ProcessType(), time_ns);
  marker.Text("command", command);
  if (name != kExec && process.parent_pid > 0) marker.Text("parent", Concat(process.parent_pid));
  marker.AddTo(MainThread(process));
}

void AddExit(ProcessProfile& process) {
  NewMarker marker(process, "exit", ProcessType(), process.end_ns);
  marker.Text("end", EndText(process));
  const ExitRow& exit = process.exit;
  if (exit.user_cpu_ns != 0 || exit.system_cpu_ns != 0) {
    marker.Number("userTime", MarkerFieldKind::kNs, exit.user_cpu_ns);
    marker.Number("systemTime", MarkerFieldKind::kNs, exit.system_cpu_ns);
  }
  if (exit.peak_memory_bytes != 0) {
    marker.Number("peakMemory", MarkerFieldKind::kInteger, static_cast<int64_t>(exit.peak_memory_bytes));
  }
  marker.AddTo(MainThread(process));
}

void AddCrash(ProcessProfile& process) {
  const CrashRow& crash = process.crash;
  NewMarker marker(process, "crash", CrashType(), crash.time_ns);
  marker.Text("signal", Concat(SignalDescription(crash.signal), " (", SignalName(crash.signal), ")"));
  marker.Text("reason", CrashCause(process));
  if (crash.code > 0) marker.Text("address", GeckoAddressText(crash.address));
  marker.Text("instruction", GeckoAddressText(crash.pc));
  marker.Stack(crash.stack);
  marker.AddTo(ThreadWith(process, crash.tid));
}

bool IsOver(const ProcessProfile& process) {
  return process.end_reason == "exited" || process.end_reason == "ended" || process.end_reason.starts_with("killed");
}

int64_t ExecNs(int64_t exec_ns, int64_t start_ns) { return exec_ns != 0 ? exec_ns : start_ns; }

}  // namespace

ProcessMarkers::ProcessMarkers(const RecordedProcesses& processes, int64_t least_ns)
    : least_ns_(least_ns), lives_(processes.size()) {
  std::vector<ProgramStart> programs;
  std::vector<SharedText> commands;
  programs.reserve(processes.size());
  commands.reserve(processes.size());
  absl::flat_hash_set<std::pair<int32_t, uint32_t>> seen;
  processes.VisitFacts([&](size_t row, const ProcessFacts& facts) {
    programs.push_back({facts.pid, facts.start_ns, row, facts.pid_namespace});
    commands.push_back(facts.command);
    lives_[row].is_first = seen.insert({facts.pid, facts.pid_space}).second;
  });
  std::ranges::sort(programs);
  processes.VisitFacts([&](size_t row, const ProcessFacts& facts) {
    if (!lives_[row].is_first) return;
    const int64_t begin_ns = facts.before_exec_ns != 0 ? facts.before_exec_ns : ExecNs(facts.exec_ns, facts.start_ns);
    const ProgramStart* const parent = ProgramAt(programs, facts.parent_pid, begin_ns, facts.pid_namespace);
    if (parent == nullptr) return;
    if (facts.before_exec_ns != 0) lives_[row].parent_command = commands[parent->row];
    lives_[parent->row].forks.push_back({begin_ns, facts.pid, facts.command});
  });
}

void ProcessMarkers::AddTo(size_t row, ProcessProfile& process) const {
  const Life& life = lives_[row];
  const int64_t exec_ns = ExecNs(process.exec_ns, process.start_ns);
  const bool was_forked = life.is_first && process.before_exec_ns != 0;
  // Until its exec the child is its parent's program.
  if (was_forked && process.before_exec_ns >= least_ns_) {
    AddStart(process, kStart, process.before_exec_ns, *life.parent_command);
  }
  if (exec_ns >= least_ns_) {
    AddStart(process, life.is_first && !was_forked ? kStart : kExec, exec_ns, CommandText(process, kMostCommandBytes));
  }
  for (const Fork& fork : life.forks) {
    if (fork.time_ns < least_ns_) continue;
    NewMarker marker(process, "fork", ProcessType(), fork.time_ns);
    marker.Text("command", *fork.child_command);
    marker.Text("process", Concat(fork.child_pid));
    marker.AddTo(MainThread(process));
  }
  if (process.crash.signal != 0) AddCrash(process);
  if (IsOver(process)) AddExit(process);
}

namespace {

MarkerTypeRow LoadingMarkerType() {
  MarkerTypeRow type;
  type.name = "geckoprofDynamicLinker";
  type.description =
      "From the exec system call to the profiler's constructor. The kernel maps the program, and the dynamic linker "
      "maps and relocates its libraries. No samples can be taken in this time. If the time of exec is not known, the "
      "marker begins when the process was seen last before it.";
  type.tooltip_label = "{marker.name}";
  type.display = {"marker-chart", "marker-table", "timeline-overview"};
  return type;
}

}  // namespace

void AddLoadingMarker(ProcessProfile& process) {
  const int64_t begin_ns = process.exec_ns != 0 ? process.exec_ns : process.before_exec_ns;
  const auto main = std::ranges::find_if(process.threads, [](const ThreadRow& thread) { return thread.is_main; });
  if (begin_ns == 0 || process.constructor_ns <= begin_ns || main == process.threads.end()) return;
  MarkerRow marker;
  marker.name = static_cast<int32_t>(process.strings.size());
  process.strings.push_back("exec to constructor (dynamic linker)");
  marker.phase = MarkerPhase::kInterval;
  marker.start_ns = begin_ns;
  marker.end_ns = process.constructor_ns;
  marker.category = kNone;
  marker.type = static_cast<int32_t>(process.marker_types.size());
  process.marker_types.push_back(LoadingMarkerType());
  main->markers.push_back(marker);
}

}  // namespace geckoprof
