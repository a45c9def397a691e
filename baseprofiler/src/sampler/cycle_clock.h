#ifndef GECKOPROF_BASEPROFILER_SAMPLER_CYCLE_CLOCK_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_CYCLE_CLOCK_H_

#include <cstdint>

#include "geckoprof/segment/clock_pair.h"

namespace geckoprof {

// CycleClock: converts the handler's cycle counter to ns on CLOCK_MONOTONIC.
//
// The first and the latest reading of both clocks give the rate. The latest reading is renewed at each tick. The error
// of a sample's time is therefore the counter's drift over one interval. A counter that stops, jumps or differs between
// cores gives impossible times. The sampler clamps each time to the period in which the sample was taken.
//
// Threads: owned by the sampler.
class CycleClock {
 public:
  void Start(uint64_t cycles, int64_t ns);
  void Update(uint64_t cycles, int64_t ns);

  // ReadFirst and Read start and update the clock from both clocks now. ReadFirst takes longer.
  void ReadFirst();
  ClockReading Read();
  // Returns true if the thread kept its core between the two clock reads. Other code may then use the pair.
  bool IsClose(const ClockReading& reading) const { return reading.apart_cycles <= close_cycles_; }

  ClockPair first() const { return {first_cycles_, first_ns_}; }
  int64_t ToNs(uint64_t cycles) const;
  // Converts a number of cycles to ns. Returns 0 while the rate is unknown.
  uint64_t DurationNs(uint64_t cycles) const {
    return static_cast<uint64_t>(static_cast<double>(cycles) * ns_per_cycle_);
  }

 private:
  uint64_t first_cycles_ = 0, latest_cycles_ = 0;
  int64_t first_ns_ = 0, latest_ns_ = 0;
  double ns_per_cycle_ = 0;
  uint64_t close_cycles_ = kCloseCycles;  // for this machine, without an interruption
};

// Returns true if the kernel's own clock is the counter that programs can read. The counter is then the same on all
// cores and never stops. It reads a file and makes some system calls, so the sampler thread calls it.
//
// A guest's clock (kvm-clock) is the scaled counter. It qualifies if the vDSO reads it without the kernel. The vDSO may
// do so only if the host says that the counter is the same on all cores. See PVCLOCK_TSC_STABLE_BIT in Linux's
// Documentation/virt/kvm/x86/msr.rst.
bool IsCounterTheKernelsClock();

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_CYCLE_CLOCK_H_
