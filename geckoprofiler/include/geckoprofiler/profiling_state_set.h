#ifndef GECKOPROF_GECKOPROFILER_PROFILING_STATE_SET_H_
#define GECKOPROF_GECKOPROFILER_PROFILING_STATE_SET_H_

#include <cstdint>

enum class ProfilingState : uint32_t {
  AlreadyActive = 1,  // in profiler_add_state_change_callback, if it is
  RemovingCallback = 2,
  Started = 4,
  Pausing = 8,
  Resumed = 16,
  GeneratingProfile = 32,
  Stopping = 64,  // not when profiler_start replaces a recording
  ShuttingDown = 128,
};

// ProfilingStateSet: any number of states; a single one is a set too.
class ProfilingStateSet {
 public:
  constexpr ProfilingStateSet() = default;
  constexpr ProfilingStateSet(ProfilingState state) : bits_(static_cast<uint32_t>(state)) {}  // NOLINT: as in Firefox
  static constexpr ProfilingStateSet AllStates() { return ProfilingStateSet(255u); }
  friend constexpr ProfilingStateSet operator+(ProfilingStateSet a, ProfilingStateSet b) {
    return ProfilingStateSet(a.bits_ | b.bits_);
  }
  constexpr bool IsEmpty() const { return bits_ == 0; }
  constexpr bool Contains(ProfilingState state) const { return (bits_ & static_cast<uint32_t>(state)) != 0; }

 private:
  explicit constexpr ProfilingStateSet(uint32_t bits) : bits_(bits) {}
  uint32_t bits_ = 0;
};

#endif  // GECKOPROF_GECKOPROFILER_PROFILING_STATE_SET_H_
