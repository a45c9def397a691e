#ifndef GECKOPROF_BASEPROFILER_SAMPLER_THREAD_SAMPLER_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_THREAD_SAMPLER_H_

#include <cstdint>

#include "sampler/answer.h"
#include "sampler/answer_collector.h"
#include "sampler/answer_writer.h"
#include "sampler/blocked_thread_reader.h"
#include "sampler/capture_pool.h"
#include "sampler/kernel_thread_view.h"
#include "sampler/kernel_ticks.h"
#include "sampler/sampler_setting.h"
#include "sampler/thread_asker.h"

namespace geckoprof {

// ThreadSampler takes the samples of the threads at each look of the sampler.
//
//   ask (ThreadAsker)  ->  collect (AnswerCollector)  ->  write (AnswerWriter)
//        \_____________________ Answers ____________________/
//
// The three phases share the answers of the look. They do not call each other. The segment counts each sample that
// could not be taken.
//
// Threads: the sampler's thread only.
// Context: not signal context.
class ThreadSampler {
 public:
  // The sampler owns these objects. They outlive this one.
  struct Parts {
    SampleWriter* samples;
    ModuleRecorder* modules;
    ThreadList* threads;
    StackBuilder* stacks;
    const CycleClock* cycles;
  };
  ThreadSampler(const SamplerSetting* setting, const Parts& parts);

  // Returns false if there is no memory for copies of stacks.
  bool ok() const { return blocked_.ok(); }

  // Takes the samples that have come, and looks at each thread. The look began at `now_ns`.
  void Look(int64_t now_ns);
  // What the last look has found.
  const ThreadAsker::Outcome& outcome() const { return asker_.outcome(); }

  // Returns whether an answer was still missing when the sampler last looked.
  bool awaits_answers() const { return collector_.awaits_answers(); }
  // Returns whether a tick of the kernel has come since.
  bool AnyTick() const { return ticks_.AnyAnswered(); }
  // Writes the answers that have come by now.
  void WriteAnswered();
  // Reads the list of modules. Answers that have come by now are written first, by the list that is right for them.
  void ReadModules(int64_t now_ns);

  // Looks at whether the signals of armed timers are still safe, and disarms those that are not. Disarms all if
  // `may_tick` is false, as in a pause.
  void UpdateTimers(bool may_tick);
  // Called before the sampler's thread ends.
  void DisarmTimers() { asker_.DisarmTimers(); }

  void ReportDrained() { asker_.ReportDrained(); }

 private:
  void Write(int64_t now_ns);

  const SamplerSetting& setting_;
  ModuleRecorder& modules_;
  KernelThreadView view_;
  CapturePool pool_;
  KernelTicks ticks_;
  BlockedThreadReader blocked_;
  ThreadAsker asker_;
  AnswerCollector collector_;
  AnswerWriter writer_;
  Answers answers_;
  int64_t paused_since_ns_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_THREAD_SAMPLER_H_
