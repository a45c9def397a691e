#ifndef GECKOPROF_BASEPROFILER_SAMPLER_SAMPLED_THREAD_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_SAMPLED_THREAD_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/ids.h"
#include "geckoprof/entries/last_samples.h"
#include "geckoprof/entries/wait_cause.h"
#include "geckoprof/segment/segment_format.h"
#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/threads/thread_slot.h"
#include "sampler/kernel_ticks.h"
#include "sampler/run_delay.h"
#include "sampler/thread_view.h"

namespace geckoprof {

// SampledThreadCpu: assigns a thread's CPU time to its samples. A sample has the CPU time at its own time, although the
// sampler reads the clock at other times.
//
//   time ---- asked ---------- answered -------- collected ---->      the sample's time: answered
//   cpu        known            in between        known               charged: the least possible value
//
// The least value is charged, because later use belongs to the next sample. The next sample cannot be charged with more
// than the time that has passed.
//
// Invariants: no sample is charged with more than the time since the last sample, except for kCounting. If the two
// clocks disagree, the difference goes to the next sample. The first sample of an older thread is charged with nothing,
// because its clock also counts earlier times. The first sample of a thread that began during the recording is charged
// from its begin on.
//
// Threads: owned by the sampler.
// Context: not signal context.
class SampledThreadCpu {
 public:
  // Returns the CPU time at the answer. The request was sent at the CPU time `asked_cpu_ns`.
  static int64_t AtAnswer(int64_t asked_cpu_ns, const CpuAtTime& collected, int64_t answer_ns) {
    if (collected.cpu_ns < 0) return asked_cpu_ns;
    return std::max(asked_cpu_ns, collected.cpu_ns - std::max<int64_t>(collected.time_ns - answer_ns, 0));
  }

  // Sets the begin of the thread, at `time_ns` or a moment before. REQUIRES: no sample yet.
  void BeginAt(int64_t time_ns) { charged_ = {0, time_ns}; }

  bool has_row() const { return has_row_; }

  enum class RowKind : uint8_t {
    kRunning,
    kWaiting,   // charged with nothing, and its time stays for the next sample
    kCounting,  // stands for a fixed time, which may be more than has passed since the last row
  };
  // Returns the CPU time to charge to a new sample. Negative means unknown.
  int64_t Charge(const CpuAtTime& row, RowKind kind = RowKind::kRunning) {
    has_row_ = true;
    if (charged_.cpu_ns < 0) {
      charged_ = row;
      return -1;
    }
    if (kind == RowKind::kWaiting) return 0;
    const int64_t passed_ns = std::max<int64_t>(row.time_ns - charged_.time_ns, 0);
    const int64_t most_ns = kind == RowKind::kCounting ? INT64_MAX : passed_ns;
    const int64_t used_ns = std::clamp<int64_t>(row.cpu_ns - charged_.cpu_ns, 0, most_ns);
    charged_ = {charged_.cpu_ns + used_ns, charged_.time_ns + passed_ns};
    return used_ns;
  }

  // Returns the CPU time that no sample has yet. Negative means unknown.
  int64_t Unsampled(const CpuAtTime& now) const {
    return charged_.cpu_ns < 0 || now.cpu_ns < 0 ? -1 : std::max<int64_t>(now.cpu_ns - charged_.cpu_ns, 0);
  }

  // Returns the CPU time at a sample that stands for `part_ns` of it. Later samples have the rest up to `now`.
  int64_t AfterPart(const CpuAtTime& now, int64_t part_ns) const {
    return part_ns < Unsampled(now) ? charged_.cpu_ns + part_ns : now.cpu_ns;
  }

 private:
  CpuAtTime charged_ = {-1, 0};  // negative: no earlier reading is known
  bool has_row_ = false;
};

// KernelTimeCheck: finds a thread whose time in the kernel is not in system calls, but in page faults, for example.
//
//   CPU time = ticks of its event, which sees no kernel + ticks of its timer, which count in system calls + the rest
//
// No sample shows the rest. A timer alone has fewer ticks, and they show all the time.
//
// Threads: owned by the sampler.
class KernelTimeCheck {
 public:
  // Adds the ticks of a time in which the thread used `used_ns`. `tick_ns` is the period of the timer. Returns true
  // if the rest was more than a tenth of the time, beyond the error of the ticks.
  bool Add(int64_t used_ns, int64_t events_ns, int64_t timer_ticks, int64_t tick_ns) {
    used_ns_ += used_ns;
    rest_ns_ += used_ns - events_ns - timer_ticks * tick_ns;
    timer_ticks_ += timer_ticks;
    if (used_ns_ < kLeastNs) return false;
    // The number of ticks has an error of three times its square root, and two of them may be on their way.
    const int64_t excess_ticks = (rest_ns_ - used_ns_ / 10) / tick_ns - 2;
    const bool is_wrong = excess_ticks > 0 && excess_ticks * excess_ticks > 9 * timer_ticks_;
    *this = {};
    return is_wrong;
  }

 private:
  static constexpr int64_t kLeastNs = 200 * kNsPerMs;

  int64_t used_ns_ = 0, rest_ns_ = 0, timer_ticks_ = 0;
};

// OpenWait: a wait of a thread that has not ended, as far as it is known.
//
//   ran | blocked ............................ | runs
//           ^ first look       ^ a later look      ^ another look: a wait that is not shown
//             since_ns           stack read: shown   becomes a row without a stack
struct OpenWait {
  int64_t since_ns = 0;   // the thread was blocked then, and has not run since; 0: there is no wait
  bool is_shown = false;  // it has a row
  WaitCause cause = WaitCause::kNone;

  bool is_open() const { return since_ns != 0; }
};

// SampledThread: the sampler's knowledge of one thread of the process. It is plain data.
//
// Threads: owned by the sampler.
struct SampledThread {
  ThreadId tid;
  ThreadIndex index;           // in the segment
  size_t position = 0;         // position in ThreadList::threads()
  ThreadSlot* slot = nullptr;  // null for a thread that never used the API and that pthread_create did not make
  Fd syscall_file;             // /proc/self/task/TID/syscall, kept open
  Fd schedstat_file;           // likewise
  bool selected = true;        // chosen by the thread filter
  bool is_main = false;
  bool seen_in_scan = true;
  bool is_held = false;     // its answers wait for the list of modules
  bool gone = false;        // seen to have ended; removed at the end of the tick
  bool name_given = false;  // by registration; the kernel's name is not read any more
  uint32_t renamed = 0;     // the slot's `renamed` when the name was last read

  ThreadTimer timer;          // armed while the kernel's ticks make the samples
  int32_t former_signal = 0;  // of a timer that was disarmed since; a last tick may be pending
  int64_t arm_again_ns = 0;   // arming failed; it is not tried again before this time
  KernelTimeCheck kernel_time;

  SampledThreadCpu cpu;         // of its samples
  ReadyTime ready;              // likewise
  int64_t ready_total_ns = -1;  // the scheduler's count, as last read; negative: it must be read for the next row
  LastSample last_sample;
  // CPU clock in ns, read after a sample was collected. The time of base's own handler therefore does not count as
  // work.
  int64_t cpu_baseline_ns = 0;
  CpuAtTime ticks_read = {-1, 0};  // the CPU clock when the last ticks were taken; negative: none were
  bool was_looked_at = false;
  uint32_t idle_looks = 0;  // in a row; saturates
  int64_t last_row_ns = 0;  // the time of its last row
  OpenWait wait;
  OpenWait short_wait;  // has ended; its row is written before the next one of the thread
  int64_t next_name_check_ns = 0;
  bool may_have_new_name = true;  // it may have run since its name was read

  StackRange stack = {0, 0};
  uint32_t wanted_copy_bytes = 0;    // for deep stacks; more than a buffer's usual size
  CaptureBuffer* pending = nullptr;  // an unanswered request; set by SetPending
  bool is_collected = false;         // that request was answered, and its row is being written
  int32_t pending_signal = 0;        // the signal of that request
  int64_t pending_since_ns = 0;
  int64_t resend_ns = 0;           // the request is not sent again before this time
  int64_t pending_cpu_ns = 0;      // the CPU clock when the request was sent
  bool is_signal_blocked = false;  // the thread blocks the signal, as a time-out showed
  int64_t blocked_check_ns = 0;
  char name[64] = {};

  // Sets the pending request, or null when it is over. Meanwhile it counts as unanswered. A request is then also
  // counted if the process ends before the answer.
  void SetPending(CaptureBuffer* request, SegmentHeader& header) {
    std::atomic<uint64_t>& unanswered = header.drops[static_cast<uint32_t>(DropReason::kUnanswered)];
    unanswered.fetch_add(request != nullptr ? 1 : UINT64_MAX, std::memory_order_relaxed);
    pending = request;
  }
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_SAMPLED_THREAD_H_
