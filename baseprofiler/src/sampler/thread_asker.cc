#include "sampler/thread_asker.h"

#include <errno.h>

#include <utility>

#include "sampler/thread_list.h"
#include "signal/sampling_signal.h"

namespace geckoprof {
namespace {

KernelSignalSet BlockedBy(const SampledThread& thread) {
  if (thread.is_signal_blocked) return ThreadList::BlockedSignals(thread.tid);  // the mask was set without base's hooks
  return thread.slot != nullptr ? thread.slot->blocked_signals.load(std::memory_order_relaxed) : 0;
}

}  // namespace

void SignalChoice::Choose(const std::vector<std::unique_ptr<SampledThread>>& threads, bool silent, int64_t now_ns) {
  if (!std::exchange(any_blocked_, false) || now_ns < next_ns_) return;
  next_ns_ = now_ns + kPauseNs;
  const KernelSignalSet used = SignalBit(SamplingSignal::Current());
  const KernelSignalSet other = SamplingSignal::CandidateSet() & ~used;
  int gain = 0;
  for (const auto& thread : threads) {
    if (thread->idle_looks > 0) continue;
    const KernelSignalSet blocked = BlockedBy(*thread);
    gain += (silent || (blocked & used) != 0 ? 1 : 0) - ((blocked & other) != 0 ? 1 : 0);
  }
  if (gain > 0) SamplingSignal::UseOther();
}

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

ThreadAsker::ThreadAsker(const SamplerSetting* setting, const Parts& parts)
    : setting_(*setting),
      segment_(*setting->segment),
      header_(setting->segment->header()),
      threads_(*parts.threads),
      modules_(*parts.modules),
      view_(*parts.view),
      pool_(*parts.pool),
      ticks_(*parts.ticks),
      blocked_(*parts.blocked) {}

void ThreadAsker::BeginLook(int64_t now_ns) {
  ++look_count_;
  now_ns_ = now_ns;
  position_ = 0;
  outcome_ = {.turns = TurnsOf(threads_.threads().size())};
  view_.NoteTime(now_ns);
}

bool ThreadAsker::LookOn(Answers& answers) {
  const auto& threads = threads_.threads();
  for (; position_ < threads.size(); ++position_) {
    if (!blocked_.HasRoom()) return false;
    SampledThread& thread = *threads[position_];
    if (!thread.selected) {
      if (thread.cpu.has_row()) answers.push_back({&thread, Answer::Kind::kFilteredOut, now_ns_, {0, now_ns_}});
      thread.wait = {};  // the profile forgets its row
      thread.may_have_new_name = true;
      if (thread.timer.is_armed()) DisarmTimer(thread);
      BlockedThreadReader::Place place;
      outcome_.main_has_ended |= thread.is_main && view_.ReadPlace(thread, place) == BlockedThreadReader::State::kGone;
    } else if (IsDue(thread)) {
      LookAt(thread, answers);
    } else {
      outcome_.any_unarmed |= !thread.timer.is_armed();
    }
  }
  return true;
}

void ThreadAsker::EndLook() {
  signal_choice_.Choose(threads_.threads(), Signal() == 0, now_ns_);
  // The current time counts, because the look may have begun long before the last sample of these threads.
  if (std::exchange(any_gone_, false)) threads_.RemoveGone(view_.NowNs());
}

void ThreadAsker::LookAt(SampledThread& thread, Answers& answers) {
  const int64_t cpu_ns = view_.CpuNs(thread.tid);
  if (cpu_ns < 0) {
    thread.gone = any_gone_ = true;
    return;
  }
  const bool is_new = !std::exchange(thread.was_looked_at, true);
  // A thread that was seen in a wait has received no signal since. If it used any CPU time, it may be in another wait.
  const bool had_signal = !thread.wait.is_open() && !thread.timer.is_armed();
  const bool is_forking = IsForking(thread);
  const bool ran = (is_new || cpu_ns - thread.cpu_baseline_ns > (had_signal ? kRanThresholdNs : 0)) && !is_forking;
  thread.idle_looks = ran ? 0 : thread.idle_looks + (thread.idle_looks < UINT32_MAX ? 1 : 0);
  thread.may_have_new_name |= ran;
  if (is_new) {
    outcome_.any_to_ask = true;
  } else {
    ArmTimer(thread);
    if (!thread.timer.is_armed()) {
      outcome_.any_to_ask |= ran;
      outcome_.any_unarmed = true;
      outcome_.ran_unarmed |= thread.idle_looks < kLongIdle;
    }
  }
  if (!ran && (is_forking || (thread.wait.is_open() && thread.wait.is_shown))) return;
  // The CPU clock is read together with the time. With many threads, or after a preemption, the look began long ago.
  const CpuAtTime seen = view_.CompleteCpu(thread.tid, cpu_ns);
  if (ran) EndWait(thread, seen, answers);
  BlockedThreadReader::Place place;
  switch (view_.ReadPlace(thread, place)) {
    case BlockedThreadReader::State::kRunning:
      LookAtRunning(thread, seen, ran, answers);
      break;
    case BlockedThreadReader::State::kBlocked:
      LookAtBlocked(thread, seen, place, answers);
      break;
    case BlockedThreadReader::State::kGone:
      outcome_.main_has_ended |= thread.is_main;
      break;  // the next scan removes it
    case BlockedThreadReader::State::kNoAccess:
      // After a change of the process's ids, the kernel does not show it the system calls of its own threads.
      if (BlockedThreadReader::StateLetter(thread.tid) == 'R') {
        LookAtRunning(thread, seen, ran, answers);
      } else {
        segment_.CountDrop(DropReason::kUnreadableStack);
        Answer answer{&thread, Answer::Kind::kUnreadable, seen.time_ns, seen};
        answer.wait.cause = WaitCause::kOther;
        answers.push_back(answer);
        thread.wait = {seen.time_ns, true, WaitCause::kOther};
        thread.cpu_baseline_ns = seen.cpu_ns;
      }
      break;
  }
}

// A wait that was not shown becomes a row without a stack.
void ThreadAsker::EndWait(SampledThread& thread, const CpuAtTime& seen, Answers& answers) {
  if (thread.wait.is_open() && !thread.wait.is_shown) {
    answers.push_back(Answer::OfShortWait(thread, seen));
  }
  thread.wait = {};
}

void ThreadAsker::LookAtRunning(SampledThread& thread, const CpuAtTime& seen, bool ran, Answers& answers) {
  if (!ran) return;
  if (thread.timer.is_armed()) {
    CheckTicks(thread, seen, answers);
  } else {
    Ask(thread, seen.cpu_ns, answers);
  }
}

void ThreadAsker::LookAtBlocked(SampledThread& thread, const CpuAtTime& seen, const BlockedThreadReader::Place& place,
                                Answers& answers) {
  const bool has_row = thread.cpu.has_row();
  if (!thread.wait.is_open()) {
    thread.wait = {seen.time_ns, false, view_.CauseAt(thread, place)};
    thread.cpu_baseline_ns = seen.cpu_ns;
  } else if (seen.time_ns - thread.wait.since_ns < ShortestShownWaitNs()) {
    return;
  }
  // The first row of a thread shows a wait at once. A wait for a lock is shown at once because its holder may let go.
  const bool is_new = thread.wait.since_ns == seen.time_ns;
  if (has_row && is_new && thread.wait.cause != WaitCause::kLock) return;
  if (CopyWaiting(thread, seen, place, answers)) thread.wait.is_shown = true;
}

// Returns false if the thread has moved meanwhile.
bool ThreadAsker::CopyWaiting(SampledThread& thread, const CpuAtTime& seen, const BlockedThreadReader::Place& place,
                              Answers& answers) {
  const bool in_known_stack = thread.stack.Contains(place.sp);
  const uint64_t stack_end = in_known_stack ? thread.stack.high : modules_.table().StackRegionEnd(place.sp);
  if (stack_end == 0) modules_.NoteUnknownAddress();
  Answer answer{&thread, Answer::Kind::kWaiting, thread.wait.since_ns, seen};
  if (setting_.any_stacks) {
    const bool copied = stack_end != 0 ? blocked_.CopyStack(place, stack_end) : blocked_.CopyReadable(place);
    if (copied) {
      answer.copy = blocked_.copy();
      if (thread.slot != nullptr && thread.slot->labels.depth() > 0) {
        answer.labels = blocked_.CopyLabels(thread.slot->labels, thread.stack.Below(place.sp));
      }
    } else {
      segment_.CountDrop(DropReason::kUnreadableStack);
      answer.kind = Answer::Kind::kUnreadable;
    }
  }
  answer.wait = view_.WaitAt(thread, place);
  // The copy counts only if the thread has not moved.
  BlockedThreadReader::Place now;
  const bool is_there = view_.ReadPlace(thread, now) == BlockedThreadReader::State::kBlocked && now == place &&
                        view_.CpuNs(thread.tid) == seen.cpu_ns && !HasUnknownSlot(thread);
  CountAsked();
  if (!is_there) {
    segment_.CountDrop(DropReason::kMovedWhileRead);
    return false;
  }
  answer.place = place;
  answers.push_back(answer);
  thread.cpu_baseline_ns = seen.cpu_ns;
  return true;
}

void ThreadAsker::Ask(SampledThread& thread, int64_t cpu_ns, Answers& answers) {
  const SamplerControl::Sending sending(*setting_.control);
  const StackProblem problem = FindSignalProblem(thread, Signal());
  if (HasUnknownSlot(thread)) {
    segment_.CountDrop(DropReason::kAnswerPending);
  } else if (problem != StackProblem::kNoProblem) {
    AddReason(thread, problem, answers);
  } else if (thread.pending != nullptr) {
    CheckUnanswered(thread, answers);
  } else {
    Request(thread, cpu_ns);
  }
}

void ThreadAsker::Request(SampledThread& thread, int64_t cpu_ns) {
  CaptureBuffer* const buffer = pool_.Acquire(thread.wanted_copy_bytes);
  if (buffer == nullptr) {
    CountAsked();
    segment_.CountDrop(DropReason::kNoBuffer);
    return;
  }
  const int signal = Signal();
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
  thread.pending_since_ns = now_ns_;
  thread.pending_cpu_ns = cpu_ns;
  thread.blocked_check_ns = now_ns_ + kBlockedCheckNs;
  ++outcome_.requests;
}

// A running thread has not answered. It gets no core, or it cannot be signalled. In the second case its time is still
// shown, under a frame with the reason.
void ThreadAsker::CheckUnanswered(SampledThread& thread, Answers& answers) {
  if (!thread.is_signal_blocked && now_ns_ >= thread.blocked_check_ns) {
    const bool patient = now_ns_ - thread.pending_since_ns <= 10 * kBlockedCheckNs;
    thread.blocked_check_ns = now_ns_ + (patient ? 1 : 20) * kBlockedCheckNs;
    thread.is_signal_blocked = IsSignalBlocked(thread, thread.pending_signal, patient);
  }
  const int32_t signal = Signal();
  const bool other_signal = signal != 0 && signal != thread.pending_signal;
  const StackProblem problem = FindBlockedProblem(thread, thread.pending_signal);
  if (problem != StackProblem::kNoProblem && !other_signal) {
    AddReason(thread, problem, answers);
    return;
  }
  segment_.CountDrop(DropReason::kAnswerPending);
  if (thread.is_signal_blocked) {
    SamplingSignal::KeepServed(thread.pending_signal);
    thread.is_signal_blocked = false;
    thread.blocked_check_ns = now_ns_ + kBlockedCheckNs;
    SendAgain(thread, signal);
    return;
  }
  // The thread does not block the signal and has not answered. A call that waits for signals may have taken it. The
  // same request is sent again, because an answer to the first would make a new request stale. While the signal
  // changes, nothing is sent, because another thread waits for the end of the change.
  const bool changing = setting_.control->drained_signal.load(std::memory_order_relaxed) != signal;
  const bool is_late = now_ns_ - thread.pending_since_ns > 4 * kBlockedCheckNs && now_ns_ >= thread.resend_ns;
  if (!changing && is_late) SendAgain(thread, signal);
}

void ThreadAsker::SendAgain(SampledThread& thread, int signal) {
  thread.resend_ns = now_ns_ + 4 * kBlockedCheckNs;
  thread.pending_signal = signal;
  pool_.SendAgain(thread.pending, setting_.threads.pid, thread.tid, signal);
}

// The thread may have blocked the signal without our knowledge. Then its time is shown under a frame with the reason.
void ThreadAsker::CheckTicks(SampledThread& thread, const CpuAtTime& seen, Answers& answers) {
  if (seen.cpu_ns - thread.cpu_baseline_ns < kBlockedCheckNs + 5 * setting_.interval_ns) return;
  constexpr bool kPatient = true;
  thread.is_signal_blocked = IsSignalBlocked(thread, timer_conditions_.signal, kPatient);
  const StackProblem problem = FindBlockedProblem(thread, timer_conditions_.signal);
  if (problem != StackProblem::kNoProblem) AddReason(thread, problem, answers);
}

void ThreadAsker::AddReason(SampledThread& thread, StackProblem problem, Answers& answers) {
  const bool may_get_other = problem == StackProblem::kSignalBlocked || problem == StackProblem::kSignalInUse;
  if (may_get_other) signal_choice_.NoteSignalBlocked();
  segment_.CountDrop(DropFor(problem));
  const CpuAtTime seen = view_.ReadCpu(thread.tid);
  if (seen.cpu_ns < 0) return;
  Answer answer{&thread, Answer::Kind::kReason, seen.time_ns, seen};
  answer.problem = problem;
  answers.push_back(answer);
  thread.cpu_baseline_ns = seen.cpu_ns;
}

StackProblem ThreadAsker::FindSignalProblem(const SampledThread& thread, int signal) const {
  if (signal == 0) return StackProblem::kSignalInUse;
  if (thread.slot == nullptr) return StackProblem::kNoProblem;
  return thread.slot->FindSignalProblem(signal, TheSigactionMaskTranslator().may_nest());
}

// The mask of a thread in a protected handler is base's work, and the handler ends soon.
StackProblem ThreadAsker::FindBlockedProblem(const SampledThread& thread, int signal) {
  if (!thread.is_signal_blocked) return StackProblem::kNoProblem;
  const KernelSignalSet handlers = TheSigactionMaskTranslator().protected_handlers();
  if (handlers == 0) return StackProblem::kSignalBlocked;
  const KernelSignalSet blocked = view_.BlockedSignals(thread.tid);
  if ((blocked & SignalBit(signal)) == 0) return StackProblem::kNoProblem;
  return (blocked & handlers) != 0 ? StackProblem::kInSignalHandler : StackProblem::kSignalBlocked;
}

void ThreadAsker::ArmTimer(SampledThread& thread) {
  const int signal = Signal();
  if (thread.timer.is_armed() || now_ns_ < thread.arm_again_ns || signal != timer_conditions_.signal) return;
  // A request that got lost is sent again only while the thread is asked by requests.
  if (thread.pending != nullptr) return;
  if (!IsSignalSafe(thread, signal) || HasUnknownSlot(thread)) return;
  setting_.control->has_timers.store(true, std::memory_order_relaxed);
  // The flag comes first, and then a second check. A thread that forbids the signal meanwhile waits for the next look.
  if (thread.slot != nullptr) thread.slot->has_timer.store(true, std::memory_order_seq_cst);
  if (IsSignalSafe(thread, signal)) {
    const auto arm = [&] { return ticks_.Arm(thread, setting_.interval_ns, signal); };
    const bool has_run = thread.idle_looks < kLongIdle;
    const bool is_armed = arm() || (has_run && ticks_.IsUsedUp() && DisarmIdle() && arm());
    if (!is_armed) thread.arm_again_ns = now_ns_ + kArmAgainNs;
  }
  if (!thread.timer.is_armed()) DisarmTimer(thread);
}

// Disarms a thread that has slept for long. If all threads run, this is called often, so it looks at a few threads
// only.
bool ThreadAsker::DisarmIdle() {
  constexpr size_t kTries = 64;
  const auto& threads = threads_.threads();
  for (size_t i = 0; i < std::min(kTries, threads.size()); ++i) {
    SampledThread& thread = *threads[next_idle_++ % threads.size()];
    if (!thread.timer.is_armed() || thread.idle_looks < kLongIdle) continue;
    DisarmTimer(thread);
    return true;
  }
  return false;
}

void ThreadAsker::DisarmTimer(SampledThread& thread) {
  if (thread.timer.is_armed()) thread.former_signal = timer_conditions_.signal;
  thread.timer.Disarm();
  if (thread.slot != nullptr) thread.slot->has_timer.store(false, std::memory_order_release);
}

void ThreadAsker::UpdateTimers(bool may_tick) {
  const SamplerControl& control = *setting_.control;
  const int signal = Signal();
  const TimerConditions now = {may_tick, signal, control.word.load(std::memory_order_acquire),
                               control.busy_forking_tid.load(std::memory_order_relaxed), threads_.intakes()};
  if (now == timer_conditions_) return;
  const bool keeps_signal = signal == timer_conditions_.signal;
  for (const auto& thread : threads_.threads()) {
    if (!thread->timer.is_armed()) continue;
    if (may_tick && keeps_signal && IsSignalSafe(*thread, signal)) {
      KernelTicks::Update(*thread);
    } else {
      DisarmTimer(*thread);
    }
  }
  timer_conditions_ = now;
  setting_.control->timer_checks.fetch_add(1, std::memory_order_release);
}

void ThreadAsker::ReportDrained() {
  const int32_t signal = Signal();
  if (setting_.control->drained_signal.load(std::memory_order_relaxed) == signal || timer_conditions_.signal != signal)
    return;
  for (const auto& thread : threads_.threads()) {
    if (thread->pending != nullptr && thread->pending_signal != signal && !CapturePool::IsAnswered(thread->pending))
      return;
    // A thread that has no core may still have its last tick pending.
    if (thread->former_signal == 0 || thread->former_signal == signal) continue;
    if ((view_.PendingSignals(thread->tid) & SignalBit(thread->former_signal)) != 0) return;
    thread->former_signal = 0;
  }
  setting_.control->drained_signal.store(signal, std::memory_order_release);
}

}  // namespace geckoprof
