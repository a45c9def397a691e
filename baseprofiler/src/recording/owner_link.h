#ifndef GECKOPROF_BASEPROFILER_RECORDING_OWNER_LINK_H_
#define GECKOPROF_BASEPROFILER_RECORDING_OWNER_LINK_H_

#include <cstdint>

#include "geckoprof/base/recursive_lock.h"
#include "geckoprof/handover/handover_table.h"
#include "process/process_control.h"
#include "recording/pause_log.h"
#include "recording/sampler_control.h"

namespace geckoprof {

// OwnerLink: reports base's actions to the owner of the recording (the full library).
//
//   base's API, hooks  --StateChanged, StepAside-->  OwnerLink  --owner's table-->  libgeckoprofiler.so
//
// The owner's functions run with the lock held. Handover takes the lock to change the owner, so no function of an owner
// runs after its hand-back has returned. The owner is in SamplerControl; without one each call costs a load.
//
// Threads: any, without ProfilerCore's lifecycle lock.
// Context: not signal context.
// Lifetime: static.
class OwnerLink {
 public:
  constexpr OwnerLink(const SamplerControl* control, const PauseLog* pauses, const ProcessIdentity* process)
      : control_(*control), pauses_(*pauses), process_(*process) {}

  // The profiler started, stopped, paused or resumed.
  void StateChanged();
  // The owner ends its own threads before a call that needs a process with one thread (`begins`), and may make them
  // again after the call.
  void NotifySuspension(bool begins);

  // HandoverTable::state: bits of kStateActive, kStatePaused and kStateSamplingPaused.
  uint32_t StateBits() const;

  RecursiveLock& lock() { return lock_; }
  // The parent thread `parent_thread` forked. A lock that another thread held is free again.
  // Called in a forked child.
  void AfterForkInChild(int32_t parent_thread) { lock_.AdoptInForkedChild(parent_thread); }

 private:
  const OwnerTable* owner() const { return control_.owner.load(std::memory_order_acquire); }

  const SamplerControl& control_;
  const PauseLog& pauses_;
  const ProcessIdentity& process_;
  RecursiveLock lock_{LockRank::kOwner};
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_RECORDING_OWNER_LINK_H_
