#ifndef GECKOPROF_BASEPROFILER_SAMPLER_THREAD_ASKER_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_THREAD_ASKER_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "geckoprof/base/clock.h"
#include "sampler/answer.h"
#include "sampler/blocked_thread_reader.h"
#include "sampler/capture_pool.h"
#include "sampler/kernel_ticks.h"
#include "sampler/module_recorder.h"
#include "sampler/sampled_thread.h"
#include "sampler/sampler_setting.h"
#include "sampler/thread_list.h"
#include "sampler/thread_view.h"
#include "signal/sigaction_mask_translator.h"

namespace geckoprof {

// SignalChoice: changes to the other signal (SamplingSignal) if more running threads can receive it. A thread cannot
// receive a signal if it has the signal blocked, or if the program's disposition forbids it.
//
//   a tick:  a thread that cannot be signalled -> NoteSignalBlocked
//   its end: Choose -> any? -> compare the masks of the threads that ran in this tick -> SamplingSignal::UseOther
//
// Threads: the sampler. It costs nothing if all threads can be signalled.
class SignalChoice {
 public:
  // The pause keeps two threads with different signals blocked from changing the signal all the time.
  static constexpr int64_t kPauseNs = 50'000'000;

  void NoteSignalBlocked() { any_blocked_ = true; }
  // `silent` means that the signal in use may not be sent.
  void Choose(const std::vector<std::unique_ptr<SampledThread>>& threads, bool silent, int64_t now_ns);

 private:
  bool any_blocked_ = false;  // in this tick
  int64_t next_ns_ = 0;
};

// ThreadAsker is the first phase of a look. It finds out what each thread does, and asks for the stacks of those that
// run.
//
//   each thread:  not run since the last look: a wait that has lasted for long -> its stack is copied from here
//                 ran, and is blocked now:     the begin of a wait is noted
//                 runs, with a timer:          the kernel asks at each tick
//                 runs, without a timer:       a signal is sent
//                 runs, and cannot be asked:   an answer with the reason
//
// A thread gets a timer of the kernel at its second look. A thread that lives shorter would cost more than it tells.
//
// Threads: the sampler's thread.
// Context: not signal context.
class ThreadAsker {
 public:
  struct Parts {
    ThreadList* threads;
    ModuleRecorder* modules;
    ThreadView* view;
    CapturePool* pool;
    KernelTicks* ticks;
    BlockedThreadReader* blocked;
  };
  ThreadAsker(const SamplerSetting* setting, const Parts& parts);

  // Begins a look at all threads.
  void BeginLook(int64_t now_ns);
  // Looks at threads until the last one, or until there is no room for copies. Returns false if threads are left. The
  // caller must then write the answers, and call it again.
  bool LookOn(Answers& answers);
  void EndLook();

  // What the look has found.
  struct Outcome {
    uint32_t requests = 0;     // sent in this look
    uint32_t turns = 1;        // after so many looks, each thread was looked at
    bool any_to_ask = false;   // a thread ran without a timer, or it is new: the next look is due after one interval
    bool any_unarmed = false;  // a thread has no timer, so it cannot wake the sampler
    bool ran_unarmed = false;  // such a thread has run lately
    // The main thread has ended, so the end of the last other thread ends the process. That end does not wake the
    // sampler.
    bool main_has_ended = false;
  };
  const Outcome& outcome() const { return outcome_; }

  // Looks at whether the signals of armed timers are still safe, and disarms those that are not. Disarms all if
  // `may_tick` is false. It looks at no thread if nothing has changed since the last call. A thread that no longer
  // accepts the signal nudges the sampler.
  void UpdateTimers(bool may_tick);
  // Disarms all timers. The descriptors of events belong to the thread's own table.
  void DisarmTimers() { UpdateTimers(false); }

  // Reports to the thread that changed the signal once no request with the old signal is on its way. That thread waits.
  void ReportDrained();

 private:
  // Our own handler uses up to this much CPU time. A thread that was last seen running and used no more did not run.
  static constexpr int64_t kRanThresholdNs = 20'000;
  static constexpr int64_t kBlockedCheckNs = 5'000'000;
  static constexpr uint32_t kLongIdle = 8;  // looks
  static constexpr uint32_t kLeastTurns = 4;
  static constexpr int64_t kArmAgainNs = 100 * kNsPerMs;

  // The stack of a wait is read after this time. Most waits are shorter, and would cost more than they tell.
  int64_t ShortestShownWaitNs() const { return std::min<int64_t>(3 * setting_.interval_ns, 10 * kNsPerMs); }
  // Returns whether this look reads the thread's CPU clock. Reading it takes up to a microsecond. If there are many
  // threads, the long idle ones take turns. A tick tells of those that have a timer.
  bool IsDue(const SampledThread& thread) const {
    if (thread.idle_looks < kLongIdle) return true;
    const uint32_t turns = thread.timer.is_armed() ? outcome_.turns : std::min(outcome_.turns, kLeastTurns);
    return (look_count_ + position_) % turns == 0;
  }
  // Returns the number of looks in which each of so many threads has its turn.
  static uint32_t TurnsOf(size_t count) {
    constexpr size_t kFew = 32, kAtOnce = 64;
    return count <= kFew ? 1 : std::max(static_cast<uint32_t>(count / kAtOnce), kLeastTurns);
  }
  void LookAt(SampledThread& thread, Answers& answers);
  void EndWait(SampledThread& thread, const CpuAtTime& seen, Answers& answers);
  void LookAtRunning(SampledThread& thread, const CpuAtTime& seen, bool ran, Answers& answers);
  void LookAtBlocked(SampledThread& thread, const CpuAtTime& seen, const BlockedThreadReader::Place& place,
                     Answers& answers);
  bool CopyWaiting(SampledThread& thread, const CpuAtTime& seen, const BlockedThreadReader::Place& place,
                   Answers& answers);
  void Ask(SampledThread& thread, int64_t cpu_ns, Answers& answers);
  void Request(SampledThread& thread, int64_t cpu_ns);
  void CheckUnanswered(SampledThread& thread, Answers& answers);
  void CheckTicks(SampledThread& thread, const CpuAtTime& seen, Answers& answers);
  void SendAgain(SampledThread& thread, int signal);
  // Adds an answer of a running thread that does not get the signal.
  void AddReason(SampledThread& thread, StackProblem problem, Answers& answers);

  // Timers.
  void ArmTimer(SampledThread& thread);
  bool DisarmIdle();
  void DisarmTimer(SampledThread& thread);
  // Returns why the thread must not get the signal, or kNoProblem. 0 stands for no signal (SamplerControl::signal).
  StackProblem FindSignalProblem(const SampledThread& thread, int signal) const;
  // Returns why a thread that was found to have the signal blocked does not answer, or kNoProblem if it will.
  StackProblem FindBlockedProblem(const SampledThread& thread, int signal);
  bool IsSignalSafe(const SampledThread& thread, int signal) const {
    return !IsForking(thread) && FindSignalProblem(thread, signal) == StackProblem::kNoProblem;
  }
  bool IsForking(const SampledThread& thread) const {
    return setting_.control->busy_forking_tid.load(std::memory_order_relaxed) == thread.tid.ToNumber();
  }
  // `patient` ignores a mask that holds for a moment only.
  bool IsSignalBlocked(const SampledThread& thread, int signal, bool patient) {
    const KernelSignalSet blocked = view_.BlockedSignals(thread.tid);
    return (blocked & SignalBit(signal)) != 0 && !(patient && ThreadList::IsMomentary(blocked));
  }
  // Returns whether the thread has a slot that the sampler has not taken in yet. The slot may forbid signals.
  bool HasUnknownSlot(const SampledThread& thread) const {
    return thread.slot == nullptr &&
           threads_.HasSlot(thread, setting_.control->announced.load(std::memory_order_acquire));
  }
  int Signal() const { return setting_.control->signal.load(std::memory_order_acquire); }
  // The sampler counts a request when its outcome is known, because an exec(2) may end the process at any moment.
  void CountAsked() { header_.samples_asked.fetch_add(1, std::memory_order_relaxed); }

  const SamplerSetting& setting_;
  Segment& segment_;
  SegmentHeader& header_;
  ThreadList& threads_;
  ModuleRecorder& modules_;
  ThreadView& view_;
  CapturePool& pool_;
  KernelTicks& ticks_;
  BlockedThreadReader& blocked_;
  SignalChoice signal_choice_;
  Outcome outcome_;
  int64_t now_ns_ = 0;    // the begin of the look
  size_t position_ = 0;   // of the next thread
  size_t next_idle_ = 0;  // where DisarmIdle goes on
  uint64_t look_count_ = 0;
  // The conditions under which timers are armed. UpdateTimers looks at the threads again if one of them has changed.
  struct TimerConditions {
    bool may_tick = false;
    int32_t signal = 0;  // of the armed timers
    uint32_t word = 0;   // of SamplerControl
    int32_t forking_tid = 0;
    uint32_t intakes = 0;
    bool operator==(const TimerConditions&) const = default;
  };
  TimerConditions timer_conditions_;
  bool any_gone_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_THREAD_ASKER_H_
