#ifndef GECKOPROF_BASEPROFILER_SAMPLER_ANSWER_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_ANSWER_H_

#include <cstdint>
#include <vector>

#include "geckoprof/entries/entry_format.h"
#include "geckoprof/signal/capture_buffer.h"
#include "sampler/blocked_thread_reader.h"
#include "sampler/sampled_thread.h"
#include "sampler/thread_view.h"

namespace geckoprof {

// Answer: what one look has found out about one thread. It becomes a row of the profile.
//
//   ask, collect --Answer--> write
//
// An answer is valid until the end of its look. The thread is then still in the list, and the memory of the copies is
// not used again.
struct Answer {
  enum class Kind : uint8_t {
    kRunning,      // `capture` has the stack
    kWaiting,      // `copy` has the stack
    kShortWait,    // the thread waited at `time_ns`, and not long enough for its stack to be read
    kReason,       // it ran, and there is no stack for the reason `problem`
    kFilteredOut,  // the thread is not sampled from now on
    kUnreadable,   // it waited, and there is no stack for the reason `problem`
  };

  // The row of the thread's wait, which has ended.
  static Answer OfShortWait(SampledThread& thread, const CpuAtTime& cpu) {
    Answer answer{&thread, Kind::kShortWait, thread.wait.since_ns, cpu};
    answer.wait.cause = thread.wait.cause;
    return answer;
  }

  SampledThread* thread;
  Kind kind;
  int64_t time_ns;  // of the row
  CpuAtTime cpu;    // a reading that is not older than the row
  // kRunning: the CPU time that the answer stands for. Later answers of the same thread have what is left of the time
  // up to `cpu`.
  int64_t part_ns = INT64_MAX;
  // kRunning: the number of rows that the answer is shown as.
  int64_t rows = 1;
  CaptureBuffer* capture = nullptr;
  BlockedThreadReader::Place place = {};
  BlockedThreadReader::Copy copy = {};
  const LabelCopy* labels = nullptr;
  Wait wait = {};  // kWaiting, kShortWait and kUnreadable: what it waited for
  StackProblem problem = StackProblem::kNoProblem;
  bool is_held = false;  // AnswerWriter needs a newer list of modules for it
};

using Answers = std::vector<Answer>;

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_ANSWER_H_
