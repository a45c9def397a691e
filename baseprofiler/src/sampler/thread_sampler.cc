#include "sampler/thread_sampler.h"

#include <errno.h>

#include <algorithm>
#include <utility>

#include "geckoprof/arch/instructions.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/segment/segment_format.h"
#include "signal/sampling_signal.h"
#include "stacks/stack_bounds.h"

namespace geckoprof {

ThreadSampler::ThreadSampler(const SamplerSetting* setting, const Parts& parts)
    : setting_(*setting),
      segment_(*setting->segment),
      header_(setting->segment->header()),
      samples_(*parts.samples),
      modules_(*parts.modules),
      threads_(*parts.threads),
      stacks_(*parts.stacks),
      cycles_(*parts.cycles),
      pool_(setting->table),
      ticks_(setting->table) {
  modules_.CallBefore([](void* self) { static_cast<ThreadSampler*>(self)->CollectAnswered(); }, this);
}

void ThreadSampler::SampleThreads(int64_t now_ns) {
  ++tick_count_;
  clock_read_ns_ = now_ns;
  asked_now_ = 0;
  CollectTicks();
  const auto& threads = threads_.threads();
  for (size_t i = 0; i < threads.size(); ++i) {
    if (!threads[i]->selected) {
      FilterOut(*threads[i]);
    } else if (IsDue(*threads[i], i, threads.size())) {
      SampleThread(*threads[i], now_ns);
    }
  }
  awaits_answers_ = asked_now_ > 0 && !CollectSpinning();
  const bool silent = setting_.control->signal.load(std::memory_order_relaxed) == 0;
  signal_choice_.Choose(threads_.threads(), silent, now_ns);
  // The current time counts, because the tick may have begun long before the last sample of these threads.
  if (std::exchange(any_gone_, false)) threads_.RemoveGone(MonotonicNs());
}

void ThreadSampler::ReportDrained() {
  const int32_t signal = setting_.control->signal.load(std::memory_order_acquire);
  if (setting_.control->drained_signal.load(std::memory_order_relaxed) == signal) return;
  for (const auto& thread : threads_.threads()) {
    if (thread->pending != nullptr && thread->pending_signal != signal && !CapturePool::IsAnswered(thread->pending))
      return;
  }
  setting_.control->drained_signal.store(signal, std::memory_order_release);
}

void ThreadSampler::SampleThread(SampledThread& thread, int64_t now_ns) {
  if (thread.pending != nullptr && CapturePool::IsAnswered(thread.pending)) Collect(thread);
  const int64_t cpu_ns = ThreadCpuNs(thread.tid);
  if (cpu_ns < 0) {
    thread.gone = any_gone_ = true;
    return;
  }
  const bool first = !thread.cpu.has_row();
  const bool forking = setting_.control->busy_forking_tid.load(std::memory_order_relaxed) == thread.tid.ToNumber();
  // A thread that was seen in a wait has received no signal since. If it used any CPU time, it may be in another wait.
  const bool was_waiting = thread.waiting_since_ns != 0;
  const int64_t unnoticed_ns = was_waiting ? 0 : kRanThresholdNs;
  const bool ran = (first || cpu_ns - thread.cpu_baseline_ns > unnoticed_ns) && !forking;
  thread.idle_ticks = ran ? 0 : thread.idle_ticks + (thread.idle_ticks < UINT32_MAX ? 1 : 0);
  if (ran) thread.waiting_since_ns = 0;
  const bool is_shown_waiting = was_waiting && !thread.shown_running;
  if (!ran && (forking || is_shown_waiting)) return;
  // The CPU clock is read together with the time. With many threads, or after a preemption, the tick began long ago.
  const CpuAtTime seen = SampledThreadCpu::Complete(thread.tid, cpu_ns, clock_read_ns_);
  BlockedThreadReader::Place place;
  Fd temporary;
  const Fd& syscall_file = threads_.SyscallFile(thread, temporary);
  switch (blocked_.ReadPlace(syscall_file, place)) {
    case BlockedThreadReader::State::kRunning:
      if (thread.timer.is_armed()) {
        if (ran) CheckTicks(thread, seen);
        break;
      }
      if (ran) SampleRunning(thread, seen.cpu_ns, now_ns);
      ArmTimer(thread);
      break;
    case BlockedThreadReader::State::kBlocked:
      CollectTicks();  // their samples come first
      if (thread.waiting_since_ns == 0 && !first) {
        // The stack of a shorter wait than until the next look is not read. A longer wait that is shown has ended.
        if (is_shown_waiting) Write(thread, seen, WaitAt(thread, place), {});
        thread.waiting_since_ns = seen.time_ns;
        thread.cpu_baseline_ns = seen.cpu_ns;
        thread.shown_running = true;
      } else if (first || seen.time_ns - thread.waiting_since_ns >= ShortestShownWaitNs()) {
        ReadBlocked(thread, syscall_file, place, seen);
      }
      break;
    case BlockedThreadReader::State::kGone:
      break;  // the next scan removes it
    case BlockedThreadReader::State::kNoAccess:
      // After a change of the process's ids, the kernel does not show it the system calls of its own threads.
      if (BlockedThreadReader::StateLetter(thread.tid) == 'R') {
        if (ran) SampleRunning(thread, seen.cpu_ns, now_ns);
      } else {
        WriteUnreadable(thread, seen);
      }
      break;
  }
}

void ThreadSampler::ArmTimer(SampledThread& thread) {
  const int signal = setting_.control->signal.load(std::memory_order_acquire);
  if (thread.has_no_timer || signal != timers_signal_) return;
  // A slot that the sampler has not taken in yet may forbid signals.
  if (thread.slot == nullptr && HasNewSlot(thread)) return;
  setting_.control->has_timers.store(true, std::memory_order_relaxed);
  // The flag comes first, so that a thread which blocks the signal meanwhile waits for the next look.
  if (thread.slot != nullptr) thread.slot->has_timer.store(true, std::memory_order_seq_cst);
  const bool is_safe = IsSignalSafe(thread, signal);
  if (is_safe) thread.has_no_timer = !ticks_.Arm(thread, setting_.interval_ns, signal);
  if (!thread.timer.is_armed()) DisarmTimer(thread);
}

void ThreadSampler::DisarmTimer(SampledThread& thread) {
  thread.timer.Disarm();
  if (thread.slot != nullptr) thread.slot->has_timer.store(false, std::memory_order_release);
}

// The thread may have blocked the signal without our knowledge. Then its time is shown under a frame with the reason.
void ThreadSampler::CheckTicks(SampledThread& thread, const CpuAtTime& seen) {
  if (seen.cpu_ns - thread.cpu_baseline_ns < kBlockedCheckNs + 5 * setting_.interval_ns) return;
  constexpr bool kPatient = true;
  thread.is_signal_blocked = ThreadList::IsSignalBlocked(thread.tid, timers_signal_, kPatient);
  if (thread.is_signal_blocked) WriteSignalBlocked(thread);
}

void ThreadSampler::UpdateTimers(bool may_tick) {
  const int signal = setting_.control->signal.load(std::memory_order_acquire);
  const bool keeps_signal = signal == timers_signal_;
  for (const auto& thread : threads_.threads()) {
    if (!thread->timer.is_armed()) continue;
    if (may_tick && keeps_signal && thread->selected && IsSignalSafe(*thread, signal)) {
      KernelTicks::Update(*thread);
    } else {
      DisarmTimer(*thread);
    }
  }
  // A thread that has no core may still have the former signal pending.
  if (!keeps_signal && timers_signal_ != 0) SamplingSignal::KeepServed(timers_signal_);
  timers_signal_ = signal;
  setting_.control->timer_checks.fetch_add(1, std::memory_order_release);
}

void ThreadSampler::WriteUnreadable(SampledThread& thread, const CpuAtTime& seen) {
  if (seen.cpu_ns < 0) return;
  segment_.CountDrop(DropReason::kUnreadableStack);
  Write(thread, seen, {WaitCause::kOther}, stacks_.MakeReasonStack(StackProblem::kUnreadable));
  thread.cpu_baseline_ns = seen.cpu_ns;
}

void ThreadSampler::SampleRunning(SampledThread& thread, int64_t cpu_ns, int64_t now_ns) {
  const SamplerControl::Sending sending(*setting_.control);
  if (HasUnknownSlot(thread)) return;
  const int32_t signal = setting_.control->signal.load(std::memory_order_acquire);  // 0: see SamplingSignal
  if (!IsSignalSafe(thread, signal)) {
    WriteSignalBlocked(thread);
  } else {
    thread.pending != nullptr ? CheckSignalBlocked(thread, now_ns) : RequestCapture(thread, cpu_ns, now_ns);
  }
}

void ThreadSampler::RequestCapture(SampledThread& thread, int64_t cpu_ns, int64_t now_ns) {
  CaptureBuffer* const buffer = pool_.Acquire(thread.wanted_copy_bytes);
  if (buffer == nullptr) {
    CountAsked();
    segment_.CountDrop(DropReason::kNoBuffer);
    return;
  }
  const int signal = setting_.control->signal.load(std::memory_order_acquire);
  buffer->labels = setting_.any_stacks && thread.slot != nullptr ? &thread.slot->labels : nullptr;
  buffer->stack = thread.stack;
  const int result = pool_.Send(buffer, setting_.threads.pid, thread.tid, signal);
  CountAsked();
  if (result != 0) {
    if (result == -ESRCH) thread.gone = any_gone_ = true;
    segment_.CountDrop(result == -ESRCH ? DropReason::kThreadEnded : DropReason::kSendFailed);
    return;
  }
  thread.SetPending(buffer, header_);
  thread.pending_signal = signal;
  thread.pending_since_ns = now_ns;
  thread.pending_cpu_ns = cpu_ns;
  thread.blocked_check_ns = now_ns + kBlockedCheckNs;
  ++asked_now_;
}

// A running thread has not answered. It gets no core, or it cannot be signalled. In the second case its time is still
// shown, under a frame with the reason.
void ThreadSampler::CheckSignalBlocked(SampledThread& thread, int64_t now_ns) {
  if (!thread.is_signal_blocked && now_ns >= thread.blocked_check_ns) {
    const bool patient = now_ns - thread.pending_since_ns <= 10 * kBlockedCheckNs;
    thread.blocked_check_ns = now_ns + (patient ? 1 : 20) * kBlockedCheckNs;
    thread.is_signal_blocked = ThreadList::IsSignalBlocked(thread.tid, thread.pending_signal, patient);
  }
  const int32_t signal = setting_.control->signal.load(std::memory_order_acquire);
  const bool other_signal = signal != 0 && signal != thread.pending_signal;
  if (thread.is_signal_blocked && !other_signal) {
    WriteSignalBlocked(thread);
    return;
  }
  segment_.CountDrop(DropReason::kAnswerPending);
  if (thread.is_signal_blocked) {
    SamplingSignal::KeepServed(thread.pending_signal);
    thread.is_signal_blocked = false;
    thread.blocked_check_ns = now_ns + kBlockedCheckNs;
    SendAgain(thread, signal, now_ns);
    return;
  }
  // The thread does not block the signal and has not answered. A call that waits for signals may have taken it. The
  // same request is sent again, because an answer to the first would make a new request stale. While the signal
  // changes, nothing is sent, because another thread waits for the end of the change.
  const bool changing = setting_.control->drained_signal.load(std::memory_order_relaxed) != signal;
  const bool is_late = now_ns - thread.pending_since_ns > 4 * kBlockedCheckNs && now_ns >= thread.resend_ns;
  if (!changing && is_late) SendAgain(thread, signal, now_ns);
}

void ThreadSampler::WriteSignalBlocked(SampledThread& thread) {
  signal_choice_.NoteSignalBlocked();
  segment_.CountDrop(DropReason::kSignalBlocked);
  const CpuAtTime seen = SampledThreadCpu::Read(thread.tid, clock_read_ns_);
  if (seen.cpu_ns < 0) return;
  const bool is_small =
      thread.slot != nullptr && thread.slot->IsSignalStackTooSmall(TheSigactionMaskTranslator().may_nest());
  const StackProblem problem = is_small ? StackProblem::kSmallSignalStack : StackProblem::kSignalBlocked;
  Write(thread, seen, {}, stacks_.MakeReasonStack(problem));
  thread.cpu_baseline_ns = seen.cpu_ns;
}

void ThreadSampler::ReadBlocked(SampledThread& thread, const Fd& syscall_file, const BlockedThreadReader::Place& place,
                                const CpuAtTime& seen) {
  const bool in_known_stack = thread.stack.Contains(place.sp);
  uint64_t stack_end = in_known_stack ? thread.stack.high : modules_.table().StackRegionEnd(place.sp);
  if (stack_end == 0) {
    modules_.Refresh(seen.time_ns);
    stack_end = modules_.table().StackRegionEnd(place.sp);
  }
  const bool copied = setting_.any_stacks && blocked_.CopyStack(place, stack_end);
  // From here on the copy counts only if the thread has not moved.
  std::span<const StackFrame> stack = {};
  if (copied) {
    stack = WithLibraries(thread, seen.time_ns, [&] {
      return stacks_.FromBlocked(place, blocked_, thread.slot != nullptr ? &thread.slot->labels : nullptr, thread.stack,
                                 setting_.native_stacks);
    });
  } else if (setting_.any_stacks) {
    segment_.CountDrop(DropReason::kUnreadableStack);
    stack = stacks_.MakeReasonStack(StackProblem::kUnreadable);
  }
  const Wait wait = WaitAt(thread, place);
  const bool has_moved = !blocked_.IsStillAt(syscall_file, place) || ThreadCpuNs(thread.tid) != seen.cpu_ns ||
                         seen.cpu_ns < 0 || (thread.slot == nullptr && HasNewSlot(thread));
  CountAsked();
  if (has_moved) {
    segment_.CountDrop(DropReason::kMovedWhileRead);
    return;
  }
  if (thread.waiting_since_ns == 0) thread.waiting_since_ns = seen.time_ns;
  if (Write(thread, {seen.cpu_ns, thread.waiting_since_ns}, wait, stack)) CountTaken();
  thread.cpu_baseline_ns = seen.cpu_ns;
  // A thread without announced bounds gets the range that this stack has shown.
  if (thread.slot == nullptr && !thread.is_main && copied && stacks_.reached_start()) {
    thread.stack = StackBoundsLookup::FromSample(modules_.table().RegionAt(place.sp), thread.stack, place.sp,
                                                 stacks_.outermost_sp());
  }
}

void ThreadSampler::CollectTicks() {
  if (const uint64_t unserved = ticks_.TakeUnserved(); unserved != 0) {
    segment_.CountDrop(DropReason::kNoBuffer, unserved);
  }
  while (CaptureBuffer* const capture = ticks_.NextAnswer()) {
    SampledThread* const thread = threads_.Find(ThreadId::FromNumber(capture->tid));
    uint32_t wanted_bytes = 0;
    if (thread != nullptr) {
      const CpuAtTime now = SampledThreadCpu::Read(thread->tid, clock_read_ns_);
      const double share = ticks_.ShareOf(*capture, setting_.interval_ns);
      // From here on it is no answer any more, so that the reading of modules does not collect it again.
      capture->word.store(MakeCaptureWord(0, CaptureState::kFree), std::memory_order_relaxed);
      const int64_t time_ns = std::clamp(cycles_.ToNs(capture->begin_cycles), thread->last_row_ns, now.time_ns);
      CountAsked();
      WriteTick(*thread, *capture, now, time_ns, share);
      if (now.cpu_ns >= 0) thread->cpu_baseline_ns = now.cpu_ns;
      thread->is_signal_blocked = false;
      wanted_bytes = thread->wanted_copy_bytes;
    }
    ticks_.Release(capture, wanted_bytes);
  }
}

void ThreadSampler::CollectAnswered() {
  CollectTicks();
  awaits_answers_ = false;
  for (const auto& thread : threads_.threads()) {
    if (thread.get() == collecting_ || thread->pending == nullptr) continue;
    if (CapturePool::IsAnswered(thread->pending)) {
      Collect(*thread);
    } else {
      awaits_answers_ = true;
    }
  }
}

bool ThreadSampler::CollectSpinning() {
  const int64_t until_ns = (clock_read_ns_ = MonotonicNs()) + kSpinNs;
  uint32_t missing = asked_now_;
  spinning_ = true;
  do {
    for (const auto& thread : threads_.threads()) {
      if (thread->pending != nullptr && CapturePool::IsAnswered(thread->pending) && Collect(*thread)) --missing;
    }
    SpinHint();
  } while (missing > 0 && (clock_read_ns_ = MonotonicNs()) < until_ns);
  spinning_ = false;
  return missing == 0;
}

// Writes the sample of an answered request. Returns true if the request is of this tick.
bool ThreadSampler::Collect(SampledThread& thread) {
  CaptureBuffer& capture = *thread.pending;
  const CpuAtTime now = SampledThreadCpu::Read(thread.tid, clock_read_ns_);
  const int64_t time_ns = std::clamp(cycles_.ToNs(capture.begin_cycles), thread.pending_since_ns, now.time_ns);
  const int64_t answer_cpu_ns = SampledThreadCpu::AtAnswer(thread.pending_cpu_ns, now, time_ns);
  WriteAnswer(thread, capture, {answer_cpu_ns, time_ns}, now.time_ns);
  const bool of_this_tick = spinning_ && thread.pending_since_ns == samples_.tick_ns();
  pool_.Release(thread.pending);
  thread.SetPending(nullptr, header_);
  thread.is_signal_blocked = false;
  // CPU time since an earlier tick's request is the thread's own work, and it is sampled now. CPU time since this
  // tick's request is base's own handler.
  const int64_t cpu_ns = of_this_tick ? ThreadCpuNs(thread.tid) : thread.pending_cpu_ns;
  if (cpu_ns >= 0) thread.cpu_baseline_ns = cpu_ns;
  return of_this_tick;
}

// Writes the rows of a tick. They end at the tick and share its CPU time.
void ThreadSampler::WriteTick(SampledThread& thread, CaptureBuffer& capture, const CpuAtTime& now, int64_t time_ns,
                              double share) {
  const int64_t rows = ticks_.RowsOf(capture, setting_.interval_ns);
  for (int64_t left = rows; left > 0; --left) {
    const int64_t row_ns = thread.last_row_ns + (time_ns - thread.last_row_ns) / left;
    const int64_t cpu_ns = thread.cpu.AtShare(now, share / static_cast<double>(left));
    WriteAnswer(thread, capture, {cpu_ns, row_ns}, now.time_ns);
  }
}

void ThreadSampler::WriteAnswer(SampledThread& thread, CaptureBuffer& capture, const CpuAtTime& at, int64_t now_ns) {
  std::span<const StackFrame> stack = {};
  if (setting_.any_stacks) {
    stack = WithLibraries(thread, now_ns, [&] { return stacks_.FromCapture(capture, setting_.native_stacks); });
  }
  if (capture.labels == nullptr && setting_.any_stacks && HasNewSlot(thread)) {
    segment_.CountDrop(DropReason::kMovedWhileRead);  // the thread may have opened labels after the request
  } else if (Write(thread, at, {}, stack)) {
    CountTaken();
  }
  const uint64_t pause_ns = cycles_.DurationNs(capture.end_cycles - capture.begin_cycles);
  header_.pause_counts[PauseBucket(pause_ns)].fetch_add(1, std::memory_order_relaxed);
  if (capture.labels_missing > 0) segment_.CountDrop(DropReason::kLabelOverflow, capture.labels_missing);
  if (!capture.unknown_stack && !capture.reached_stack_end) {
    thread.wanted_copy_bytes = CapturePool::RoomFor(thread.stack.high - capture.copied_from);
  }
}

}  // namespace geckoprof
