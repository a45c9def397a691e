#include "recording/sampler_control.h"

#include "geckoprof/base/clock.h"
#include "geckoprof/base/futex.h"

namespace geckoprof {

void SamplerTask::Post(const Request& request) {
  runs_before_post_ = runs_.load(std::memory_order_relaxed);
  request_.store(&request, std::memory_order_release);
}

bool SamplerTask::Wait(int64_t timeout_ns) const {
  const int64_t deadline_ns = MonotonicNs() + timeout_ns;
  while (runs_.load(std::memory_order_acquire) == runs_before_post_) {
    if (MonotonicNs() >= deadline_ns) return false;
    FutexWaitUntil(runs_, runs_before_post_, deadline_ns);
  }
  return true;
}

bool SamplerTask::Retract() { return request_.exchange(nullptr, std::memory_order_acq_rel) != nullptr; }

void SamplerTask::RunPending() {
  // The requester may take the request back at the same time. The exchange decides.
  if (request_.load(std::memory_order_relaxed) == nullptr) return;
  const Request* const request = request_.exchange(nullptr, std::memory_order_acq_rel);
  if (request == nullptr) return;
  request->run(request->argument);
  runs_.fetch_add(1, std::memory_order_release);
  FutexWake(runs_, 1);
}

}  // namespace geckoprof
