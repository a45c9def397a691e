#ifndef GECKOPROF_GECKOPROFILER_SAMPLER_OWN_CPU_TIME_H_
#define GECKOPROF_GECKOPROFILER_SAMPLER_OWN_CPU_TIME_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/base/clock.h"

namespace geckoprof {

// OwnCpuTime: adds the CPU time of one thread of this library to the sum for OwnerTable::own_cpu_ns. The sampler does
// not take it for the program's work.
//
// Threads: the thread that is measured.
class OwnCpuTime {
 public:
  explicit OwnCpuTime(std::atomic<int64_t>* sum_ns) : sum_ns_(*sum_ns) {}

  // Adds the time since the last call. The thread is about to sleep.
  void Add() {
    const int64_t now_ns = CurrentThreadCpuNs();
    if (now_ns < counted_ns_) counted_ns_ = 0;  // the thread has forked, and this is its child
    sum_ns_.fetch_add(now_ns - counted_ns_ + kMarginNs, std::memory_order_relaxed);
    counted_ns_ = now_ns;
  }

 private:
  // The time that falling asleep takes is not known to the thread.
  static constexpr int64_t kMarginNs = 30'000;

  std::atomic<int64_t>& sum_ns_;
  int64_t counted_ns_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_SAMPLER_OWN_CPU_TIME_H_
