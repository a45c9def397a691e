#ifndef GECKOPROF_TESTS_UNIT_GECKOPROFILER_AWAIT_TRUE_H_
#define GECKOPROF_TESTS_UNIT_GECKOPROFILER_AWAIT_TRUE_H_

#include <sched.h>

#include "geckoprof/base/clock.h"

namespace geckoprof {

// Returns whether the condition becomes true within ten seconds.
template <typename Condition>
bool BecomesTrue(const Condition& condition) {
  const int64_t until_ns = MonotonicNs() + 10 * kNsPerSecond;
  while (!condition()) {
    if (MonotonicNs() >= until_ns) return false;
    sched_yield();
  }
  return true;
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_GECKOPROFILER_AWAIT_TRUE_H_
