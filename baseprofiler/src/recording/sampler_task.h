// What other threads want done on the sampler thread.
#ifndef GECKOPROF_BASEPROFILER_RECORDING_SAMPLER_TASK_H_
#define GECKOPROF_BASEPROFILER_RECORDING_SAMPLER_TASK_H_

#include <atomic>
#include <cstdint>

namespace geckoprof {

// SamplerTask: runs a function of another thread's on the sampler thread, between two ticks, while that other thread
// waits. So what the sampler uses can be changed without a lock, and without the sampler ever waiting for anybody.
//
//   requester:  Post ---- Wait ........................ done | time-out: Retract -> it will never run
//   sampler:         tick          tick | RunPending |   tick
//
// Invariant: the sampler takes a request by one exchange, as does a requester that gives up; so exactly one of them has
// it, and after Retract returned true the function is not running and never will. Threads: one requester at a time; the
// sampler. Context: Post, Wait, Retract: not signal context. Zero is the state before the first.
class SamplerTask {
 public:
  struct Request {
    void (*run)(void* argument);
    void* argument;
  };

  // `request` must stay valid until Wait returned true or Retract returned true. The sampler must be woken.
  void Post(const Request& request);
  // True once the posted request was run. At most timeout_ns.
  bool Wait(int64_t timeout_ns) const;
  // True: it was taken back. False: it runs now, or has run; Wait for it.
  bool Retract();

  // In a forked child: who asked is not here.
  void ForgetAfterFork() { request_.store(nullptr, std::memory_order_relaxed); }

  // The sampler's. One load when nothing is asked.
  void RunPending();

 private:
  std::atomic<const Request*> request_{nullptr};
  std::atomic<uint32_t> runs_{0};  // of requests that are done; release
  uint32_t runs_before_post_ = 0;  // the requester's
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_RECORDING_SAMPLER_TASK_H_
