#include "sampler/module_recorder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"

namespace geckoprof {

void ModuleRecorder::Refresh(int64_t now_ns) {
  const bool any_unloaded = AnyUnloadNoted();
  wanted_ = false;
  // Each list has a time of its own. A library that came and went within a tick was then there for a while.
  now_ns = std::max(now_ns, last_ns_ + 1);
  last_ns_ = now_ns;
  unloads_seen_ = unloads_.load(std::memory_order_acquire);
  const int64_t began_ns = MonotonicNs();
  // An ended main thread has no memory, so its file is empty. The sampler's own file is read in that case. See "The
  // sampler's thread" in design/sampling.md.
  const bool is_there = ReadWholeFile("/proc/self/maps", maps_) == 0 && !maps_.empty();
  if (!is_there && ReadWholeFile("/proc/thread-self/maps", maps_) != 0) return;
  ModuleTable::Changes changes = table_.Refresh(maps_, now_ns);
  // If a library was unloaded, the table may mistake a new library for the old one at the same place.
  if (any_unloaded || AnyUnloadNoted()) wanted_ = table_.DropMistaken(changes);
  std::vector<AddressRange> changed_ranges = std::move(changes.removed_ranges);
  for (const uint32_t id : changes.added) {
    const Module* const module = table_.FindById(id);
    if (module == nullptr) continue;
    metadata_.Module(id, module->mapped_ns(), module->start_avma(), module->end_avma(), module->bias(), module->path(),
                     module->build_id());
    changed_ranges.push_back({module->start_avma(), module->end_avma()});
  }
  for (const uint32_t id : changes.removed) metadata_.ModuleEnd(id, now_ns);
  if (any_unloaded || !changes.removed.empty()) samples_.NoteUnmapped(changed_ranges, now_ns);
  any_news_ = !changed_ranges.empty() || table_.region_count() != region_count_;
  region_count_ = table_.region_count();
  pause_ns_ = std::clamp((MonotonicNs() - began_ns) * kMaxShare, kShortestPauseNs, kUsualPauseNs);
}

bool ModuleRecorder::IsDue(int64_t now_ns) const {
  // An unload makes the list due soon, and an unknown address a little later. Otherwise a second may pass.
  if (AnyUnloadNoted()) return now_ns - last_ns_ >= pause_ns_;
  return wanted_ ? MayBeWanted(now_ns) : now_ns - last_ns_ >= kLongestPauseNs;
}

}  // namespace geckoprof
