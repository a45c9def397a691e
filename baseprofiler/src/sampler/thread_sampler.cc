#include "sampler/thread_sampler.h"

#include <errno.h>

#include <algorithm>
#include <utility>

#include "geckoprof/arch/instructions.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/segment/segment_format.h"
#include "signal/sampling_signal.h"
#include "signal/sigaction_mask_translator.h"
#include "stacks/stack_bounds.h"

namespace geckoprof {
namespace {

// Returns the reason under which the segment counts a running thread that does not get the signal.
DropReason DropFor(StackProblem problem) {
  switch (problem) {
    case StackProblem::kSmallSignalStack:
      return DropReason::kSmallSignalStack;
    case StackProblem::kTraced:
      return DropReason::kTraced;
    case StackProblem::kSignalInUse:
      return DropReason::kSignalInUse;
    case StackProblem::kInSignalHandler:
      return DropReason::kInSignalHandler;
    default:
      return DropReason::kSignalBlocked;
  }
}

}  // namespace

ThreadSampler::ThreadSampler(const SamplerSetting* setting, const Parts& parts)
    : setting_(*setting),
      segment_(*setting->segment),
      header_(setting->segment->header()),
      samples_(*parts.samples),
      modules_(*parts.modules),
      threads_(*parts.threads),
      stacks_(*parts.stacks),
      cycles_(*parts.cycles),
      pool_(setting->table) {
  modules_.CallBefore([](void* self) { static_cast<ThreadSampler*>(self)->CollectAnswered(); }, this);
}

void ThreadSampler::SampleThreads(int64_t now_ns) {
  ++tick_count_;
  clock_read_ns_ = now_ns;
  asked_now_ = 0;
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
  // A thread that was last seen in a wait has received no signal since. If it used any CPU time, it may be in another
  // wait now.
  const int64_t unnoticed_ns = thread.shown_running ? kRanThresholdNs : 0;
  const bool ran = (first || cpu_ns - thread.cpu_baseline_ns > unnoticed_ns) && !forking;
  thread.idle_ticks = ran ? 0 : thread.idle_ticks + (thread.idle_ticks < UINT32_MAX ? 1 : 0);
  // A thread that was running at its last sample may have reached its wait with less CPU time than the threshold.
  if (!ran && (forking || !thread.shown_running)) return;
  // The CPU clock is read together with the time. With many threads, or after a preemption, the tick began long ago.
  const CpuAtTime seen = SampledThreadCpu::Complete(thread.tid, cpu_ns, clock_read_ns_);
  BlockedThreadReader::Place place;
  Fd temporary;
  const Fd& syscall_file = threads_.SyscallFile(thread, temporary);
  switch (blocked_.ReadPlace(syscall_file, place)) {
    case BlockedThreadReader::State::kRunning:
      if (ran) SampleRunning(thread, seen.cpu_ns, now_ns);
      break;
    case BlockedThreadReader::State::kBlocked:
      ReadBlocked(thread, syscall_file, place, seen);
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

void ThreadSampler::WriteUnreadable(SampledThread& thread, const CpuAtTime& seen) {
  if (seen.cpu_ns < 0) return;
  segment_.CountDrop(DropReason::kUnreadableStack);
  Write(thread, seen, true, stacks_.MakeReasonStack(StackProblem::kUnreadable));
  thread.cpu_baseline_ns = seen.cpu_ns;
}

StackProblem ThreadSampler::FindSignalProblem(const SampledThread& thread, int32_t signal) const {
  if (signal == 0) return StackProblem::kSignalInUse;
  if (thread.slot == nullptr) return StackProblem::kNoProblem;
  return thread.slot->FindSignalProblem(signal, TheSigactionMaskTranslator().may_nest());
}

// The mask of a thread in a protected handler is base's work, and the handler ends soon.
StackProblem ThreadSampler::FindBlockedProblem(const SampledThread& thread) {
  if (!thread.is_signal_blocked) return StackProblem::kNoProblem;
  const KernelSignalSet handlers = TheSigactionMaskTranslator().protected_handlers();
  if (handlers == 0) return StackProblem::kSignalBlocked;
  const KernelSignalSet blocked = ThreadList::BlockedSignals(thread.tid);
  if ((blocked & SignalBit(thread.pending_signal)) == 0) return StackProblem::kNoProblem;
  return (blocked & handlers) != 0 ? StackProblem::kInSignalHandler : StackProblem::kSignalBlocked;
}

void ThreadSampler::SampleRunning(SampledThread& thread, int64_t cpu_ns, int64_t now_ns) {
  const SamplerControl::Sending sending(*setting_.control);
  if (HasUnknownSlot(thread)) return;
  const int32_t signal = setting_.control->signal.load(std::memory_order_acquire);  // 0: see SamplingSignal
  const StackProblem problem = FindSignalProblem(thread, signal);
  if (problem != StackProblem::kNoProblem) {
    WriteUnasked(thread, problem);
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
  const StackProblem problem = FindBlockedProblem(thread);
  if (problem != StackProblem::kNoProblem && !other_signal) {
    WriteUnasked(thread, problem);
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

void ThreadSampler::WriteUnasked(SampledThread& thread, StackProblem problem) {
  const bool may_get_other = problem == StackProblem::kSignalBlocked || problem == StackProblem::kSignalInUse;
  if (may_get_other) signal_choice_.NoteSignalBlocked();
  segment_.CountDrop(DropFor(problem));
  const CpuAtTime seen = SampledThreadCpu::Read(thread.tid, clock_read_ns_);
  if (seen.cpu_ns < 0) return;
  Write(thread, seen, false, stacks_.MakeReasonStack(problem));
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
  const bool has_moved = !blocked_.IsStillAt(syscall_file, place) || ThreadCpuNs(thread.tid) != seen.cpu_ns ||
                         seen.cpu_ns < 0 || (thread.slot == nullptr && HasNewSlot(thread));
  CountAsked();
  if (has_moved) {
    segment_.CountDrop(DropReason::kMovedWhileRead);
    return;
  }
  if (Write(thread, seen, true, stack)) CountTaken();
  thread.cpu_baseline_ns = seen.cpu_ns;
  // A thread without announced bounds gets the range that this stack has shown.
  if (thread.slot == nullptr && !thread.is_main && copied && stacks_.reached_start()) {
    thread.stack = StackBoundsLookup::FromSample(modules_.table().RegionAt(place.sp), thread.stack, place.sp,
                                                 stacks_.outermost_sp());
  }
}

void ThreadSampler::CollectAnswered() {
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
  std::span<const StackFrame> stack = {};
  if (setting_.any_stacks) {
    stack = WithLibraries(thread, now.time_ns, [&] { return stacks_.FromCapture(capture, setting_.native_stacks); });
  }
  const int64_t answer_cpu_ns = SampledThreadCpu::AtAnswer(thread.pending_cpu_ns, now, time_ns);
  if (capture.labels == nullptr && setting_.any_stacks && HasNewSlot(thread)) {
    segment_.CountDrop(DropReason::kMovedWhileRead);  // the thread may have opened labels after the request
  } else if (Write(thread, {answer_cpu_ns, time_ns}, false, stack)) {
    CountTaken();
  }
  const uint64_t pause_ns = cycles_.DurationNs(capture.end_cycles - capture.begin_cycles);
  header_.pause_counts[PauseBucket(pause_ns)].fetch_add(1, std::memory_order_relaxed);
  if (capture.labels_missing > 0) segment_.CountDrop(DropReason::kLabelOverflow, capture.labels_missing);
  if (!capture.unknown_stack && !capture.reached_stack_end) {
    thread.wanted_copy_bytes = CapturePool::RoomFor(thread.stack.high - capture.copied_from);
  }
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

}  // namespace geckoprof
