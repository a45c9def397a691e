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

// SampledThread: what the sampler knows about one thread of the process. Plain data, owned by the sampler thread.
struct SampledThread {
  ThreadId tid;
  ThreadIndex index;           // in the segment
  size_t position = 0;         // in its list
  ThreadSlot* slot = nullptr;  // null for threads that never used the API and were not made by pthread_create
  Fd syscall_file;             // /proc/self/task/TID/syscall, kept open
  bool selected = true;        // by the thread filter
  bool is_main = false;
  bool seen_in_scan = true;
  bool gone = false;        // seen to have ended; removed at the end of the tick
  bool name_given = false;  // by registration: the kernel's name is not looked at any more
  uint32_t renamed = 0;     // of its slot, when that was looked at

  SampledThreadCpu cpu;  // of its rows
  // CPU clock, ns, read once a sample was collected, so that the time of our own handler does not count as having run.
  int64_t cpu_baseline_ns = 0;
  uint32_t idle_ticks = 0;     // in a row; saturates
  bool shown_running = false;  // by its last row: until the next one it seems to run on
  int64_t next_name_check_ns = 0;

  StackRange stack = {0, 0};
  uint32_t wanted_copy_bytes = 0;    // more than a buffer's usual size, for deep stacks
  CaptureBuffer* pending = nullptr;  // a request that is not answered yet; by SetPending
  int32_t pending_signal = 0;        // what it was sent with
  int64_t pending_since_ns = 0;
  int64_t resend_ns = 0;       // not before then once more
  int64_t pending_cpu_ns = 0;  // its CPU clock when the request was sent
  bool deaf = false;           // it has the signal blocked, found out after the first time-out
  int64_t deaf_check_ns = 0;
  char name[64] = {};

  // A request was sent, or is over (null). It counts as unanswered meanwhile, so that those are counted which the
  // process's end overtakes.
  void SetPending(CaptureBuffer* request, SegmentHeader& header) {
    std::atomic<uint64_t>& unanswered = header.drops[static_cast<uint32_t>(DropReason::kUnanswered)];
    unanswered.fetch_add(request != nullptr ? 1 : UINT64_MAX, std::memory_order_relaxed);
    pending = request;
  }
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_SAMPLED_THREAD_H_
