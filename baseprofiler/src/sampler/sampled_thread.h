#ifndef GECKOPROF_BASEPROFILER_SAMPLER_SAMPLED_THREAD_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_SAMPLED_THREAD_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "geckoprof/base/fd.h"
#include "geckoprof/base/ids.h"
#include "geckoprof/segment/segment_format.h"
#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/threads/thread_slot.h"
#include "sampler/sampled_thread_cpu.h"

namespace geckoprof {

// SampledThread: the sampler's knowledge of one thread of the process. It is plain data.
//
// Threads: owned by the sampler.
struct SampledThread {
  ThreadId tid;
  ThreadIndex index;           // in the segment
  size_t position = 0;         // position in ThreadList::threads()
  ThreadSlot* slot = nullptr;  // null for a thread that never used the API and that pthread_create did not make
  Fd syscall_file;             // /proc/self/task/TID/syscall, kept open
  bool selected = true;        // chosen by the thread filter
  bool is_main = false;
  bool seen_in_scan = true;
  bool gone = false;        // seen to have ended; removed at the end of the tick
  bool name_given = false;  // by registration; the kernel's name is not read any more
  uint32_t renamed = 0;     // the slot's `renamed` when the name was last read

  SampledThreadCpu cpu;  // of its samples
  // CPU clock in ns, read after a sample was collected. The time of base's own handler therefore does not count as
  // work.
  int64_t cpu_baseline_ns = 0;
  uint32_t idle_ticks = 0;     // in a row; saturates
  bool shown_running = false;  // by its last sample; until the next one it seems to run on
  int64_t next_name_check_ns = 0;

  StackRange stack = {0, 0};
  uint32_t wanted_copy_bytes = 0;    // for deep stacks; more than a buffer's usual size
  CaptureBuffer* pending = nullptr;  // an unanswered request; set by SetPending
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
