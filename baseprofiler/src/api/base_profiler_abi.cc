#include "baseprofiler/base_profiler_abi.h"

#include <string_view>

#include "core/process_end.h"
#include "core/profiler_core.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/text_builder.h"
#include "process/process_control.h"
#include "process/process_title.h"
#include "recording/recording_state.h"
#include "runtime/exported_function.h"

namespace geckoprof {
namespace {

int Changed(bool changed) {
  if (changed) RecordingState::Get().owner_link().StateChanged();
  return changed ? 1 : 0;
}

}  // namespace
}  // namespace geckoprof

using geckoprof::Changed;
using geckoprof::ProfilerCore;
using geckoprof::RecordingState;

GECKOPROF_EXPORT int geckoprof_base_start(uint64_t capacity_bytes, int64_t interval_ns, uint32_t features,
                                          const char* const* filters, uint32_t filter_count, int64_t duration_ns) {
  if (features == 0) features = geckoprof::kDefaultFeatures;
  geckoprof::RegisterExitHooks();
  const auto result = ProfilerCore::Get().Start(
      geckoprof::HandoverParameters{sizeof(geckoprof::HandoverParameters), features, capacity_bytes, interval_ns,
                                    duration_ns, filters, filter_count, features});
  RecordingState::Get().owner_link().StateChanged();
  return static_cast<int>(result);
}

GECKOPROF_EXPORT int geckoprof_base_stop(void) { return Changed(ProfilerCore::Get().Stop()); }
GECKOPROF_EXPORT int geckoprof_base_pause(void) { return Changed(ProfilerCore::Get().Pause()); }
GECKOPROF_EXPORT int geckoprof_base_resume(void) { return Changed(ProfilerCore::Get().Resume()); }
GECKOPROF_EXPORT int geckoprof_base_pause_sampling(void) {
  return Changed(ProfilerCore::Get().SetPaused(geckoprof::PauseKind::kSampling, true));
}
GECKOPROF_EXPORT int geckoprof_base_resume_sampling(void) {
  return Changed(ProfilerCore::Get().SetPaused(geckoprof::PauseKind::kSampling, false));
}
GECKOPROF_EXPORT uint32_t geckoprof_base_state(void) { return static_cast<uint32_t>(RecordingState::Get().state()); }
GECKOPROF_EXPORT void geckoprof_base_set_process_name(const char* name) {
  const RecordingState& state = RecordingState::Get();
  // In the child of a vfork the call would name the parent.
  if (!state.IsThisProcess()) return;
  geckoprof::ProcessNameOverride::Get().Set(name);
  const geckoprof::Segment* const segment = state.SegmentOfRecording();
  if (segment != nullptr) geckoprof::ProcessNameOverride::Get().WriteTo(*segment);
}

GECKOPROF_EXPORT int64_t geckoprof_base_now(void) { return geckoprof::MonotonicNs(); }
GECKOPROF_EXPORT int64_t geckoprof_base_process_start(void) { return ProfilerCore::Get().ProcessStartNs(); }
GECKOPROF_EXPORT uint32_t geckoprof_base_available_features(void) { return geckoprof::kBaseFeatures; }

GECKOPROF_EXPORT void geckoprof_base_register_thread(const char* name) {
  geckoprof::ThreadSlot* const slot = RecordingState::Get().slots().Current();
  if (slot == nullptr) return;
  if (slot->registrations.fetch_add(1, std::memory_order_relaxed) == 0) {
    slot->SetName(name != nullptr ? name : "");
    RecordingState::Get().AnnounceName();
  }
}

GECKOPROF_EXPORT void geckoprof_base_unregister_thread(void) {
  geckoprof::ThreadSlot* const slot = RecordingState::Get().slots().Current();
  if (slot == nullptr) return;
  const uint32_t count = slot->registrations.load(std::memory_order_relaxed);
  if (count > 0) slot->registrations.store(count - 1, std::memory_order_relaxed);  // excess calls do no harm
}

GECKOPROF_EXPORT int64_t geckoprof_base_thread_registration(char* name, uint32_t name_bytes) {
  const geckoprof::ThreadSlot* const slot = RecordingState::Get().slots().Known();
  if (slot == nullptr || slot->registrations.load(std::memory_order_relaxed) == 0) return 0;
  char known[geckoprof::ThreadSlot::kNameBytes] = {};
  slot->CopyName(known);
  if (name != nullptr && name_bytes != 0) geckoprof::TextBuilder(name, name_bytes).Text(known);
  return slot->published_ns;
}
