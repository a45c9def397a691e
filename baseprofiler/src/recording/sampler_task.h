// Requests of other threads that run on the sampler thread.
#ifndef GECKOPROF_BASEPROFILER_RECORDING_SAMPLER_TASK_H_
#define GECKOPROF_BASEPROFILER_RECORDING_SAMPLER_TASK_H_

#include <atomic>
#include <cstdint>

namespace geckoprof {

// SamplerTask: runs a function for another thread on the sampler thread, between two ticks. The other thread waits. The
// sampler's data therefore changes without a lock, and the sampler never waits for another thread.
//
//   requester:  Post ---- Wait ........................ done | time-out: Retract -> it will never run
//   sampler:         tick          tick | RunPending |   tick
//
// Invariants: the sampler takes a request by one exchange, and so does a requester that gives up. Exactly one of them
// gets it. After Retract returned true, the function is not running and never will.
// Threads: one requester at a time, and the sampler.
// Context: not signal context for Post, Wait and Retract.
// Lifetime: static. All bits zero is the initial state.
class SamplerTask {
 public:
  struct Request {
    void (*run)(void* argument);
    void* argument;
  };

  // `request` must stay valid until Wait or Retract returned true. The caller must then wake the sampler.
  void Post(const Request& request);
  // Waits at most `timeout_ns`. Returns true once the posted request has run.
  bool Wait(int64_t timeout_ns) const;
  // Takes the request back. Returns false if it is running or has run. The caller must then Wait.
  bool Retract();

  // Called in a forked child. Drops the request, because the requester's thread does not exist here.
  void ForgetAfterFork() { request_.store(nullptr, std::memory_order_relaxed); }

  // Called by the sampler. It costs one load when there is no request.
  void RunPending();

 private:
  std::atomic<const Request*> request_{nullptr};
  std::atomic<uint32_t> runs_{0};  // the number of finished requests; release
  uint32_t runs_before_post_ = 0;  // owned by the requester
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_RECORDING_SAMPLER_TASK_H_
