#include "tools/processed_format/recorded_processes.h"

#include <algorithm>
#include <utility>

#include "absl/container/node_hash_set.h"
#include "absl/strings/str_join.h"
#include "geckoprof/reader/profile_facts.h"
#include "tools/processed_format/ipc_peers.h"
#include "tools/text/concat.h"

namespace geckoprof {

SharedText::SharedText(std::string_view text) {
  static absl::node_hash_set<std::string>& texts = *new absl::node_hash_set<std::string>;
  text_ = &*texts.emplace(text).first;
}

bool HasSamples(const ProcessProfile& process) {
  for (const ThreadRow& thread : process.threads) {
    for (const SampleRow& sample : thread.samples) {
      if (IsSample(sample)) return true;
    }
  }
  return false;
}

std::string CommandText(const ProcessProfile& process, size_t most_bytes) {
  std::string text =
      process.arguments.empty() ? std::string(ProgramName(process)) : absl::StrJoin(process.arguments, " ");
  return text.size() <= most_bytes ? text : Concat(std::string_view(text).substr(0, most_bytes), "...");
}

ProcessFacts ProcessFacts::Of(const ProcessProfile& process) {
  ProcessFacts facts;
  facts.pid = process.pid;
  facts.parent_pid = process.parent_pid;
  facts.pid_namespace = process.pid_namespace;
  facts.pid_space = process.pid_space;
  facts.image = process.image;
  facts.process_start_ticks = process.process_start_ticks;
  const auto vdso = std::ranges::find(process.libraries, "[vdso]", &LibraryRow::path);
  if (vdso != process.libraries.end()) facts.vdso_avma = vdso->start_avma;
  facts.start_epoch_ms = process.start_epoch_ms;
  facts.executable = process.executable;
  facts.exec_ns = process.exec_ns;
  facts.constructor_ns = process.constructor_ns;
  facts.before_exec_ns = process.before_exec_ns;
  facts.start_ns = process.start_ns;
  facts.end_ns = process.end_ns;
  facts.is_separated = process.is_separated;
  facts.sends_messages = std::ranges::any_of(process.marker_types, IsMessageType);
  facts.has_samples = HasSamples(process);
  facts.crash_signal = process.crash.signal;
  facts.exit_status = process.exit.status;
  facts.cpu_ns = process.cpu_ns;
  facts.sampler_cpu_ns = process.sampler_cpu_ns;
  facts.end_reason = process.end_reason;
  facts.command_name = process.command_name;
  facts.command = CommandText(process, kMostCommandBytes);
  const auto main = std::ranges::find_if(process.threads, [](const ThreadRow& thread) { return thread.is_main; });
  const bool has_main = main != process.threads.end();
  facts.main_name = has_main ? std::string_view(main->name) : std::string_view(ProgramName(process));
  facts.ran_to_end = !has_main || main->samples.empty() || main->samples.back().state == SampleState::kRunning;
  facts.problems.assign(process.problems.begin(), process.problems.end());
  return facts;
}

void ProcessFacts::ApplyTo(ProcessProfile& process) const {
  process.pid = pid;
  process.parent_pid = parent_pid;
  process.pid_space = pid_space;
  process.image = image;
  process.start_ns = start_ns;
  process.before_exec_ns = before_exec_ns;
  process.end_reason = *end_reason;
  process.exit.status = exit_status;
  process.problems.clear();
  for (const SharedText& problem : problems) process.problems.push_back(*problem);
}

RecordedProcesses::RecordedProcesses(std::initializer_list<ProcessProfile> processes) {
  for (const ProcessProfile& process : processes) push_back(process);
}

void RecordedProcesses::AddRead(ProcessProfile process, std::string_view folder, std::string_view name, Read read) {
  read_ = read;
  if (held_from_files_ < kMostHeld) {
    ++held_from_files_;
    return push_back(std::move(process));
  }
  if (folders_.empty() || folders_.back() != folder) folders_.emplace_back(folder);
  Row& row = rows_.emplace_back();
  row.facts = ProcessFacts::Of(process);
  row.folder = static_cast<uint32_t>(folders_.size() - 1);
  row.name = name;
}

std::vector<ProcessFacts> RecordedProcesses::TakeAllFacts() {
  std::vector<ProcessFacts> facts;
  facts.reserve(rows_.size());
  for (Row& row : rows_) {
    facts.push_back(row.is_held() ? ProcessFacts::Of(row.held[0]) : std::exchange(row.facts, {}));
  }
  return facts;
}

void RecordedProcesses::SetAllFacts(std::vector<ProcessFacts> facts) {
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].is_held()) {
      facts[i].ApplyTo(rows_[i].held[0]);
    } else {
      rows_[i].facts = std::move(facts[i]);
    }
  }
  loaded_.reset();
}

void RecordedProcesses::Reorder(const std::vector<size_t>& order) {
  std::vector<Row> rows;
  rows.reserve(rows_.size());
  for (const size_t row : order) rows.push_back(std::move(rows_[row]));
  rows_ = std::move(rows);
  loaded_.reset();
}

void RecordedProcesses::AmendAll(Amend amend) {
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].is_held()) amend(i, rows_[i].held[0]);
  }
  amends_.push_back(std::move(amend));
  loaded_.reset();
}

ProcessProfile& RecordedProcesses::Load(size_t row) {
  Row& wanted = rows_[row];
  if (wanted.is_held()) return wanted.held[0];
  if (loaded_.has_value() && loaded_row_ == row) return *loaded_;
  loaded_.reset();  // two at a time are not needed
  loaded_ = read_(Concat(folders_[wanted.folder], "/", wanted.name));
  loaded_row_ = row;
  wanted.facts.ApplyTo(*loaded_);
  for (const Amend& amend : amends_) amend(row, *loaded_);
  return *loaded_;
}

}  // namespace geckoprof
