#ifndef GECKOPROF_BASEPROFILER_SAMPLER_THREAD_CAPTURE_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_THREAD_CAPTURE_H_

#include <cstdint>

#include "geckoprof/handover/handover_table.h"
#include "geckoprof/threads/thread_registry.h"
#include "geckoprof/unwind/registers.h"
#include "recording/sampler_control.h"
#include "sampler/blocked_thread_reader.h"
#include "sampler/capture_pool.h"
#include "sampler/label_copy.h"

namespace geckoprof {

// ThreadCapture: captures the stack of one thread on demand, also while nothing is recorded.
//
//   the calling thread:       registers, labels, and its stack in place; no copy, no lock, no signal
//   a blocked thread:         read through /proc, and read again if it has moved
//   a running thread:         the sampler's signal, a buffer of the table's own range for this, and a short wait
//
// The bounds of a stack come from pthread_create's wrapper or from the main stack, or for the calling thread from libc.
// Without bounds the readable memory is copied. For a running thread only the page of its stack pointer is copied. A
// request without an answer in time keeps its buffer until the answer. After eight such requests no thread can be asked
// any more.
//
// Threads: any thread of the program. A lock serialises captures of other threads.
// Context: not signal context. A handler that interrupts the holder of the lock is refused.
class ThreadCapture {
 public:
  struct Process {
    ProcessId pid;
    CaptureTable* table;
    const ThreadRegistry* registry;
    StackRange main_stack;
    uint32_t unloads;
  };
  using Callback = void (*)(void* context, const HandoverStack* stack);

  ThreadCapture(const Process& process, Callback callback, void* context)
      : process_(process), callback_(callback), context_(context) {}

  // `slot` is the calling thread's slot, or null.
  HandoverSample CaptureCurrent(ThreadId self, const ThreadSlot* slot) const;
  // REQUIRES: SamplingSignal is installed.
  HandoverSample CaptureOther(ThreadId tid, SamplerControl& control, int64_t timeout_ns) const;

  static void AfterForkInChild(int32_t parent_thread);

 private:
  struct Bytes {
    const uint8_t* bytes = nullptr;
    uint64_t avma = 0;
    uint64_t count = 0;
    bool is_whole = false;
  };
  struct Target;
  enum class Attempt : uint8_t { kTaken, kAgain, kSignalBlocked, kGone, kTimeout, kNoMemory };

  // Returns {0, 0} if the bounds are unknown, or if the thread is on another stack, such as a coroutine's.
  StackRange FindStackRange(uint64_t sp, ThreadId tid, const ThreadSlot* slot) const;
  Attempt TryBlocked(Target& target, const BlockedThreadReader::Place& place, int64_t cpu_ns) const;
  Attempt TryRunning(Target& target) const;
  Attempt RequestCapture(Target& target, CapturePool& pool, CaptureBuffer* buffer) const;
  Attempt WaitFor(const Target& target, CapturePool& pool, CaptureBuffer* buffer) const;
  void Deliver(ThreadId tid, HandoverStackSource source, const Registers& registers, const Bytes& stack,
               const LabelCopy& labels) const;

  const Process process_;
  const Callback callback_;
  void* const context_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_THREAD_CAPTURE_H_
