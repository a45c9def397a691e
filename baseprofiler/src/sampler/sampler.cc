#include "sampler/sampler.h"

#include <errno.h>
#include <sys/prctl.h>

#include <algorithm>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/futex.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/base/raw_syscall.h"
#include "markers/time_conversion.h"
#include "process/process_control.h"
#include "process/process_title.h"
#include "signal/sampling_signal.h"

namespace geckoprof {
namespace {

ThreadList::Setting Complete(ThreadList::Setting threads, MetadataWriter* metadata, SegmentHeader* header) {
  threads.sampler = ThreadId::FromNumber(static_cast<int32_t>(RawSyscall(SYS_gettid)));
  threads.metadata = metadata;
  threads.header = header;
  return threads;
}

constexpr int64_t RoundedUp(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

}  // namespace

Sampler::Sampler(const SamplerSetting& setting)
    : setting_(setting),
      segment_(*setting.segment),
      header_(setting.segment->header()),
      metadata_(setting.segment),
      samples_(setting.segment),
      looks_(&samples_),
      modules_(&metadata_, &samples_, &setting.control->unloads),
      threads_(Complete(setting.threads, &metadata_, &header_)),
      stacks_(&modules_, &PendingMarkerStacks::Get().sampler_rules()),
      thread_sampler_(&setting_, {&samples_, &modules_, &threads_, &stacks_, &cycles_}),
      marker_stacks_(&segment_, &PendingMarkerStacks::Get(), &stacks_, &modules_, &samples_,
                     &setting.control->unloads) {
  limit_.Begin(setting.overhead_limit, setting.interval_ns);
  segment_.ReopenFile();
  segment_.PrepareAhead(Segment::Pages::kAllocate);
}

bool Sampler::Enter() {
  RawSyscall(SYS_prctl, PR_SET_NAME, "geckoprof");
  threads_.set_sampler(ThreadId::FromNumber(static_cast<int32_t>(RawSyscall(SYS_gettid))));
  segment_.ReopenFile();
  cpu_before_ns_ = header_.sampler_cpu_ns.load(std::memory_order_relaxed);
  const int64_t now_ns = MonotonicNs();
  if (started_ns_ == 0) started_ns_ = duration_from_ns_ = now_ns;
  StartClock();
  setting_.table->own_syscall_return.store(setting_.syscall_return, std::memory_order_relaxed);
  setting_.table->pid.store(setting_.threads.pid.ToNumber(), std::memory_order_relaxed);
  if (setting_.native_stacks) modules_.Refresh(now_ns);
  next_scan_ns_ = now_ns;
  threads_.ReopenFiles();
  return samples_.ok() && thread_sampler_.ok();
}

// Starts the clock. From now on times of markers may be readings of the counter.
void Sampler::StartClock() {
  cycles_.ReadFirst();
  TimeConversion::SetFirst(cycles_.first());
  if (!IsCounterTheKernelsClock()) return;
  if (header_.first_cycles == 0) {
    header_.first_cycles_ns = cycles_.first().ns;
    header_.first_cycles = cycles_.first().cycles;
  }
  ForkSafeClock().store(1, std::memory_order_release);
}

// Returns the current time. If the thread was preempted between the two clock reads, the pair is not published.
int64_t Sampler::ReadClock() {
  const ClockReading now = cycles_.Read();
  if (cycles_.IsClose(now)) WriteLatestPair(header_, now.pair);
  return now.pair.ns;
}

StopReason Sampler::Run() {
  const StopReason reason = Enter() ? RunTicks() : StopReason::kNoMemory;
  looks_.Flush();
  thread_sampler_.DisarmTimers();
  // The file descriptors belong to this thread's descriptor table, which ends with the thread.
  threads_.CloseFiles();
  modules_.table().CloseFiles();
  segment_.CloseFile();
  return reason;
}

StopReason Sampler::RunTicks() {
  int64_t deadline_ns = MonotonicNs();
  ticked_ns_ = deadline_ns;
  for (;;) {
    WriteMarkerStacks();
    // The command is read before the clock. A look that samples therefore lies after the command that allows it.
    const uint32_t word = setting_.control->word.load(std::memory_order_acquire);
    const int64_t now_ns = ReadClock();
    const int64_t own_cpu_ns = ShowLife(now_ns);
    lap_ns_ = now_ns;
    look_ = {.time_ns = now_ns, .late_ns = now_ns - deadline_ns, .cpu_ns = OwnCpuNs()};
    const SamplerControl::Command command = SamplerControl::CommandIn(word);
    if (command == SamplerControl::kLeave || command == SamplerControl::kStop) {
      thread_sampler_.UpdateTimers(false);
      CollectLast();
      return command == SamplerControl::kLeave ? StopReason::kSingleThreadCall : StopReason::kAsked;
    }
    const bool any_tick = thread_sampler_.AnyTick();
    const int64_t unseen_ns = any_tick ? 0 : UnseenCpuNs(own_cpu_ns);
    program_cpu_ns_ += unseen_ns;
    if (any_tick || unseen_ns > 0) ran_ns_ = now_ns;
    const StopReason reason = Maintain(now_ns);
    if (reason != StopReason::kNotStopped) return reason;
    // A command that arrived meanwhile counts at once. Nothing is sampled in a pause or in a look that began in one.
    const SamplerControl::Command latest = setting_.control->command();
    NoteCommand(latest);
    const bool samples = latest == SamplerControl::kRun && command == SamplerControl::kRun;
    // The sampler may have been woken before its deadline. The last tick is then the one that has passed.
    if (now_ns < deadline_ns) deadline_ns -= RoundedUp(deadline_ns - now_ns, setting_.interval_ns);
    thread_sampler_.UpdateTimers(samples);
    look_.upkeep_ns = LapNs();
    const bool has_ticked = samples ? Tick(now_ns, deadline_ns) : true;
    if (!samples) thread_sampler_.ReportDrained();
    if (const OwnerTable* const owner = setting_.control->owner.load(std::memory_order_acquire); owner && has_ticked) {
      owner->tick(owner->context, now_ns, samples);
    }
    bool is_new_interval = false;
    if (samples) {
      look_.sources_ns += LapNs();
      looks_.Add(look_);
      is_new_interval = ObeyLimit(now_ns);
    }
    // A new interval has left the threads without timers. The next look arms them.
    deadline_ns = is_new_interval ? MonotonicNs() + setting_.interval_ns : NextDeadline(deadline_ns);
    const int result = Sleep(word, deadline_ns);
    if (result != 0) {
      header_.stop_detail.store(SYS_futex << 16 | -result, std::memory_order_relaxed);
      return StopReason::kSystemCall;
    }
  }
}

// Stacks of markers may go through libraries that are in no list yet. Samples from before an unload are written by the
// list that is right for them.
void Sampler::WriteMarkerStacks() {
  if (!marker_stacks_.AnyPending()) return;
  if (modules_.is_stale()) thread_sampler_.WriteAnswered();
  marker_stacks_.WritePending(setting_.native_stacks);
}

// The CPU clock of the process is that of all its threads, this one and the owner's included. Each thread makes reading
// it slower. If a tick has come, it need not be read. The result is negative if a look came before the owner had
// counted the time of its threads.
int64_t Sampler::UnseenCpuNs(int64_t own_cpu_ns) const {
  // Reading both clocks one after the other has an error of less than a microsecond.
  constexpr int64_t kErrorNs = 2'000;
  const OwnerTable* const owner = setting_.control->owner.load(std::memory_order_acquire);
  const bool counts =
      owner != nullptr && GECKOPROF_TABLE_HAS(*owner, OwnerTable, own_cpu_ns) && owner->own_cpu_ns != nullptr;
  const int64_t owners_ns = counts ? owner->own_cpu_ns->load(std::memory_order_relaxed) : 0;
  const int64_t unseen_ns = ProcessCpuNs() - own_cpu_ns - owners_ns - program_cpu_ns_;
  return unseen_ns >= kErrorNs || (counts && unseen_ns <= -kErrorNs) ? unseen_ns : 0;
}

int64_t Sampler::ShowLife(int64_t now_ns) {
  header_.heartbeat_ns.store(now_ns, std::memory_order_relaxed);
  const int64_t own_cpu_ns = CurrentThreadCpuNs();
  if (own_cpu_ns > 0) {
    header_.sampler_cpu_ns.store(cpu_before_ns_ + static_cast<uint64_t>(own_cpu_ns), std::memory_order_relaxed);
  }
  return own_cpu_ns;
}

// The caches of a core that has slept are cold. This costs a third of a look. An owner is told of ticks, so the sampler
// wakes for it.
bool Sampler::HasSleptOn() {
  const int64_t now_ns = ReadClock();
  const int64_t own_cpu_ns = ShowLife(now_ns);
  const bool is_due = now_ns - scanned_ns_ >= kIdleScanNs || thread_sampler_.outcome().main_has_ended ||
                      setting_.control->owner.load(std::memory_order_relaxed) != nullptr ||
                      (setting_.duration_ns != 0 && now_ns - duration_from_ns_ >= setting_.duration_ns);
  return !is_due && !thread_sampler_.AnyTick() && UnseenCpuNs(own_cpu_ns) == 0;
}

// Waits until the deadline or until a command other than that of `word`. It runs waiting tasks and reads copies of
// markers' stacks meanwhile. A task may bring the deadline nearer. Answers that came too late for their look are
// collected here as well. With a long interval the process may be gone before the next look. A thread or a tick may
// bring the next look nearer.
int Sampler::Sleep(uint32_t word, int64_t& deadline_ns) {
  SamplerControl& control = *setting_.control;
  const bool is_long = deadline_ns - MonotonicNs() > setting_.interval_ns;
  const SamplerSleep::Depth depth = !is_long    ? SamplerSleep::kAwake
                                    : IsQuiet() ? SamplerSleep::kUntilTick
                                                : SamplerSleep::kUntilBatch;
  const uint32_t announced = threads_.announced();
  control.LieDown(depth);
  int64_t pause_ns = kCollectAfterNs;
  const auto next_collection_ns = [&] {
    return thread_sampler_.awaits_answers() ? MonotonicNs() + pause_ns : INT64_MAX;
  };
  int64_t collect_ns = next_collection_ns();
  int result = 0;
  for (;;) {
    control.boundary_task.RunPending();
    WriteMarkerStacks();
    const int64_t latest_ns = MonotonicNs() + PauseBeforeLook(MonotonicNs());
    if (deadline_ns > latest_ns) deadline_ns = latest_ns;
    // Work that was published before LieDown has woken nobody, so it is looked for here.
    const bool is_awaited =
        depth != SamplerSleep::kAwake && (control.depth.load(std::memory_order_seq_cst) == SamplerSleep::kAwake ||
                                          control.announced.load(std::memory_order_seq_cst) != announced ||
                                          (depth == SamplerSleep::kUntilTick && thread_sampler_.AnyTick()));
    if (is_awaited) {
      // A new thread is looked at within an interval, and not at once, because many may begin.
      const int64_t soon_ns = last_look_ns_ + setting_.interval_ns;
      if (MonotonicNs() >= soon_ns) break;
      deadline_ns = std::min(deadline_ns, soon_ns);
    }
    const int64_t wake_ns = std::min(collect_ns, deadline_ns);
    result = FutexWaitUntil(control.word, word, wake_ns);
    if (result == -ETIMEDOUT) {
      result = 0;
      if (wake_ns == deadline_ns) {
        if (depth != SamplerSleep::kUntilTick || is_awaited || !HasSleptOn()) break;
        deadline_ns = NextDeadline(deadline_ns);
        continue;
      }
      thread_sampler_.WriteAnswered();
      // A thread that gets no core, or has the signal blocked, may answer at any time. A few checks per look must
      // suffice.
      pause_ns *= 2;
      collect_ns = next_collection_ns();
      continue;
    }
    if (result != 0 && result != -EAGAIN && result != -EINTR) break;
    result = 0;
    // A nudge only adds to the count. The command is the same, and the sleep goes on.
    const uint32_t now = control.word.load(std::memory_order_acquire);
    if (SamplerControl::CommandIn(now) != SamplerControl::CommandIn(word)) break;
    thread_sampler_.UpdateTimers(!paused_);
    thread_sampler_.ReportDrained();
    word = now;
  }
  control.depth.store(SamplerSleep::kAwake, std::memory_order_relaxed);
  return result;
}

void Sampler::CollectLast() {
  threads_.AddAllAnnounced(setting_.control->announced, MonotonicNs());
  WriteMarkerStacks();
  const int64_t now_ns = ReadClock();
  thread_sampler_.WriteAnswered();
  threads_.RefreshNames(now_ns, ThreadList::Names::kNow);
  ProcessTitle::Get().Refresh(metadata_, now_ns);
  if (paused_) return;
  const int64_t ticks = std::max<int64_t>((now_ns - samples_.tick_ns()) / setting_.interval_ns, 1);
  samples_.BeginTick(now_ns, static_cast<uint64_t>(ticks));
  ReadSources(samples_.tick_ns());
}

void Sampler::Change(const SamplerSetting& setting, bool restarts_duration) {
  const int64_t now_ns = MonotonicNs();
  if (restarts_duration) duration_from_ns_ = now_ns;
  const int64_t interval_ns = setting_.interval_ns;
  const bool is_same = setting.interval_ns == limit_.asked_ns() && setting.overhead_limit == setting_.overhead_limit;
  setting_ = setting;
  setting_.interval_ns = interval_ns;
  // An interval that the limit has chosen stays if nothing else was asked for.
  if (!is_same) {
    limit_.Begin(setting.overhead_limit, setting.interval_ns);
    BeginInterval(setting.interval_ns, now_ns, -1);
  }
  header_.interval_ns = setting_.interval_ns;
  threads_.Reselect();
}

// A run of samples ends here, so that the reader does not mix two intervals.
bool Sampler::BeginInterval(int64_t interval_ns, int64_t now_ns, int64_t limited_share) {
  if (interval_ns == setting_.interval_ns) return false;
  thread_sampler_.UpdateTimers(false);
  samples_.EndRun();
  metadata_.Interval(now_ns, setting_.interval_ns, limited_share);
  header_.interval_ns = setting_.interval_ns = interval_ns;
  return true;
}

bool Sampler::ObeyLimit(int64_t now_ns) {
  if (!limit_.IsDue(now_ns)) return false;
  const auto handler_ns = static_cast<int64_t>(header_.handler_ns.load(std::memory_order_relaxed));
  const int64_t interval_ns =
      limit_.Judge({now_ns, OwnCpuNs() + handler_ns, samples_ns_ + handler_ns, ProcessCpuNs() - OwnCpuNs()});
  return BeginInterval(interval_ns, MonotonicNs(), limit_.share());
}

bool Sampler::IsQuiet() const {
  return quiet_looks_ >= std::max<uint64_t>(kLooksAtWait, thread_sampler_.outcome().turns + 1);
}

int64_t Sampler::PauseBeforeLook(int64_t now_ns) const {
  const ThreadAsker::Outcome& found = thread_sampler_.outcome();
  const int64_t interval_ns = setting_.interval_ns;
  if (found.any_to_ask) return interval_ns;
  const bool is_each_due =
      std::any_of(sources_, sources_ + source_count_, [](const TickSource* source) { return source->IsEachTickDue(); });
  const int64_t least_ns = found.ran_unarmed || is_each_due ? interval_ns : std::max(interval_ns, kBatchNs);
  const int64_t most_ns = std::max(least_ns, found.any_unarmed ? kLongestBlindSleepNs : kLongestSleepNs);
  int64_t pause_ns = std::clamp((now_ns - ran_ns_ - kShortIdleNs) / 8, least_ns, most_ns);
  if (found.main_has_ended) pause_ns = least_ns;
  if (setting_.duration_ns != 0) {
    pause_ns = std::min(pause_ns, std::max(duration_from_ns_ + setting_.duration_ns - now_ns, interval_ns));
  }
  return pause_ns;
}

// Counts the ticks since the deadline. Its own tick is not missed, only late.
void Sampler::SkipMissed(int64_t now_ns, int64_t& deadline_ns) {
  const int64_t missed = (now_ns - deadline_ns) / setting_.interval_ns;
  if (missed <= 0) return;
  segment_.CountDrop(DropReason::kMissedTick, static_cast<uint64_t>(missed));
  ticked_ns_ += missed * setting_.interval_ns;
  deadline_ns += missed * setting_.interval_ns;
}

int64_t Sampler::NextDeadline(int64_t deadline_ns) {
  const int64_t now_ns = MonotonicNs();
  const int64_t interval_ns = setting_.interval_ns;
  int64_t next_ns = deadline_ns + std::max<int64_t>(PauseBeforeLook(now_ns) / interval_ns, 1) * interval_ns;
  SkipMissed(now_ns, next_ns);
  return next_ns > now_ns ? next_ns : next_ns + interval_ns;
}

// Releases old chunks for the recorder, after the last sample of each thread is in a new one. A tick releases few of
// them. A later time that the recorder writes meanwhile is the next request.
void Sampler::ReleaseAsked() {
  constexpr uint32_t kMostChunks = 8;  // about a tenth of a millisecond
  if (!is_releasing_) {
    const int64_t before_ns = header_.release_before_ns.load(std::memory_order_relaxed);
    if (before_ns == release_before_ns_) return;
    release_before_ns_ = before_ns;
    samples_.BeginRepetition();
  }
  is_releasing_ = samples_.IsRepeating() || segment_.ReleaseBefore(release_before_ns_, kMostChunks) == kMostChunks;
}

StopReason Sampler::Maintain(int64_t now_ns) {
  threads_.AddAnnounced(setting_.control->announced.load(std::memory_order_acquire), now_ns);
  // Nothing changes while nothing runs, but for the recorder.
  const bool may_have_changed = ran_ns_ >= scanned_ns_ || thread_sampler_.outcome().main_has_ended;
  const bool is_scan_due = now_ns >= next_scan_ns_ && (may_have_changed || now_ns - scanned_ns_ >= kIdleScanNs);
  if (is_scan_due) {
    scanned_ns_ = now_ns;
    thread_sampler_.WriteAnswered();  // the scan removes threads that have ended since
    switch (threads_.Scan(now_ns)) {
      case ThreadList::ScanResult::kOk:
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
    SamplingSignal::ReclaimIfReplaced();
    // A scan of a thousand threads takes a fraction of a millisecond, so it is due less often.
    const int64_t took_ns = MonotonicNs() - now_ns;
    next_scan_ns_ = now_ns + (took_ns * 200 > kScanPauseNs ? took_ns * 200 : kScanPauseNs);
  }
  ReleaseAsked();
  segment_.PrepareAhead(now_ns - started_ns_ < kStartUpNs ? Segment::Pages::kAllocate : Segment::Pages::kMap);
  if (setting_.native_stacks) {
    const uint32_t unloads = setting_.control->unloads.load(std::memory_order_relaxed);
    if (modules_.IsDue(now_ns) && (ran_ns_ >= modules_.last_read_ns() || modules_.is_stale())) {
      thread_sampler_.ReadModules(now_ns);
    }
    marker_stacks_.ShareRules(unloads);
  }
  if (setting_.duration_ns != 0 && now_ns - duration_from_ns_ >= setting_.duration_ns) return StopReason::kDuration;
  return StopReason::kNotStopped;
}

// After a long pause (no core, or a call that demands a single thread), a new run of samples begins.
bool Sampler::BeginTick(int64_t now_ns, int64_t& deadline_ns) {
  const int64_t long_pause_ns = std::max(4 * setting_.interval_ns, 5 * kNsPerMs);
  if (now_ns - deadline_ns > long_pause_ns) samples_.EndRun();
  SkipMissed(now_ns, deadline_ns);
  const bool is_first = !samples_.is_tick_open();
  if (is_first) deadline_ns = now_ns;
  const int64_t ticks = is_first ? 1 : (deadline_ns - ticked_ns_) / setting_.interval_ns;
  if (ticks <= 0) return false;
  ticked_ns_ = deadline_ns;
  samples_.BeginTick(now_ns, static_cast<uint64_t>(ticks));
  return true;
}

bool Sampler::Tick(int64_t now_ns, int64_t& deadline_ns) {
  const bool begins = BeginTick(now_ns, deadline_ns);
  if (begins) ReadSources(now_ns);
  look_.sources_ns = LapNs();
  const bool has_run = ran_ns_ == now_ns || thread_sampler_.outcome().any_to_ask || threads_.added() != threads_seen_;
  threads_seen_ = threads_.added();
  if (has_run) quiet_looks_ = 0;
  if (!IsQuiet()) thread_sampler_.Look(now_ns);
  ++quiet_looks_;
  last_look_ns_ = now_ns;
  samples_.RepeatDue();
  modules_.table().CloseFiles();
  thread_sampler_.ReportDrained();
  look_.threads_ns = LapNs();
  samples_ns_ += look_.threads_ns;
  return begins;
}

}  // namespace geckoprof
