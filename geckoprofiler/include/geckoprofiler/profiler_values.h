// The plain values of the full library's API: statuses, features, states. Nothing here is of the standard library.
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_VALUES_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_VALUES_H_

#include <cstdint>

#include "geckoprofiler/c/geckoprof_full.h"

namespace geckoprof {

// The status that functions return. geckoprof_status has the same numbers.
enum class ProfilerStatus : uint8_t {
  kDone = GECKOPROF_DONE,
  kUnchanged = GECKOPROF_UNCHANGED,                 // it was so already
  kInactive = GECKOPROF_INACTIVE,                   // nothing is recorded
  kGenerationFailed = GECKOPROF_GENERATION_FAILED,  // the profile could not be made
  kCannotWrite = GECKOPROF_CANNOT_WRITE,            // the profile could not be written to where it should go
  kBadArgument = GECKOPROF_OUT_OF_RANGE,
  // Why the recording is not this library's to control. Base goes on as it was.
  kNoBase = GECKOPROF_NO_BASE,  // libbaseprofiler.so is not in this process, or has no table of the handover
  kBaseUnusable =
      GECKOPROF_BASE_UNUSABLE,  // its table is damaged, or too small for what this library cannot do without
  kOtherVersion = GECKOPROF_OTHER_VERSION,  // its table means something else
  kOldBase = GECKOPROF_OLD_BASE,            // its table lacks what this call needs
  kOwned = GECKOPROF_OWNED,                 // another copy of this library controls it
  kTimeout = GECKOPROF_TIMEOUT,             // the sampler did not come to the end of a tick in time
  // Asked on a thread that would have to wait for itself: after sampling, or in a handler of a signal or an allocator
  // that interrupted this library. Or asked in the child of a vfork.
  kWrongThread = GECKOPROF_WRONG_THREAD,
  // Why nothing could be started.
  kExcluded = GECKOPROF_FILTERED,             // the filters exclude this process
  kNoSegment = GECKOPROF_NOTHING_TO_HOLD_IT,  // no memory or space for the segment
  kNoThread = GECKOPROF_NO_SAMPLER,           // the kernel allows no further thread
  kRefused = GECKOPROF_REFUSED,               // base cannot do it, or answered with what this version does not know
  // Why a thread could not be sampled.
  kThreadGone = GECKOPROF_THREAD_GONE,                     // this process has no thread of this id
  kThreadSignalBlocked = GECKOPROF_THREAD_SIGNAL_BLOCKED,  // it runs, and the profiler's signals may not be sent to it
  // There was not enough memory for the call. The recording goes on.
  kNoMemory = GECKOPROF_NO_MEMORY,
  kCancelled = GECKOPROF_CANCELLED,  // the caller's progress function said so
};

}  // namespace geckoprof

// The features, with Firefox's names and bits. A bit that is not listed here can be asked for. It is reported as not
// available, with the reason: to the caller (ProfilerStartResult) and in the profile, as a marker.
struct ProfilerFeature {
  // [features] tools/build_lists writes these lines from common/lists/features.json.
  static constexpr uint32_t MainThreadIO = 1u << 2;        // sums of file calls, slow ones of the main thread
  static constexpr uint32_t FileIO = 1u << 3;              // and slow file calls of sampled threads
  static constexpr uint32_t FileIOAll = 1u << 4;           // and slow file calls of all threads
  static constexpr uint32_t NoMarkerStacks = 1u << 5;      // no stacks of markers
  static constexpr uint32_t Libraries = 1u << 7;           // loads and unloads of libraries
  static constexpr uint32_t StackWalk = 1u << 8;           // native stacks
  static constexpr uint32_t NoStackSampling = 1u << 10;    // neither stacks nor labels (cancels stackwalk)
  static constexpr uint32_t NativeAllocations = 1u << 11;  // samples of allocations, with stacks
  static constexpr uint32_t CPUUtilization = 1u << 14;     // CPU time of each thread between its samples
  static constexpr uint32_t MarkersAllThreads = 1u << 18;  // markers of excluded threads (always on)
  static constexpr uint32_t Bandwidth = 1u << 23;          // totals of socket calls, and slow ones
  static constexpr uint32_t Memory = 1u << 24;             // a counter of the bytes in allocated blocks
  static constexpr uint32_t Flows = 1u << 27;              // all markers of flows (always on)
  static constexpr uint32_t Locks = 1u << 30;              // waits for locks and for other threads
  static constexpr uint32_t Responsiveness = 1u << 31;     // how long event loops are blocked
  // [/features]

  static constexpr bool Has(uint32_t features, uint32_t feature) { return (features & feature) != 0; }
  static constexpr void Set(uint32_t& features, uint32_t feature) { features |= feature; }
  static constexpr void Clear(uint32_t& features, uint32_t feature) { features &= ~feature; }
};

// Changes that callbacks are told of.
enum class ProfilingState : uint32_t {
  AlreadyActive = GECKOPROF_TELL_ALREADY_ACTIVE,  // in profiler_add_state_change_callback, if it is
  RemovingCallback = GECKOPROF_TELL_REMOVING,
  Started = GECKOPROF_TELL_STARTED,
  Pausing = GECKOPROF_TELL_PAUSING,
  Resumed = GECKOPROF_TELL_RESUMED,
  GeneratingProfile = GECKOPROF_TELL_GENERATING,
  Stopping = GECKOPROF_TELL_STOPPING,  // not when profiler_start replaces a recording
  ShuttingDown = GECKOPROF_TELL_SHUTTING_DOWN,
};

// ProfilingStateSet: any number of states. A single state is a set, too.
class ProfilingStateSet {
 public:
  constexpr ProfilingStateSet() = default;
  constexpr ProfilingStateSet(ProfilingState state) : bits_(static_cast<uint32_t>(state)) {}  // NOLINT: as in Firefox
  static constexpr ProfilingStateSet FromBits(uint32_t bits) {
    ProfilingStateSet set;
    set.bits_ = bits & kAllBits;
    return set;
  }
  static constexpr ProfilingStateSet AllStates() { return FromBits(kAllBits); }
  friend constexpr ProfilingStateSet operator+(ProfilingStateSet a, ProfilingStateSet b) {
    return FromBits(a.bits_ | b.bits_);
  }
  constexpr bool IsEmpty() const { return bits_ == 0; }
  constexpr bool Contains(ProfilingState state) const { return (bits_ & static_cast<uint32_t>(state)) != 0; }
  constexpr uint32_t bits() const { return bits_; }

 private:
  static constexpr uint32_t kAllBits = 2 * GECKOPROF_TELL_SHUTTING_DOWN - 1;
  uint32_t bits_ = 0;
};

// The result of a tick.
enum class SamplingState : uint8_t {
  JustStopped,  // the recording ended, or was handed back, before the next tick
  SamplingPaused,
  NoStackSamplingCompleted,  // the tick sampled, but no stacks
  SamplingCompleted,
};

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_VALUES_H_
