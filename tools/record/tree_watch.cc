#include "tools/record/tree_watch.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

#include "geckoprof/base/clock.h"
#include "geckoprof/modules/memory_map.h"
#include "geckoprof/segment/segment_format.h"
#include "geckoprof/segment/segment_name.h"
#include "tools/record/process_ends.h"
#include "tools/record/program_inspection.h"
#include "tools/support/process_state.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr size_t kMostPrograms = 20'000;  // that are kept
constexpr ptrdiff_t kMostHandles = 100;   // descriptors of the recorder
// A program that ends sooner may be one that is recorded and had not come to our code.
constexpr int64_t kLeastLifeNs = 100 * kNsPerMs;

// Returns the process's pid as the process itself knows it, as far as that can be found out.
pid_t NamespacedPidOf(pid_t pid) {
  const pid_t innermost = PidNamespaces::InnermostPid(Concat("/proc/", pid));
  return innermost != 0 ? innermost : pid;
}

}  // namespace

TreeWatch::TreeWatch(std::string session, pid_t program, bool with_arguments)
    : session_(std::move(session)), with_arguments_(with_arguments), looked_ns_(MonotonicNs()) {
  live_[program].parent = getpid();
}

int64_t TreeWatch::Look(int64_t now_ns) {
  constexpr int64_t kShortestPauseNs = 10 * kNsPerMs, kLongestPauseNs = 100 * kNsPerMs;
  constexpr int64_t kCandidatePauseNs = 40 * kNsPerMs;  // the CPU time of a candidate is that of the last look
  constexpr int64_t kRestShare = 100;                   // at most one percent of one core
  if (now_ns < due_ns_) return due_ns_ - now_ns;
  const int64_t begin_cpu_ns = CurrentThreadCpuNs();
  std::vector<pid_t> found;
  for (const auto& [pid, process] : live_) found.push_back(pid);
  bool has_news = false;
  for (size_t i = 0; i < found.size(); ++i) {  // it grows meanwhile
    for (const pid_t child : ChildrenOf(found[i])) {
      const auto [entry, is_new] = live_.try_emplace(child);
      if (!is_new) continue;
      entry->second.parent = found[i];
      found.push_back(child);
      has_news = true;
    }
  }
  for (auto entry = live_.begin(); entry != live_.end();) {
    entry = LookAt(entry->first, entry->second, now_ns) ? std::next(entry) : live_.erase(entry);
  }
  looked_ns_ = now_ns;
  const bool has_candidate = std::ranges::any_of(live_, [](const auto& entry) { return entry.second.is_candidate; });
  const int64_t longest_ns = has_candidate ? kCandidatePauseNs : kLongestPauseNs;
  pause_ns_ = has_news ? kShortestPauseNs : std::clamp(2 * pause_ns_, kShortestPauseNs, longest_ns);
  pause_ns_ = std::max(pause_ns_, (CurrentThreadCpuNs() - begin_cpu_ns) * kRestShare);
  due_ns_ = now_ns + pause_ns_;
  return pause_ns_;
}

// Returns false if the process is not there any more.
bool TreeWatch::LookAt(pid_t pid, Process& process, int64_t now_ns) {
  const std::optional<ProcessState> state = ReadProcessState(pid);
  UnrecordedProgram& program = process.program;
  const bool is_known = program.process_start_ticks != 0;
  if (!state.has_value() || (is_known && state->start_ticks != program.process_start_ticks)) {
    CollectEnd(process);
    EndProgram(process);
    return false;
  }
  if (!state->Lives() && !is_known) return true;  // it has no command line any more
  std::string name;
  if (ReadWholeFile(Concat("/proc/", pid, "/comm").c_str(), name) != 0 || name.empty()) return true;
  name.pop_back();  // the end of the line
  // The stack of another user's process is not known, and a process that ends has none any more. Then the name is all
  // that exec changes.
  const bool are_stacks_known = state->stack_address != 0 && process.stack_address != 0;
  const bool is_same =
      is_known && (are_stacks_known ? state->stack_address == process.stack_address : name == program.name);
  if (!is_same && state->Lives()) {
    EndProgram(process);
    const auto parent = live_.find(process.parent);
    process.stack_address = state->stack_address;
    program = {};
    program.process_start_ticks = state->start_ticks;
    program.name = name;
    program.after_ns = is_known ? looked_ns_ : 0;
    program.seen_ns = program.last_ns = now_ns;
    program.is_forked = !is_known && state->stack_address != 0 && parent != live_.end() &&
                        parent->second.stack_address == state->stack_address;
    process.has_segment = process.is_candidate = false;
    process.user_before_ns = is_known ? state->user_cpu_ns : 0;
    process.system_before_ns = is_known ? state->system_cpu_ns : 0;
  }
  if (!process.has_segment && state->Lives()) {
    const pid_t owner = OwnerOfSegment(pid);
    process.has_segment = owner == NamespacedPidOf(pid);
    // A new child maps its parent's segment until our code has run in it, or until exec.
    if (owner != 0 && !process.has_segment) return true;
  }
  if (process.has_segment) {
    process.handle.Close();
    return true;
  }
  // A process in the middle of exec has its new name, but no arguments yet.
  if (!process.is_candidate || program.arguments.empty()) BeginProgram(pid, process, now_ns);
  program.last_ns = now_ns;
  program.user_cpu_ns = state->user_cpu_ns - process.user_before_ns;
  program.system_cpu_ns = state->system_cpu_ns - process.system_before_ns;
  return true;
}

// Takes note of what a program without a segment is, as long as it can be found out.
void TreeWatch::BeginProgram(pid_t pid, Process& process, int64_t now_ns) {
  UnrecordedProgram& program = process.program;
  const std::string folder = Concat("/proc/", pid);
  program.pid = NamespacedPidOf(pid);
  program.pid_namespace = PidNamespaces::NumberOf(folder);
  program.parent_pid = NamespacedPidOf(process.parent);
  std::error_code error;
  program.executable = std::filesystem::read_symlink(folder + "/exe", error).string();
  program.arguments = ReadCommandLine(pid);
  if (!with_arguments_ && program.arguments.size() > 1) program.arguments.resize(1);
  process.is_reason_certain = FindReason(pid, program.reason);
  program.last_ns = now_ns;
  process.is_candidate = true;
  const bool may_open =
      std::ranges::count_if(live_, [](const auto& entry) { return entry.second.handle.ok(); }) < kMostHandles;
  if (may_open && !process.handle.ok()) process.handle = Fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

void TreeWatch::CollectEnd(const Process& process) {
  if (!process.handle.ok()) return;
  const std::optional<int> status = ProcessEnds::StatusOf(process.handle);
  if (status.has_value()) statuses_[namespaces_.NameOf(process.program.pid_namespace, process.program.pid)] = *status;
}

void TreeWatch::CollectEnds() {
  for (const auto& [pid, process] : live_) CollectEnd(process);
}

void TreeWatch::EndProgram(Process& process) {
  if (IsUnrecorded(process) && ended_.size() < kMostPrograms) ended_.push_back(process.program);
  process.is_candidate = false;
}

bool TreeWatch::IsUnrecorded(const Process& process) {
  const bool is_long = process.program.last_ns - process.program.seen_ns >= kLeastLifeNs;
  return process.is_candidate && !process.has_segment && (process.is_reason_certain || is_long);
}

void TreeWatch::Forget(int64_t before_ns) {
  std::erase_if(ended_, [&](const UnrecordedProgram& program) {
    if (program.last_ns >= before_ns) return false;
    statuses_.erase(namespaces_.NameOf(program.pid_namespace, program.pid));
    return true;
  });
}

std::vector<UnrecordedProgram> TreeWatch::Unrecorded() const {
  std::vector<UnrecordedProgram> all = ended_;
  for (const auto& [pid, process] : live_) {
    if (IsUnrecorded(process)) all.push_back(process.program);
  }
  return all;
}

// Returns the pid, in its own namespace, that a segment of the session in the process's memory belongs to, or 0.
pid_t TreeWatch::OwnerOfSegment(pid_t pid) const {
  std::string text;
  if (ReadWholeFile(Concat("/proc/", pid, "/maps").c_str(), text) != 0) return 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    MapsLine line;
    if (!NextMapsLine(rest, line) || !line.path.ends_with(kSegmentSuffix)) continue;
    const size_t slash = line.path.rfind('/');
    const std::string_view folder = line.path.substr(0, slash);
    SegmentName segment;
    if (session_.ends_with(folder.substr(folder.rfind('/'))) && segment.Parse(line.path.substr(slash + 1))) {
      return segment.pid;
    }
  }
  return 0;
}

// Returns true if a program with this reason cannot be a recorded one.
bool TreeWatch::FindReason(pid_t pid, std::string& reason) const {
  const std::string folder = Concat("/proc/", pid);
  const std::optional<uid_t> user = ReadProcessUser(pid);
  if (user.has_value() && *user != geteuid()) {
    reason = Concat("it runs as user ", *user, ", who may not write to the recording of user ", geteuid());
    return true;
  }
  const ElfProgram file = ElfProgram::Read(Concat(folder, "/exe"));
  if (file.kind == ElfProgram::Kind::kElf && file.interpreter.empty()) {
    reason = "it is statically linked";
    return true;
  }
  reason = IsOfSession(folder, session_)
               ? "our library is not in it, or it cannot reach the session directory"
               : "it was started without LD_PRELOAD or the GECKOPROF_ variables, or belongs to another recording";
  return false;
}

}  // namespace geckoprof
