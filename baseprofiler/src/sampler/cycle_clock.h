#ifndef GECKOPROF_BASEPROFILER_SAMPLER_CYCLE_CLOCK_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_CYCLE_CLOCK_H_

#include <cstdint>

#include "geckoprof/segment/clock_pair.h"

namespace geckoprof {

// CycleClock: maps the cycle counter that the handler read to ns on CLOCK_MONOTONIC.
//
// Two readings of both clocks, the first and the latest, give the rate; the latest is renewed at each tick, so the
// error of one sample's time is the counter's drift over one interval. A counter that stops, jumps or differs between
// cores gives times outside the moment at which the sample must have been taken; the sampler clamps to that, so it can
// never be wrong by more than the time a sample took. Threads: owned by the sampler.
class CycleClock {
 public:
  void Start(uint64_t cycles, int64_t ns);
  void Update(uint64_t cycles, int64_t ns);

  // The same, by reading both clocks now; ReadFirst takes longer.
  void ReadFirst();
  ClockReading Read();
  // Whether the thread kept its core between the two clocks: then the pair may serve others.
  bool IsClose(const ClockReading& reading) const { return reading.apart_cycles <= close_cycles_; }

  ClockPair first() const { return {first_cycles_, first_ns_}; }
  int64_t ToNs(uint64_t cycles) const;
  // Length of a stretch of cycles in ns; 0 while the rate is not known yet.
  uint64_t DurationNs(uint64_t cycles) const {
    return static_cast<uint64_t>(static_cast<double>(cycles) * ns_per_cycle_);
  }

 private:
  uint64_t first_cycles_ = 0, latest_cycles_ = 0;
  int64_t first_ns_ = 0, latest_ns_ = 0;
  double ns_per_cycle_ = 0;
  uint64_t close_cycles_ = kCloseCycles;  // on this machine, when nothing comes in between
};

// Whether the kernel itself tells the time by the counter that programs may read: then it is the same on all cores, and
// never stops. Of a guest's clock (kvm-clock), which is that counter scaled, it does where the vDSO reads it by itself:
// it is given to the vDSO only if the host says that the counter is the same on all cores (PVCLOCK_TSC_STABLE_BIT in
// Linux's Documentation/virt/kvm/x86/msr.rst). Opens a file and makes some system calls: on the sampler thread.
bool IsCounterTheKernelsClock();

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_CYCLE_CLOCK_H_
