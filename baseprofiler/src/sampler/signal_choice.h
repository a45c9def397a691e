#ifndef GECKOPROF_BASEPROFILER_SAMPLER_SIGNAL_CHOICE_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_SIGNAL_CHOICE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "sampler/sampled_thread.h"

namespace geckoprof {

// SignalChoice: goes over to the other one of the two signals (see SamplingSignal) where more of the threads that run
// cannot be sent the one in use, because they have it blocked or the program's disposition forbids it, than the other.
//
//   a tick:  a thread that cannot be asked -> NoteDeaf
//   its end: Choose -> any? -> what have those blocked that ran in this tick? -> SamplingSignal::UseOther
//
// Threads: the sampler's. Costs nothing where all can be asked.
class SignalChoice {
 public:
  // So that two threads, each with another one blocked, do not make the signal change all the time.
  static constexpr int64_t kPauseNs = 50'000'000;

  void NoteDeaf() { any_deaf_ = true; }
  // `silent`: nothing may be sent with the signal in use.
  void Choose(const std::vector<std::unique_ptr<SampledThread>>& threads, bool silent, int64_t now_ns);

 private:
  bool any_deaf_ = false;  // in this tick
  int64_t next_ns_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_SIGNAL_CHOICE_H_
