#ifndef GECKOPROF_BASEPROFILER_SAMPLER_SIGNAL_CHOICE_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_SIGNAL_CHOICE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "sampler/sampled_thread.h"

namespace geckoprof {

// SignalChoice: changes to the other signal (SamplingSignal) if more running threads can receive it. A thread cannot
// receive a signal if it has the signal blocked, or if the program's disposition forbids it.
//
//   a tick:  a thread that cannot be signalled -> NoteSignalBlocked
//   its end: Choose -> any? -> compare the masks of the threads that ran in this tick -> SamplingSignal::UseOther
//
// Threads: the sampler. It costs nothing if all threads can be signalled.
class SignalChoice {
 public:
  // The pause keeps two threads with different signals blocked from changing the signal all the time.
  static constexpr int64_t kPauseNs = 50'000'000;

  void NoteSignalBlocked() { any_blocked_ = true; }
  // `silent` means that the signal in use may not be sent.
  void Choose(const std::vector<std::unique_ptr<SampledThread>>& threads, bool silent, int64_t now_ns);

 private:
  bool any_blocked_ = false;  // in this tick
  int64_t next_ns_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_SIGNAL_CHOICE_H_
