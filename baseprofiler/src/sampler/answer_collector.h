#ifndef GECKOPROF_BASEPROFILER_SAMPLER_ANSWER_COLLECTOR_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_ANSWER_COLLECTOR_H_

#include <cstdint>
#include <span>
#include <vector>

#include "sampler/answer.h"
#include "sampler/capture_pool.h"
#include "sampler/cycle_clock.h"
#include "sampler/kernel_ticks.h"
#include "sampler/sampler_setting.h"
#include "sampler/thread_list.h"
#include "sampler/thread_view.h"

namespace geckoprof {

// AnswerCollector is the second phase of a look. It takes the copies that handlers have made since.
//
//   a tick of the kernel, a request that was answered  --->  an answer with its time and its share of the CPU time
//
// It waits a few microseconds for the requests of this look. It never waits for a late answer. The buffers belong to
// the collector again after GiveBack.
//
// Threads: the sampler's thread.
// Context: not signal context.
class AnswerCollector {
 public:
  struct Parts {
    ThreadList* threads;
    ThreadView* view;
    CapturePool* pool;
    KernelTicks* ticks;
    const CycleClock* cycles;
  };
  AnswerCollector(const SamplerSetting* setting, const Parts& parts);

  // Takes the ticks that have come.
  void TakeTicks(Answers& answers);
  // Takes the requests that were answered. It spins for the `fresh` requests of this look, which began at `look_ns`.
  void TakeRequests(uint32_t fresh, int64_t look_ns, Answers& answers);

  // Returns whether an answer was still missing when TakeRequests ended.
  bool awaits_answers() const { return awaits_answers_; }

  // Frees the buffers of the answers, which have been written.
  void GiveBack(const Answers& answers);

 private:
  // How long the sampler spins for answers. The delivery and a copy of 16 KiB take 5 to 8 us.
  static constexpr int64_t kSpinNs = 25'000;

  void ShareOut(std::span<Answer> answers);
  // Divides the thread's CPU time among `own_ticks_`.
  void ShareOutOwn(const SampledThread& thread);
  KernelTicks::Ticks CountOwn() const;
  // Takes the event of a thread away if the two clocks do not see all its time.
  void CheckTwoClocks(SampledThread& thread);
  bool TakeRequest(SampledThread& thread, bool is_fresh, Answers& answers);
  uint32_t TakeAnsweredRequests(bool spins, int64_t look_ns, Answers& answers);

  const SamplerSetting& setting_;
  Segment& segment_;
  SegmentHeader& header_;
  ThreadList& threads_;
  ThreadView& view_;
  CapturePool& pool_;
  KernelTicks& ticks_;
  const CycleClock& cycles_;
  std::vector<CaptureBuffer*> captures_;
  std::vector<Answer*> own_ticks_;  // of one thread
  bool awaits_answers_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_ANSWER_COLLECTOR_H_
