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

// ThreadSampler: takes the samples of the threads at one tick after another.
//
//   each thread:  late answer -> written
//                 ran since its last sample? -> waits:  its stack is read from here -> written
//                                               runs:   a signal; its handler copies -> answer -> written
//                                               runs, and does not hear signals:        written without a stack
//
// All that run are signalled first and answer whenever they can; only then are the answers waited for, together, and a
// few microseconds at most: one that is not there by then is collected a millisecond later (CollectAnswered), else at
// the next tick, or when sampling ends. Whatever keeps a sample from being taken is counted in the segment. What is
// asked of a thread while its list of libraries changes is unwound by the list that held when it was asked
// (CollectAnswered). Threads: owned by the sampler. Context: not signal context.
class ThreadSampler {
 public:
  // Of the sampler, which outlive this.
  struct Parts {
    SampleWriter* samples;
    ModuleRecorder* modules;
    ThreadList* threads;
    StackBuilder* stacks;
    const CycleClock* cycles;
  };
  ThreadSampler(const SamplerSetting* setting, const Parts& parts);

  // False: there is no memory for copies of stacks.
  bool ok() const { return blocked_.ok(); }

  // At a tick that began at `now_ns`, one sample at most of each thread.
  void TakeSamples(int64_t now_ns);

  // Whether requests of this tick were not answered while it lasted.
  bool awaits_answers() const { return awaits_answers_; }
  // Takes what has been answered since, and before the list of libraries is read anew: it was captured in those of the
  // old one.
  void CollectAnswered();

  // Tells whoever made us change the signal, and waits, when no request that was sent with the old one is on its way.
  void ReportDrained();

 private:
  // How long to spin for the answers of threads that run right now: delivery and a copy of 16 KiB take 5 to 8 us.
  static constexpr int64_t kSpinNs = 25'000;
  // Of a thread that was last seen running, less CPU than this since the baseline is our own handler's.
  static constexpr int64_t kRanThresholdNs = 20'000;
  static constexpr int64_t kDeafAfterNs = 5'000'000;

  void LookAt(SampledThread& thread, int64_t now_ns);
  // Its filter or its name has changed: what it was asked for is thrown away, and the profile says so where it had
  // rows.
  void LeaveOut(SampledThread& thread) {
    if (thread.pending != nullptr && CapturePool::IsAnswered(thread.pending)) Collect(thread);
    if (!thread.cpu.has_row() || samples_.AddLeftOut(thread.index)) thread.cpu = {};
  }
  void LookAtRunning(SampledThread& thread, int64_t cpu_ns, int64_t now_ns);
  // Whether it has a slot that has not been taken in yet, and that may say that it must not be sent signals: asked at
  // the next tick instead, which is counted.
  bool HasUnknownSlot(const SampledThread& thread) {
    if (thread.slot != nullptr || !HasSlotByNow(thread)) return false;
    segment_.CountDrop(DropReason::kAnswerPending);
    return true;
  }
  void WriteUnreadable(SampledThread& thread, const CpuAtTime& seen);
  // A clock costs 0.15 us to read: of many threads, those that have been idle for long are asked every fourth tick, in
  // turn.
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
  // The thread's stack, which `build` makes: once more where it goes through a library that was loaded since the list
  // was read.
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
  // False: some are missing.
  bool CollectSpinning();
  bool HasSlotByNow(const SampledThread& thread) const {
    return threads_.HasSlot(thread, setting_.control->announced.load(std::memory_order_acquire));
  }
  // True if the row is in the segment.
  bool Write(SampledThread& thread, const CpuAtTime& at, bool blocked, std::span<const StackFrame> stack) {
    if (!thread.selected) return false;
    // A pause that began in this tick: its CPU time goes to the next row.
    const int64_t paused_ns = header_.paused_since_ns.load(std::memory_order_relaxed);
    if (paused_ns != 0 && at.time_ns > paused_ns) {
      segment_.CountDrop(DropReason::kUnanswered);
      return false;
    }
    const int64_t used_ns = thread.cpu.Charge(at);
    thread.shown_running = !blocked;
    return samples_.Add({thread.index, at.time_ns, setting_.cpu ? used_ns : -1, blocked}, stack);
  }
  // When it is known what came of it: at any moment an exec(2) may end all this.
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
  int64_t clock_read_ns_ = 0;  // when the time was last read
  uint64_t tick_count_ = 0;
  uint32_t asked_now_ = 0;
  const SampledThread* collecting_ = nullptr;  // whose stack is being made while the list is read
  bool spinning_ = false;                      // for answers to the requests of this tick
  bool awaits_answers_ = false;
  bool any_gone_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_THREAD_SAMPLER_H_
