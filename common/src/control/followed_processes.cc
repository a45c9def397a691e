#include "geckoprof/control/followed_processes.h"

#include <algorithm>
#include <optional>

#include "geckoprof/control/process_state.h"

namespace geckoprof {

FollowedProcesses::FollowedProcesses(pid_t first, uid_t user, std::vector<std::string> settings)
    : first_(first), user_(user), settings_(std::move(settings)) {}

FollowedProcesses::Program FollowedProcesses::ProgramOf(pid_t pid) {
  const std::optional<ProcessState> state = ReadProcessState(pid);
  if (!state.has_value() || !state->Lives()) return {};
  return {state->start_ticks, state->stack_address};
}

void FollowedProcesses::AddChildren() {
  std::vector<pid_t> parents = pids();
  parents.push_back(first_);
  // A child that is new has children of its own.
  while (!parents.empty()) {
    std::vector<pid_t> added;
    for (const pid_t parent : parents) {
      for (const pid_t child : ChildrenOf(parent)) {
        const auto place = std::ranges::lower_bound(processes_, child, {}, &Process::pid);
        if (child == first_ || (place != processes_.end() && place->pid == child)) continue;
        processes_.insert(place, {child, {}, 0, 0});
        added.push_back(child);
      }
    }
    parents = std::move(added);
  }
}

void FollowedProcesses::RemoveEnded() {
  std::erase_if(processes_, [](Process& process) {
    const Program program = ProgramOf(process.pid);
    const bool is_other = process.program.start_ticks != 0 && process.program.start_ticks != program.start_ticks;
    if (program == Program() || is_other) return true;
    if (program != process.program) process = {process.pid, program, kTries, 0};
    return false;
  });
}

void FollowedProcesses::Look(int64_t patience_ns, const Recording& recording) {
  AddChildren();
  RemoveEnded();
  StartNew(patience_ns, recording);
  CatchUp(patience_ns);
}

void FollowedProcesses::StartNew(int64_t patience_ns, const Recording& recording) {
  std::vector<ControllableProcess> to_start;
  std::vector<size_t> rows;
  for (size_t row = 0; row < processes_.size(); ++row) {
    if (processes_[row].tries == 0) continue;
    --processes_[row].tries;
    std::string why;
    std::optional<ControllableProcess> process = ControllableProcess::Find(processes_[row].pid, why);
    if (!process.has_value() || process->user() != user_) continue;
    if (const std::optional<RunningSegment> segment = RunningSegment::Find(*process, why)) {
      processes_[row].tries = 0;
      processes_[row].behind_tries = wanted_.empty() ? 0 : kTries;
      if (recording.found != nullptr) recording.found(recording.context, *process, *segment);
      continue;
    }
    to_start.push_back(*std::move(process));
    rows.push_back(row);
  }
  // The segment of a program that starts is found by the next look.
  const std::vector<ControlAnswer> answers =
      ControllableProcess::Command(to_start, ControlCommand::kStart, settings_, patience_ns);
  for (size_t i = 0; i < answers.size(); ++i) {
    if (answers[i] > ControlAnswer::kUnchanged) processes_[rows[i]].tries = 0;  // it will not
    if (answers[i] == ControlAnswer::kDone && !wanted_.empty()) processes_[rows[i]].behind_tries = kTries;
  }
}

void FollowedProcesses::BringTo(std::vector<ControlCommand> commands, int64_t patience_ns) {
  wanted_ = std::move(commands);
  for (Process& process : processes_) process.behind_tries = kTries;
  CatchUp(patience_ns);
}

void FollowedProcesses::CatchUp(int64_t patience_ns) {
  std::vector<ControllableProcess> behind;
  std::vector<size_t> rows;
  for (size_t row = 0; row < processes_.size(); ++row) {
    if (processes_[row].behind_tries == 0) continue;
    --processes_[row].behind_tries;
    std::string why;
    std::optional<ControllableProcess> process = ControllableProcess::Find(processes_[row].pid, why);
    if (!process.has_value() || process->user() != user_) continue;
    behind.push_back(*std::move(process));
    rows.push_back(row);
  }
  std::vector<bool> is_late(behind.size(), false);
  for (const ControlCommand command : wanted_) {
    const std::vector<ControlAnswer> answers = ControllableProcess::Command(behind, command, {}, patience_ns);
    for (size_t i = 0; i < answers.size(); ++i) is_late[i] = is_late[i] || answers[i] <= ControlAnswer::kTaken;
  }
  for (size_t i = 0; i < behind.size(); ++i) {
    if (!is_late[i]) processes_[rows[i]].behind_tries = 0;
  }
}

std::vector<pid_t> FollowedProcesses::pids() const {
  std::vector<pid_t> found;
  found.reserve(processes_.size());
  for (const Process& process : processes_) found.push_back(process.pid);
  return found;
}

std::vector<ControllableProcess> FollowedProcesses::Find() const {
  std::vector<ControllableProcess> found;
  for (const Process& process : processes_) {
    if (ProgramOf(process.pid).start_ticks != process.program.start_ticks) continue;
    std::string why;
    std::optional<ControllableProcess> one = ControllableProcess::Find(process.pid, why);
    if (one.has_value() && one->user() == user_) found.push_back(*std::move(one));
  }
  return found;
}

size_t FollowedProcesses::Command(ControlCommand command, int64_t patience_ns) const {
  const std::vector<ControllableProcess> processes = Find();
  const std::vector<ControlAnswer> answers = ControllableProcess::Command(processes, command, {}, patience_ns);
  return static_cast<size_t>(
      std::ranges::count_if(answers, [](ControlAnswer answer) { return answer <= ControlAnswer::kTaken; }));
}

}  // namespace geckoprof
