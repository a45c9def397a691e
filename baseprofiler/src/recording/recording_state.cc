#include "recording/recording_state.h"

#include <type_traits>

namespace geckoprof {

void OwnerLink::StateChanged() {
  if (owner() == nullptr) return;
  // The lock may have been waited for, and the owner may have left meanwhile. It is read again.
  RecursiveLockHolder holder(lock_);
  if (const OwnerTable* const told = owner()) told->state_changed(told->context, StateBits());
}

void OwnerLink::NotifySuspension(bool begins) {
  if (owner() == nullptr || !process_.IsThisProcess()) return;
  RecursiveLockHolder holder(lock_);
  const OwnerTable* const told = owner();
  if (told == nullptr || !GECKOPROF_TABLE_HAS(*told, OwnerTable, step_aside) || told->step_aside == nullptr) return;
  told->step_aside(told->context, begins ? 1 : 0);
}

uint32_t OwnerLink::StateBits() const {
  if (ForkSafeState().load(std::memory_order_relaxed) == 0) return 0;
  const uint32_t kinds = pauses_.kinds();
  return kStateActive | ((kinds & static_cast<uint32_t>(PauseKind::kAll)) != 0 ? kStatePaused : 0) |
         ((kinds & static_cast<uint32_t>(PauseKind::kSampling)) != 0 ? kStateSamplingPaused : 0);
}

constinit RecordingState RecordingState::the_state_;
static_assert(std::is_trivially_destructible_v<RecordingState>);

}  // namespace geckoprof
