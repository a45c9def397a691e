#ifndef GECKOPROF_BASEPROFILER_SAMPLER_THREAD_SAMPLER_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_THREAD_SAMPLER_H_

#include <atomic>
#include <cstdint>
#include <span>

#include "geckoprof/entries/sample_writer.h"
#include "geckoprof/segment/segment.h"
#include "recording/sampler_control.h"
#include "sampler/blocked_thread_reader.h"
#include "sampler/capture_pool.h"
#include "sampler/cycle_clock.h"
#include "sampler/module_recorder.h"
#include "sampler/signal_choice.h"
#include "sampler/stack_builder.h"
#include "sampler/thread_list.h"

namespace geckoprof {

// SamplerSetting: the parameters of the sampler at its start. The objects behind the pointers live as long as the
// process.
struct SamplerSetting {
  Segment* segment;
  CaptureTable* table;
  SamplerControl* control;
  uintptr_t syscall_return;     // CaptureTable::own_syscall_return
  ThreadList::Setting threads;  // the sampler fills in sampler, metadata and header
  int64_t interval_ns;
  int64_t duration_ns;  // 0: no end
  bool native_stacks;
  bool any_stacks;
  bool cpu;
  bool is_for_others;  // the process itself does not use the recording
};

// ThreadSampler takes the samples of the threads at each tick.
//
//   each thread:  late answer -> written
//                 ran since its last sample? -> waits: its stack is read from here -> written
//                                               runs:  a signal; its handler copies -> answer -> written
//                                               runs and cannot be signalled: written without a stack
//
// The sampler sends the signals to all running threads first. Then it waits a few microseconds for the answers of all
// of them together. It collects later answers after 1, 3, 7... milliseconds (CollectAnswered), at the next tick, and
// when sampling ends. The segment counts each sample that could not be taken. The list of libraries may change after a
// thread was asked. Its answer is therefore unwound before the sampler reads the new list (CollectAnswered). Threads:
// the sampler's thread only. Context: not signal context.
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

  // Takes at most one sample of each thread. The tick began at `now_ns`.
  void SampleThreads(int64_t now_ns);

  // Returns whether an answer was still missing when the sampler last looked, at this tick or after it.
  bool awaits_answers() const { return awaits_answers_; }
  // Takes the answers that have come by now.
  void CollectAnswered();

  // Reports to the thread that changed the signal once no request with the old signal is on its way. That thread waits.
  void ReportDrained();

 private:
  // How long the sampler spins for answers. The delivery and a copy of 16 KiB take 5 to 8 us.
  static constexpr int64_t kSpinNs = 25'000;
  // Our own handler uses up to this much CPU time. A thread that was last seen running and used no more did not run.
  static constexpr int64_t kRanThresholdNs = 20'000;
  static constexpr int64_t kBlockedCheckNs = 5'000'000;

  void SampleThread(SampledThread& thread, int64_t now_ns);
  // Drops the answer of a thread that the filter no longer selects. If the thread has rows, the profile says so.
  void FilterOut(SampledThread& thread) {
    if (thread.pending != nullptr && CapturePool::IsAnswered(thread.pending)) Collect(thread);
    if (!thread.cpu.has_row() || samples_.AddFilteredOut(thread.index, &thread.last_sample)) thread.cpu = {};
  }
  void SampleRunning(SampledThread& thread, int64_t cpu_ns, int64_t now_ns);
  // Returns whether the thread has a slot that the sampler has not taken in yet. The slot may forbid signals to the
  // thread, so the thread is asked at the next tick instead. The segment counts this.
  bool HasUnknownSlot(const SampledThread& thread) {
    if (thread.slot != nullptr || !HasNewSlot(thread)) return false;
    segment_.CountDrop(DropReason::kAnswerPending);
    return true;
  }
  void WriteUnreadable(SampledThread& thread, const CpuAtTime& seen);
  // Returns whether this tick reads the thread's CPU clock. Reading it takes about 0.15 us. If there are many threads,
  // the long idle ones take turns, at every fourth tick.
  bool IsDue(const SampledThread& thread, size_t position, size_t count) const {
    constexpr size_t kFew = 32;
    constexpr uint32_t kLongIdleTicks = 8;
    return count <= kFew || thread.idle_ticks < kLongIdleTicks || (tick_count_ + position) % 4 == 0;
  }
  void RequestCapture(SampledThread& thread, int64_t cpu_ns, int64_t now_ns);
  void CheckSignalBlocked(SampledThread& thread, int64_t now_ns);
  void SendAgain(SampledThread& thread, int signal, int64_t now_ns) {
    thread.resend_ns = now_ns + 4 * kBlockedCheckNs;
    thread.pending_signal = signal;
    pool_.SendAgain(thread.pending, setting_.threads.pid, thread.tid, signal);
  }
  // Returns why the thread must not get the signal, or kNoProblem. 0 stands for no signal (SamplerControl::signal).
  StackProblem FindSignalProblem(const SampledThread& thread, int32_t signal) const;
  // Returns why a thread that was found to have the signal blocked does not answer, or kNoProblem if it will.
  static StackProblem FindBlockedProblem(const SampledThread& thread);
  // Writes a row of a running thread that does not get the signal.
  void WriteUnasked(SampledThread& thread, StackProblem problem);
  void ReadBlocked(SampledThread& thread, const Fd& syscall_file, const BlockedThreadReader::Place& place,
                   const CpuAtTime& seen);
  // Returns the thread's stack, as `build` makes it. If the stack goes through a library that was loaded after the list
  // was read, this reads the list and builds the stack again.
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
  bool HasNewSlot(const SampledThread& thread) const {
    return threads_.HasSlot(thread, setting_.control->announced.load(std::memory_order_acquire));
  }
  // Returns true if the row is in the segment.
  bool Write(SampledThread& thread, const CpuAtTime& at, bool blocked, std::span<const StackFrame> stack) {
    if (!thread.selected) return false;
    // A pause began in this tick. The CPU time goes to the next row.
    const int64_t paused_ns = header_.paused_since_ns.load(std::memory_order_relaxed);
    if (paused_ns != 0 && at.time_ns > paused_ns) {
      segment_.CountDrop(DropReason::kUnanswered);
      return false;
    }
    const int64_t used_ns = thread.cpu.Charge(at);
    thread.shown_running = !blocked;
    return samples_.Add({thread.index, at.time_ns, setting_.cpu ? used_ns : -1, blocked, &thread.last_sample}, stack);
  }
  // The sampler counts a request when its outcome is known, because an exec(2) may end the process at any moment.
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
  const SampledThread* collecting_ = nullptr;  // its stack is built while the list is read
  bool spinning_ = false;                      // the sampler spins for answers to the requests of this tick
  bool awaits_answers_ = false;
  bool any_gone_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_THREAD_SAMPLER_H_
