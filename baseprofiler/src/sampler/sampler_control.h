#ifndef GECKOPROF_BASEPROFILER_SAMPLER_SAMPLER_CONTROL_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_SAMPLER_CONTROL_H_

#include <atomic>
#include <cstdint>

namespace geckoprof {

// SamplerControl: what other threads tell the sampler. Zero is the state before a start.
// Each member: written by any thread, read by the sampler at each tick. `command` is also what it sleeps on.
struct SamplerControl {
  enum Command : uint32_t { kRun = 0, kPause = 1, kLeave = 2, kStop = 3 };
  std::atomic<uint32_t> command;          // release: what it asks for was prepared before
  std::atomic<uint32_t> announced;        // counts threads that published a slot, release
  std::atomic<uint32_t> unloads;          // counts calls of dlclose, relaxed
  std::atomic<int32_t> signal;            // what to send, 0: nothing; see ProgramSignal
  std::atomic<int32_t> drained_signal;    // written by the sampler: no request made with another signal is unanswered
  std::atomic<int32_t> busy_forking_tid;  // a thread inside fork: not signalled, or a large fork might never end
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_SAMPLER_CONTROL_H_
