// The virtual counter of aarch64. Its relation to CLOCK_MONOTONIC is the segment's clock calibration.
#ifndef GECKOPROF_ARCH_CYCLE_COUNTER_H_
#define GECKOPROF_ARCH_CYCLE_COUNTER_H_

#include <cstdint>

namespace geckoprof {

inline uint64_t ReadCycleCounter() {
  uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
}

}  // namespace geckoprof

#endif  // GECKOPROF_ARCH_CYCLE_COUNTER_H_
