#include "sampler/module_recorder.h"

#include <utility>

#include "geckoprof/base/fd.h"

namespace geckoprof {

std::span<const AddressRange> ModuleRecorder::Refresh(int64_t now_ns) {
  wanted_ = false;
  last_ns_ = now_ns;
  // Not /proc/self, the main thread's: it may have ended, and has no memory then.
  if (ReadWholeFile("/proc/thread-self/maps", maps_) != 0) return {};
  ModuleTable::Changes changes = table_.Refresh(maps_, now_ns);
  for (const uint32_t id : changes.added) {
    const Module* const module = table_.FindById(id);
    if (module == nullptr) continue;
    metadata_->Module(id, module->mapped_ns(), module->start_avma(), module->end_avma(), module->bias(), module->path(),
                      module->build_id());
  }
  for (const uint32_t id : changes.removed) metadata_->ModuleEnd(id, now_ns);
  removed_ranges_ = std::move(changes.removed_ranges);
  return removed_ranges_;
}

std::span<const AddressRange> ModuleRecorder::RefreshIfNeeded(int64_t now_ns, bool unload_noted) {
  wanted_ = wanted_ || unload_noted;
  const int64_t since = now_ns - last_ns_;
  if (since < (wanted_ ? kShortestPauseNs : kLongestPauseNs)) return {};
  return Refresh(now_ns);
}

}  // namespace geckoprof
