#ifndef GECKOPROF_BASEPROFILER_SAMPLER_THREAD_SAMPLER_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_THREAD_SAMPLER_H_

#include <atomic>
#include <cstdint>
#include <span>

#include "geckoprof/entries/sample_writer.h"
#include "geckoprof/segment/segment.h"
#include "sampler/blocked_thread_reader.h"
#include "sampler/capture_pool.h"
#include "sampler/cycle_clock.h"
#include "sampler/module_recorder.h"
#include "sampler/sampler_setting.h"
#include "sampler/signal_choice.h"
#include "sampler/stack_builder.h"
#include "sampler/thread_list.h"

namespace geckoprof {

// ThreadSampler: takes the samples of the threads at each tick.
//
//   each thread:  late answer -> written
//                 ran since its last sample? -> waits: its stack is read from here -> written
//                                               runs:  a signal; its handler copies -> answer -> written
//                                               runs and cannot be signalled: written without a stack
//
// All running threads are signalled first, and they answer independently. Then the sampler waits for all answers
// together, for some microseconds at most. A later answer is collected a millisecond later (CollectAnswered), at the
// next tick, or when sampling ends. Each reason for a missing sample is counted in the segment. If the list of
// libraries changes after a request, the list at the time of the request is used (CollectAnswered).
//
// Threads: owned by the sampler.
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

  // Takes at most one sample of each thread at a tick that began at `now_ns`.
  void TakeSamples(int64_t now_ns);

  // Returns true if requests of this tick have no answer yet.
  bool awaits_answers() const { return awaits_answers_; }
  // Collects late answers. It is also called before the list of libraries is read again, because the answers were
  // captured under the old list.
  void CollectAnswered();

  // Reports that no request with a former signal is on its way. A thread that changes the signal waits for this.
  void ReportDrained();

 private:
  // The time to spin for answers of running threads. Delivery and a copy of the stack take several microseconds.
  static constexpr int64_t kSpinNs = 25'000;
  // For a thread that was last seen running, less CPU time than this since the baseline is base's own handler.
  static constexpr int64_t kRanThresholdNs = 20'000;
  static constexpr int64_t kDeafAfterNs = 5'000'000;

  void LookAt(SampledThread& thread, int64_t now_ns);
  // The filter no longer selects the thread. An answer is thrown away, and the profile shows the gap if the thread had
  // samples.
  void LeaveOut(SampledThread& thread) {
    if (thread.pending != nullptr && CapturePool::IsAnswered(thread.pending)) Collect(thread);
    if (!thread.cpu.has_row() || samples_.AddLeftOut(thread.index)) thread.cpu = {};
  }
  void LookAtRunning(SampledThread& thread, int64_t cpu_ns, int64_t now_ns);
  // Returns true if the thread has a slot that was not taken in yet. The slot may say that the thread must not be
  // signalled. The thread is asked at the next tick instead, and this is counted.
  bool HasUnknownSlot(const SampledThread& thread) {
    if (thread.slot != nullptr || !HasSlotByNow(thread)) return false;
    segment_.CountDrop(DropReason::kAnswerPending);
    return true;
  }
  void WriteUnreadable(SampledThread& thread, const CpuAtTime& seen);
  // Reading a clock costs a fraction of a microsecond. With many threads, each long-idle thread is read only at every
  // fourth tick.
  bool IsDue(const SampledThread& thread, size_t position, size_t count) const {
    constexpr size_t kFew = 32;
    constexpr uint32_t kLongIdleTicks = 8;
    return count <= kFew || thread.idle_ticks < kLongIdleTicks || (tick_count_ + position) % 4 == 0;
  }
  void Ask(SampledThread& thread, int64_t cpu_ns, int64_t now_ns);
  void CheckDeaf(SampledThread& thread, int64_t now_ns);
  void SendAgain(SampledThread& thread, int signal, int64_t now_ns) {
    thread.resend_ns = now_ns + 4 * kDeafAfterNs;
    thread.pending_signal = signal;
    pool_.SendAgain(thread.pending, setting_.threads.pid, thread.tid, signal);
  }
  void WriteDeaf(SampledThread& thread);
  void ReadBlocked(SampledThread& thread, const Fd& syscall_file, const BlockedThreadReader::Place& place,
                   const CpuAtTime& seen);
  // Builds the thread's stack. If it goes through a library that was loaded since the list was read, it is built again.
  template <typename Build>
  std::span<const StackFrame> WithLibraries(const SampledThread& thread, int64_t now_ns, const Build& build) {
    const std::span<const StackFrame> stack = build();
    if (!modules_.is_wanted() || collecting_ != nullptr) return stack;
    collecting_ = &thread;
    const bool is_read = modules_.RefreshIfDue(now_ns);
    collecting_ = nullptr;
    return is_read ? build() : stack;
  }
  bool Collect(SampledThread& thread);
  // Returns false if some answers are missing.
  bool CollectSpinning();
  bool HasSlotByNow(const SampledThread& thread) const {
    return threads_.HasSlot(thread, setting_.control->announced.load(std::memory_order_acquire));
  }
  // Returns true if the sample is in the segment.
  bool Write(SampledThread& thread, const CpuAtTime& at, bool blocked, std::span<const StackFrame> stack) {
    if (!thread.selected) return false;
    // A pause began in this tick. The CPU time goes to the next sample.
    const int64_t paused_ns = header_.paused_since_ns.load(std::memory_order_relaxed);
    if (paused_ns != 0 && at.time_ns > paused_ns) {
      segment_.CountDrop(DropReason::kUnanswered);
      return false;
    }
    const int64_t used_ns = thread.cpu.Charge(at);
    thread.shown_running = !blocked;
    return samples_.Add({thread.index, at.time_ns, setting_.cpu ? used_ns : -1, blocked}, stack);
  }
  // Counts a request when its result is known, because an exec(2) may end the process at any moment.
  void CountAsked() { header_.samples_asked.fetch_add(1, std::memory_order_relaxed); }
  void CountTaken() { header_.samples_taken.fetch_add(1, std::memory_order_relaxed); }

  const SamplerSetting& setting_;
  Segment& segment_;
  SegmentHeader& header_;
  SampleWriter& samples_;
  ModuleRecorder& modules_;
  ThreadList& threads_;
  StackBuilder& stacks_;
  const CycleClock& cycles_;
  CapturePool pool_;
  SignalChoice signal_choice_;
  BlockedThreadReader blocked_;
  int64_t clock_read_ns_ = 0;  // the last reading of the time
  uint64_t tick_count_ = 0;
  uint32_t asked_now_ = 0;
  const SampledThread* collecting_ = nullptr;  // the list of libraries is read for this thread's stack
  bool spinning_ = false;                      // waits for answers to the requests of this tick
  bool awaits_answers_ = false;
  bool any_gone_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_THREAD_SAMPLER_H_
