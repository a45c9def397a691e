#ifndef GECKOPROF_BASEPROFILER_RECORDING_RECORDING_STATE_H_
#define GECKOPROF_BASEPROFILER_RECORDING_RECORDING_STATE_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/base/ids.h"
#include "geckoprof/base/recursive_lock.h"
#include "geckoprof/handover/handover_table.h"
#include "geckoprof/segment/segment.h"
#include "geckoprof/threads/thread_slot.h"
#include "process/process_control.h"
#include "recording/pause_log.h"
#include "recording/sampler_control.h"
#include "recording/thread_slots.h"
#include "stacks/stack_bounds.h"

namespace geckoprof {

// OwnerLink: reports base's actions to the owner of the recording (the full library).
//
//   base's API, hooks  --StateChanged, NotifySuspension-->  OwnerLink  --owner's table-->  libgeckoprofiler.so
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

enum class ProfilerState : uint32_t { kInactive = 0, kActive = 1, kPaused = 2, kSamplingPaused = 3 };

// The process as it was when the loader called base's constructor.
struct ProcessStart {
  uintptr_t stack_high = 0;      // the end of the main thread's stack, as far as frames go
  int64_t constructor_ns = 0;    // on CLOCK_MONOTONIC
  uintptr_t syscall_return = 0;  // CaptureTable::own_syscall_return
};

// RecordingState: the state of the current recording, with its segment and its threads.
//
//   ProfilerCore (lifecycle)  --writes-->  RecordingState  <--reads--  markers, labels, counters, C API, sampler
//
// It holds no policy and starts nothing. ProfilerCore writes it, under its lifecycle lock or on the sampler thread.
//
// Threads: any thread may read, without a lock.
// Context: any, signal context included, except for slots().Claim and Begin.
// Lifetime: the process has one object. It is constant-initialised and never destroyed, so it can be used before any
// constructor and after any destructor.
class RecordingState {
 public:
  // For exported functions. Other code receives a reference from its maker.
  static constexpr RecordingState& Get() { return the_state_; }

  ProfilerState state() const { return static_cast<ProfilerState>(ForkSafeState().load(std::memory_order_relaxed)); }
  bool IsActive() const { return state() != ProfilerState::kInactive; }
  bool RecordsMarkers() const { return state() == ProfilerState::kActive || state() == ProfilerState::kSamplingPaused; }

  // The segment that a marker goes to now. Null while nothing is recorded, or while the recording is paused. Each
  // recording has a Segment object of its own, so the address identifies the recording.
  const Segment* RecordingSegment() const { return RecordsMarkers() ? MarkedSegment() : nullptr; }
  // The second half of RecordingSegment, for callers that have checked RecordsMarkers.
  const Segment* MarkedSegment() const { return recording_.load(std::memory_order_acquire); }
  // The segment of the current recording, also while it is paused. Null while nothing is recorded.
  const Segment* SegmentOfRecording() const {
    const Segment* const recording = MarkedSegment();
    return recording != nullptr && recording->IsMapped() ? recording : nullptr;
  }
  // The segment of the current recording, or else of the last one. Null before the first.
  Segment* LastSegment() const { return segment_.load(std::memory_order_acquire); }

  ProcessId pid() const { return process_.pid(); }
  bool IsThisProcess() const { return process_.IsThisProcess(); }
  // The process is under a filter that may forbid any system call, so base makes none.
  bool HasStoppedForGood() const { return StoppedForGood().load(std::memory_order_relaxed); }
  int64_t constructor_ns() const { return start_.constructor_ns; }
  uintptr_t syscall_return() const { return start_.syscall_return; }

  // The bounds of the main thread's stack, or {0, 0} if they are unknown.
  StackRange MainStack() const { return StackBoundsLookup::MainBelow(start_.stack_high); }
  // The bounds of the stack of the slot's thread, or {0, 0} if they are unknown.
  StackRange StackOf(const ThreadSlot& slot) const {
    return StackBoundsLookup{pid(), MainStack()}.Find(ThreadId::FromNumber(slot.tid.load(std::memory_order_relaxed)),
                                                      &slot);
  }

  constexpr ThreadSlots& slots() { return slots_; }
  constexpr SamplerControl& control() { return control_; }
  constexpr PauseLog& pauses() { return pauses_; }
  OwnerLink& owner_link() { return owner_link_; }
  // The owner that the sampler tells of ticks, or null.
  const OwnerTable* owner() const { return control_.owner.load(std::memory_order_acquire); }
  // A thread has a new name.
  void AnnounceName() { control_.Announce(); }

  // --- For ProfilerCore ---

  void SetStart(const ProcessStart& start) { start_ = start; }
  void SetProcess(ProcessId pid) { process_.Set(pid); }
  void SetState(ProfilerState state) { ForkSafeState().store(static_cast<uint32_t>(state), std::memory_order_release); }
  // Entries may be written to `segment` from here on.
  void Publish(Segment* segment) {
    recording_.store(segment);  // sequentially consistent, and before segment_ (see EarlyMarkers)
    segment_.store(segment, std::memory_order_release);
  }
  // No further entry begins. Republish undoes it.
  void EndEntries() { recording_.store(nullptr, std::memory_order_release); }
  void Republish() { recording_.store(LastSegment(), std::memory_order_release); }
  // In a forked child, which has no segment yet and begins at `begin_ns`.
  void BecomeForkedChild(int64_t begin_ns) {
    process_.Set(CurrentProcess());
    start_.constructor_ns = begin_ns;
  }
  void ForgetSegments() {
    EndEntries();
    segment_.store(nullptr, std::memory_order_relaxed);
  }

 private:
  ProcessStart start_;  // constant after the constructor, except in a forked child
  ProcessIdentity process_;
  SamplerControl control_;
  PauseLog pauses_;
  OwnerLink owner_link_{&control_, &pauses_, &process_};
  std::atomic<Segment*> segment_;          // release: the segment is mapped. ProfilerCore writes it
  std::atomic<const Segment*> recording_;  // release: the segment is ready for entries. ProfilerCore writes it
  ThreadSlots slots_{&control_, &process_};

  static RecordingState the_state_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_RECORDING_RECORDING_STATE_H_
