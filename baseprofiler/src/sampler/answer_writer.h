#ifndef GECKOPROF_BASEPROFILER_SAMPLER_ANSWER_WRITER_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_ANSWER_WRITER_H_

#include <cstdint>
#include <span>

#include "geckoprof/entries/sample_writer.h"
#include "sampler/answer.h"
#include "sampler/cycle_clock.h"
#include "sampler/module_recorder.h"
#include "sampler/sampler_setting.h"
#include "sampler/stack_builder.h"
#include "sampler/thread_list.h"
#include "sampler/thread_view.h"

namespace geckoprof {

// AnswerWriter is the third phase of a look. It unwinds the copies, and writes the rows.
//
//   answers -> Write -> rows, with the list of modules as it is
//                       a stack goes through unknown code: it is held, and so are later answers of its thread
//                         list of modules is read -> WriteHeld -> rows
//
// Answers from before an unload are therefore unwound by the list that was right for them.
//
// Threads: the sampler's thread.
// Context: not signal context.
class AnswerWriter {
 public:
  struct Parts {
    SampleWriter* samples;
    ModuleRecorder* modules;
    ThreadList* threads;
    StackBuilder* stacks;
    ThreadView* view;
    const CycleClock* cycles;
  };
  AnswerWriter(const SamplerSetting* setting, const Parts& parts);

  // Writes the answers in their order. Returns false if some of them are held until the list of modules was read.
  // `may_hold` is false if the list cannot be read now.
  bool Write(std::span<Answer> answers, bool may_hold);
  void WriteHeld(std::span<const Answer> answers);

  // Answers with times between `begin_ns` and `end_ns` are dropped. Sampling was paused then.
  void SetPause(int64_t begin_ns, int64_t end_ns) { pause_begin_ns_ = begin_ns, pause_end_ns_ = end_ns; }

 private:
  bool WriteAnswer(const Answer& answer, bool may_hold);
  bool WriteRunning(const Answer& answer, bool may_hold);
  bool WriteWaiting(const Answer& answer, bool may_hold);
  void WriteFilteredOut(SampledThread& thread);
  void WriteShortWait(SampledThread& thread, int64_t latest_ns);
  // Returns true if the row is in the segment.
  bool AddRow(SampledThread& thread, const CpuAtTime& at, const Wait& wait, std::span<const StackFrame> stack);
  bool IsPaused(int64_t time_ns) const;
  void NoteCapture(SampledThread& thread, const CaptureBuffer& capture);
  void CountTaken() { header_.samples_taken.fetch_add(1, std::memory_order_relaxed); }

  const SamplerSetting& setting_;
  Segment& segment_;
  SegmentHeader& header_;
  SampleWriter& samples_;
  ModuleRecorder& modules_;
  ThreadList& threads_;
  StackBuilder& stacks_;
  ThreadView& view_;
  const CycleClock& cycles_;
  int64_t pause_begin_ns_ = 0, pause_end_ns_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_ANSWER_WRITER_H_
