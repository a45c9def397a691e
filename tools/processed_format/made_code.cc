#include "tools/processed_format/made_code.h"

#include <algorithm>

namespace geckoprof {
namespace {

constexpr int kMaxForks = 64;  // that a look-up goes back

// A forked child has the kernel's library where the parent has it. In a program that was started it is at another
// place, which the kernel picks at random.
bool HasMemoryOf(const ProcessFacts& child, const ProcessFacts& parent) {
  return child.executable == parent.executable && child.vdso_avma != 0 && child.vdso_avma == parent.vdso_avma;
}

}  // namespace

MadeCode::MadeCode(const RecordedSession& session) : held_files_(session.held_files), processes_(session.processes) {}

const MadeCode::Process& MadeCode::Read(size_t process) {
  const auto [known, is_new] = read_.try_emplace(process);
  Process& row = known->second;
  if (!is_new) return row;
  const ProcessFacts facts = processes_.FactsOf(process);
  row.start_ns = facts.start_ns;
  row.parent = ParentOf(process, facts);
  const std::deque<HeldJitFile>* const held =
      held_files_ != nullptr ? held_files_->FindJitFiles({facts.pid, facts.pid_namespace}) : nullptr;
  const auto add = [&row](std::unique_ptr<JitMap> map) {
    if (map != nullptr) row.maps.push_back(std::move(map));
  };
  bool has_perf_map = false;
  if (held != nullptr) {
    for (const HeldJitFile& file : *held) {
      if (file.growth.empty()) add(JitMap::OfFile(file.file));
    }
    for (const HeldJitFile& file : *held) {
      if (file.growth.empty()) continue;
      has_perf_map = true;
      add(JitMap::OfFile(file.file, file.growth));
    }
  }
  // Java writes its map when it ends.
  constexpr double kMsPerS = 1000;
  if (!has_perf_map) add(JitMap::OfProcess(facts.pid, static_cast<int64_t>(facts.start_epoch_ms / kMsPerS)));
  return row;
}

size_t MadeCode::ParentOf(size_t row, const ProcessFacts& child) {
  if (child.image != 0) return kNoProcess;
  if (by_pid_.empty()) {
    processes_.VisitFacts([this](size_t each, const ProcessFacts& facts) { by_pid_.emplace_back(facts.pid, each); });
    std::ranges::sort(by_pid_);
  }
  const auto first = std::ranges::lower_bound(by_pid_, std::pair(child.parent_pid, size_t{0}));
  for (auto each = first; each != by_pid_.end() && each->first == child.parent_pid; ++each) {
    const size_t parent = each->second;
    const ProcessFacts facts = processes_.FactsOf(parent);
    const bool is_older = parent != row && facts.start_ns <= child.start_ns;
    if (is_older && facts.pid_space == child.pid_space && HasMemoryOf(child, facts)) return parent;
  }
  return kNoProcess;
}

std::string_view MadeCode::Find(size_t process, uint64_t avma, int64_t time_ns) {
  std::string_view later;  // than the time, which counts where nothing else is known
  for (int forks = 0; process != kNoProcess && forks < kMaxForks; ++forks) {
    const Process& row = Read(process);
    for (const std::unique_ptr<JitMap>& map : row.maps) {
      const JitMap::Function found = map->Find(avma, time_ns);
      if (!found.name.empty() && !found.came_later) return found.name;
      if (later.empty()) later = found.name;
    }
    time_ns = std::min(time_ns, row.start_ns);
    process = row.parent;
  }
  return later;
}

bool MadeCode::MayChange(size_t process, uint64_t avma) {
  // Code of the process's own may replace what it has from its parent.
  std::string_view known;
  for (int forks = 0; process != kNoProcess && forks < kMaxForks; ++forks) {
    const Process& row = Read(process);
    for (const std::unique_ptr<JitMap>& map : row.maps) {
      if (map->HasSeveral(avma)) return true;
      const std::string_view name = map->Find(avma).name;
      if (!known.empty() && !name.empty() && name != known) return true;
      if (!name.empty()) known = name;
    }
    process = row.parent;
  }
  return false;
}

}  // namespace geckoprof
