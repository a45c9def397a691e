#include "sampler/sampler.h"

#include <errno.h>
#include <sys/prctl.h>

#include <algorithm>
#include <utility>

#include "geckoprof/arch/spin_hint.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/futex.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/segment/pause_buckets.h"
#include "markers/time_conversion.h"
#include "preload/own_syscall.h"
#include "process/process_control.h"
#include "process/process_title.h"
#include "sampler/program_signal.h"
#include "stacks/known_stacks.h"

namespace geckoprof {
namespace {

ThreadList::Setting Complete(ThreadList::Setting threads, MetadataWriter* metadata, SegmentHeader* header) {
  threads.sampler = ThreadId::FromNumber(static_cast<int32_t>(RawSyscall(SYS_gettid)));
  threads.metadata = metadata;
  threads.header = header;
  return threads;
}

}  // namespace

Sampler::Sampler(const SamplerSetting& setting)
    : setting_(setting),
      segment_(*setting.segment),
      header_(setting.segment->header()),
      metadata_(setting.segment),
      samples_(setting.segment),
      counters_(&CounterTable::Get(), setting.segment, &metadata_, &samples_),
      modules_(&metadata_, &samples_, &setting.control->unloads),
      threads_(Complete(setting.threads, &metadata_, &header_)),
      pool_(setting.table),
      stacks_(&modules_, &MarkerStacks::Get().sampler_rules()),
      marker_stacks_(&MarkerStacks::Get(), &stacks_, &modules_, &samples_, &setting.control->unloads) {
  modules_.CallBefore([](void* self) { static_cast<Sampler*>(self)->CollectAnswered(); }, this);
  segment_.ReopenFile();
  segment_.KeepAhead(Segment::Pages::kAllocate);
}

bool Sampler::Enter() {
  RawSyscall(SYS_prctl, PR_SET_NAME, "geckoprof");
  threads_.set_sampler(ThreadId::FromNumber(static_cast<int32_t>(RawSyscall(SYS_gettid))));
  segment_.ReopenFile();
  const int64_t now_ns = MonotonicNs();
  if (started_ns_ == 0) started_ns_ = duration_from_ns_ = now_ns;
  StartClock();
  setting_.table->own_syscall_return.store(OwnSyscallReturn(), std::memory_order_relaxed);
  setting_.table->pid.store(setting_.threads.pid.ToNumber(), std::memory_order_relaxed);
  if (setting_.native_stacks) modules_.Refresh(now_ns);
  next_scan_ns_ = now_ns;
  threads_.ReopenFiles();
  return samples_.ok() && blocked_.ok();
}

// From now on times of markers may be the counter's.
void Sampler::StartClock() {
  cycles_.ReadFirst();
  TimeConversion::NoteFirst(cycles_.first());
  if (!IsCounterTheKernelsClock()) return;
  if (header_.first_cycles == 0) {
    header_.first_cycles_ns = cycles_.first().ns;
    header_.first_cycles = cycles_.first().cycles;
  }
  ForkSafeClock().store(1, std::memory_order_release);
}

// The time. Whoever lost its core between the two clocks tells nobody of them.
int64_t Sampler::ReadClock() {
  const ClockReading now = cycles_.Read();
  if (cycles_.IsClose(now)) WriteLatestPair(header_, now.pair);
  return now.pair.ns;
}

StopReason Sampler::Run() {
  const StopReason reason = Enter() ? RunTicks() : StopReason::kNoMemory;
  // The numbers belong to this thread's descriptor table, which ends with it.
  threads_.CloseFiles();
  modules_.table().CloseFiles();
  segment_.CloseFile();
  return reason;
}

StopReason Sampler::RunTicks() {
  int64_t deadline_ns = MonotonicNs();
  for (;;) {
    // Before the modules that they went through are forgotten.
    marker_stacks_.Take(setting_.native_stacks);
    const int64_t now_ns = ReadClock();
    header_.heartbeat_ns.store(now_ns, std::memory_order_relaxed);
    const uint32_t word = setting_.control->word.load(std::memory_order_acquire);
    const SamplerControl::Command command = SamplerControl::CommandIn(word);
    if (command == SamplerControl::kLeave || command == SamplerControl::kStop) {
      TakeLast();
      return command == SamplerControl::kLeave ? StopReason::kSingleThreadCall : StopReason::kAsked;
    }
    const StopReason reason = Maintain(now_ns);
    if (reason != StopReason::kNotStopped) return reason;
    // What it was told meanwhile counts at once: in a pause nothing is sampled, nor is a tick that began in one.
    const SamplerControl::Command latest = setting_.control->command();
    NoteCommand(latest);
    const bool samples = latest == SamplerControl::kRun && command == SamplerControl::kRun;
    samples ? Tick(now_ns) : ReportDrained();
    if (const OwnerTable* const owner = setting_.control->owner.load(std::memory_order_acquire)) {
      owner->tick(owner->context, now_ns, samples);
    }
    deadline_ns = NextDeadline(deadline_ns);
    const int result = Sleep(word, deadline_ns);
    if (result != 0) {
      header_.stop_detail.store(SYS_futex << 16 | -result, std::memory_order_relaxed);
      return StopReason::kSystemCall;
    }
  }
}

// Until the deadline, or another command than that of `word`. What waits at the tick boundary, and copies of markers'
// stacks, are seen to meanwhile; the former may bring the deadline nearer.
int Sampler::Sleep(uint32_t word, int64_t& deadline_ns) {
  SamplerControl& control = *setting_.control;
  for (;;) {
    control.boundary.RunPending();
    marker_stacks_.Take(setting_.native_stacks);
    const int64_t latest_ns = MonotonicNs() + setting_.interval_ns;
    if (deadline_ns > latest_ns) deadline_ns = latest_ns;
    const int result = FutexWaitUntil(control.word, word, deadline_ns);
    if (result == -ETIMEDOUT) return 0;
    if (result != 0 && result != -EAGAIN && result != -EINTR) return result;
    const uint32_t now = control.word.load(std::memory_order_acquire);
    if (SamplerControl::CommandIn(now) != SamplerControl::CommandIn(word)) return 0;
    word = now;
  }
}

void Sampler::TakeLast() {
  threads_.TakeAllAnnounced(setting_.control->announced, MonotonicNs());
  marker_stacks_.Take(setting_.native_stacks);
  const int64_t now_ns = ReadClock();
  threads_.RefreshNames(now_ns, ThreadList::Names::kNow);
  ProcessTitle::Get().Refresh(metadata_, now_ns);
  if (paused_) return;
  samples_.BeginTick(now_ns);
  counters_.Read(samples_.tick_ns());
}

void Sampler::Change(const SamplerSetting& setting) {
  duration_from_ns_ = MonotonicNs();
  if (setting.interval_ns != setting_.interval_ns) {
    samples_.EndRun();
    metadata_.Interval(duration_from_ns_, setting_.interval_ns);
  }
  setting_ = setting;
  threads_.SelectAnew();
}

int64_t Sampler::NextDeadline(int64_t deadline_ns) {
  deadline_ns += setting_.interval_ns;
  const int64_t now_ns = MonotonicNs();
  if (deadline_ns > now_ns) return deadline_ns;
  const int64_t missed = (now_ns - deadline_ns) / setting_.interval_ns + 1;
  segment_.CountDrop(DropReason::kMissedTick, static_cast<uint64_t>(missed));
  return deadline_ns + missed * setting_.interval_ns;
}

StopReason Sampler::Maintain(int64_t now_ns) {
  threads_.TakeAnnounced(setting_.control->announced.load(std::memory_order_acquire), now_ns);
  if (now_ns >= next_scan_ns_) {
    switch (threads_.Scan(now_ns)) {
      case ThreadList::ScanResult::kFine:
        setting_.control->ForgetExitOfEndedThread(setting_.threads.pid);
        break;
      case ThreadList::ScanResult::kOnlySampler:
        return StopReason::kOnlyThread;
      case ThreadList::ScanResult::kForeignProc:
        return StopReason::kForeignProc;
      case ThreadList::ScanResult::kFailed:
        header_.stop_detail.store(SYS_openat << 16 | threads_.scan_error(), std::memory_order_relaxed);
        return StopReason::kSystemCall;
    }
    if (IsUnread()) return StopReason::kUnread;
    threads_.RefreshNames(now_ns, ThreadList::Names::kDue);
    ProcessTitle::Get().RefreshIfDue(metadata_, now_ns);
    ProgramSignal::ReclaimIfReplaced();
    // Listing a thousand threads takes 0.2 ms: such a scan is due less often.
    const int64_t took_ns = MonotonicNs() - now_ns;
    next_scan_ns_ = now_ns + (took_ns * 200 > kScanPauseNs ? took_ns * 200 : kScanPauseNs);
  }
  segment_.KeepAhead(now_ns - started_ns_ < kStartUpNs ? Segment::Pages::kAllocate : Segment::Pages::kMap);
  if (setting_.native_stacks) {
    const uint32_t unloads = setting_.control->unloads.load(std::memory_order_relaxed);
    modules_.RefreshIfDue(now_ns);
    marker_stacks_.ShareRules(unloads);
  }
  if (setting_.duration_ns != 0 && now_ns - duration_from_ns_ >= setting_.duration_ns) return StopReason::kDuration;
  return StopReason::kNotStopped;
}

// One that comes long after the one before (no core, a call that demands a single thread) begins anew.
void Sampler::BeginTick(int64_t now_ns) {
  ++tick_count_;
  const int64_t long_pause_ns = std::max(4 * setting_.interval_ns, 5 * kNsPerMs);
  if (now_ns - samples_.tick_ns() > setting_.interval_ns + long_pause_ns) samples_.EndRun();
  samples_.BeginTick(clock_read_ns_ = now_ns);
}

void Sampler::Tick(int64_t now_ns) {
  BeginTick(now_ns);
  counters_.Read(now_ns);
  asked_now_ = 0;
  const auto& threads = threads_.threads();
  for (size_t i = 0; i < threads.size(); ++i) {
    if (!threads[i]->selected) {
      LeaveOut(*threads[i]);
    } else if (IsDue(*threads[i], i, threads.size())) {
      LookAt(*threads[i], now_ns);
    }
  }
  if (asked_now_ > 0) CollectSpinning();
  signal_choice_.Choose(threads_.threads(), setting_.control->signal.load(std::memory_order_relaxed) == 0, now_ns);
  // Now: the tick may have begun long before the last sample that it took of them.
  if (std::exchange(any_gone_, false)) threads_.RemoveGone(MonotonicNs());
  modules_.table().CloseFiles();
  ReportDrained();
}

// Whoever made us change the signal waits until no request that was sent with the old one is on its way.
void Sampler::ReportDrained() {
  const int32_t signal = setting_.control->signal.load(std::memory_order_acquire);
  if (setting_.control->drained_signal.load(std::memory_order_relaxed) == signal) return;
  for (const auto& thread : threads_.threads()) {
    if (thread->pending != nullptr && thread->pending_signal != signal && !CapturePool::IsAnswered(thread->pending))
      return;
  }
  setting_.control->drained_signal.store(signal, std::memory_order_release);
}

void Sampler::LookAt(SampledThread& thread, int64_t now_ns) {
  if (thread.pending != nullptr && CapturePool::IsAnswered(thread.pending)) Collect(thread);
  const int64_t cpu_ns = ThreadCpuNs(thread.tid);
  if (cpu_ns < 0) {
    thread.gone = any_gone_ = true;
    return;
  }
  const bool first = !thread.cpu.has_row();
  const bool forking = setting_.control->busy_forking_tid.load(std::memory_order_relaxed) == thread.tid.ToNumber();
  const bool ran = (first || cpu_ns - thread.cpu_baseline_ns > kRanThresholdNs) && !forking;
  thread.idle_ticks = ran ? 0 : thread.idle_ticks + (thread.idle_ticks < UINT32_MAX ? 1 : 0);
  // One that was running when it was last sampled may have come to its wait with less than the threshold.
  if (!ran && (forking || !thread.shown_running)) return;
  // Together with the time: of many threads, or without a core for a while, the tick began long ago.
  const CpuAtTime seen = SampledThreadCpu::Complete(thread.tid, cpu_ns, clock_read_ns_);
  BlockedThreadReader::Place place;
  Fd temporary;
  const Fd& syscall_file = threads_.SyscallFile(thread, temporary);
  switch (blocked_.Look(syscall_file, place)) {
    case BlockedThreadReader::State::kRunning:
      if (ran) LookAtRunning(thread, seen.cpu_ns, now_ns);
      break;
    case BlockedThreadReader::State::kBlocked:
      ReadBlocked(thread, syscall_file, place, seen);
      break;
    case BlockedThreadReader::State::kGone:
      break;  // the next scan tells
    case BlockedThreadReader::State::kNoAccess:
      // A process whose ids changed: the system calls of its own threads are no longer shown to it.
      if (BlockedThreadReader::StateLetter(thread.tid) == 'R') {
        if (ran) LookAtRunning(thread, seen.cpu_ns, now_ns);
      } else {
        WriteUnreadable(thread, seen);
      }
      break;
  }
}

void Sampler::WriteUnreadable(SampledThread& thread, const CpuAtTime& seen) {
  if (seen.cpu_ns < 0) return;
  segment_.CountDrop(DropReason::kUnreadableStack);
  Write(thread, seen, true, stacks_.OnlyReason(StackProblem::kUnreadable));
  thread.cpu_baseline_ns = seen.cpu_ns;
}

void Sampler::LookAtRunning(SampledThread& thread, int64_t cpu_ns, int64_t now_ns) {
  const SamplerControl::Sending sending(*setting_.control);
  if (HasUnknownSlot(thread)) return;
  const int32_t signal = setting_.control->signal.load(std::memory_order_acquire);  // 0: see ProgramSignal
  if (signal == 0 || (thread.slot != nullptr && thread.slot->MustNotBeSent(signal))) {
    WriteDeaf(thread);
  } else {
    thread.pending != nullptr ? CheckDeaf(thread, now_ns) : Ask(thread, cpu_ns, now_ns);
  }
}

void Sampler::Ask(SampledThread& thread, int64_t cpu_ns, int64_t now_ns) {
  header_.samples_asked.fetch_add(1, std::memory_order_relaxed);
  CaptureBuffer* const buffer = pool_.Take(thread.wanted_copy_bytes);
  if (buffer == nullptr) {
    segment_.CountDrop(DropReason::kNoBuffer);
    return;
  }
  const int signal = setting_.control->signal.load(std::memory_order_acquire);
  buffer->labels = setting_.any_stacks && thread.slot != nullptr ? &thread.slot->labels : nullptr;
  buffer->stack = thread.stack;
  const int result = pool_.Send(buffer, setting_.threads.pid, thread.tid, signal);
  if (result != 0) {
    if (result == -ESRCH) thread.gone = any_gone_ = true;
    segment_.CountDrop(result == -ESRCH ? DropReason::kThreadEnded : DropReason::kSendFailed);
    return;
  }
  thread.SetPending(buffer, header_);
  thread.pending_signal = signal;
  thread.pending_since_ns = now_ns;
  thread.pending_cpu_ns = cpu_ns;
  thread.deaf_check_ns = now_ns + kDeafAfterNs;
  ++asked_now_;
}

// A running thread that has not answered: either it gets no core, or it does not hear us. In the second case its time
// is still shown, under a frame that says so.
void Sampler::CheckDeaf(SampledThread& thread, int64_t now_ns) {
  if (!thread.deaf && now_ns >= thread.deaf_check_ns) {
    const bool patient = now_ns - thread.pending_since_ns <= 10 * kDeafAfterNs;
    thread.deaf_check_ns = now_ns + (patient ? 1 : 20) * kDeafAfterNs;
    thread.deaf = ThreadList::IsSignalBlocked(thread.tid, thread.pending_signal, patient);
  }
  const int32_t signal = setting_.control->signal.load(std::memory_order_acquire);
  const bool other_signal = signal != 0 && signal != thread.pending_signal;
  if (thread.deaf && !other_signal) {
    WriteDeaf(thread);
    return;
  }
  segment_.CountDrop(DropReason::kAnswerPending);
  if (thread.deaf) {
    ProgramSignal::KeepServed(thread.pending_signal);
    thread.deaf = false;
    thread.deaf_check_ns = now_ns + kDeafAfterNs;
    SendAgain(thread, signal, now_ns);
    return;
  }
  // Not blocked, and not answered: the signal may have been taken by a call that waits for signals. The same request
  // again, since an answer to the first would make another one stale; not while the signal changes: somebody waits.
  const bool changing = setting_.control->drained_signal.load(std::memory_order_relaxed) != signal;
  const bool is_late = now_ns - thread.pending_since_ns > 4 * kDeafAfterNs && now_ns >= thread.resend_ns;
  if (!changing && is_late) SendAgain(thread, signal, now_ns);
}

void Sampler::WriteDeaf(SampledThread& thread) {
  signal_choice_.NoteDeaf();
  segment_.CountDrop(DropReason::kDeafThread);
  const CpuAtTime seen = SampledThreadCpu::Read(thread.tid, clock_read_ns_);
  if (seen.cpu_ns < 0) return;
  Write(thread, seen, false, stacks_.OnlyReason(StackProblem::kDeaf));
  thread.cpu_baseline_ns = seen.cpu_ns;
}

void Sampler::ReadBlocked(SampledThread& thread, const Fd& syscall_file, const BlockedThreadReader::Place& place,
                          const CpuAtTime& seen) {
  header_.samples_asked.fetch_add(1, std::memory_order_relaxed);
  const bool in_known_stack = thread.stack.Holds(place.sp);
  uint64_t stack_end = in_known_stack ? thread.stack.high : modules_.table().StackRegionEnd(place.sp);
  if (stack_end == 0) {
    modules_.Refresh(seen.time_ns);
    stack_end = modules_.table().StackRegionEnd(place.sp);
  }
  const bool copied = setting_.any_stacks && blocked_.CopyStack(place, stack_end);
  // From here on nothing of the copy counts unless the thread has stood still.
  std::span<const StackFrame> stack = {};
  if (copied) {
    stack = WithLibraries(thread, seen.time_ns, [&] {
      return stacks_.FromBlocked(place, blocked_, thread.slot != nullptr ? &thread.slot->labels : nullptr, thread.stack,
                                 setting_.native_stacks);
    });
  } else if (setting_.any_stacks) {
    segment_.CountDrop(DropReason::kUnreadableStack);
    stack = stacks_.OnlyReason(StackProblem::kUnreadable);
  }
  if (!blocked_.IsStillAt(syscall_file, place) || ThreadCpuNs(thread.tid) != seen.cpu_ns || seen.cpu_ns < 0 ||
      (thread.slot == nullptr && HasSlotByNow(thread))) {
    segment_.CountDrop(DropReason::kMovedWhileRead);
    return;
  }
  if (Write(thread, seen, true, stack)) CountTaken();
  thread.cpu_baseline_ns = seen.cpu_ns;
  if (thread.slot == nullptr && !thread.is_main && copied && stacks_.reached_start()) {
    thread.stack =
        KnownStacks::Learnt(modules_.table().RegionAt(place.sp), thread.stack, place.sp, stacks_.outermost_sp());
  }
}

// Before the list of libraries is read anew: what was captured so far was in those of the old one.
void Sampler::CollectAnswered() {
  for (const auto& thread : threads_.threads()) {
    if (thread.get() == collecting_ || thread->pending == nullptr) continue;
    if (CapturePool::IsAnswered(thread->pending)) Collect(*thread);
  }
}

void Sampler::CollectSpinning() {
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
}

// True if the answer belongs to a request of this tick.
bool Sampler::Collect(SampledThread& thread) {
  CaptureBuffer& capture = *thread.pending;
  const CpuAtTime now = SampledThreadCpu::Read(thread.tid, clock_read_ns_);
  const int64_t time_ns = std::clamp(cycles_.ToNs(capture.begin_cycles), thread.pending_since_ns, now.time_ns);
  std::span<const StackFrame> stack = {};
  if (setting_.any_stacks) {
    stack = WithLibraries(thread, now.time_ns, [&] { return stacks_.FromCapture(capture, setting_.native_stacks); });
  }
  const int64_t answer_cpu_ns = SampledThreadCpu::AtAnswer(thread.pending_cpu_ns, now, time_ns);
  if (capture.labels == nullptr && setting_.any_stacks && HasSlotByNow(thread)) {
    segment_.CountDrop(DropReason::kMovedWhileRead);  // it may have opened labels since it was asked
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
  pool_.GiveBack(thread.pending);
  thread.SetPending(nullptr, header_);
  thread.deaf = false;
  // What it used since an earlier tick's request is its own work, to be sampled now; since this tick's, our handler's.
  const int64_t cpu_ns = of_this_tick ? ThreadCpuNs(thread.tid) : thread.pending_cpu_ns;
  if (cpu_ns >= 0) thread.cpu_baseline_ns = cpu_ns;
  return of_this_tick;
}

}  // namespace geckoprof
