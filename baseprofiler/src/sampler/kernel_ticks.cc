#include "sampler/kernel_ticks.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/base/raw_syscall.h"
#include "sampler/capture_pool.h"
#include "sampler/sampled_thread.h"
#include "sampler/seccomp_probe.h"

namespace geckoprof {
namespace {

// The CPU clock of a thread as the kernel numbers it (include/linux/posix-timers_types.h): bit 2 is for a thread, and 2
// is the scheduler's precise clock.
constexpr clockid_t CpuClockOf(ThreadId tid) {
  return static_cast<clockid_t>(~static_cast<uint32_t>(tid.ToNumber()) << 3 | 4 | 2);
}

// The kernel's own layout, because libc's header hides the member for the thread.
struct KernelSigevent {
  void* value;
  int signal;
  int notify;
  int tid;
  char unused[44];
};
static_assert(sizeof(KernelSigevent) == 64);

// Half of the descriptors that the process may have.
uint32_t MostEvents() {
  constexpr rlim_t kMost = TickTable::kThreads;
  rlimit limit = {};
  if (IsSyscallError(RawSyscall(SYS_prlimit64, 0, RLIMIT_NOFILE, nullptr, &limit))) return 0;
  return static_cast<uint32_t>(std::min(kMost, limit.rlim_cur / 2));
}

// A timer of timer_create(2) on a CPU clock expires at a tick of the kernel's own clock.
int64_t KernelTickNs() {
  timespec resolution = {};
  RawSyscall(SYS_clock_getres, CLOCK_MONOTONIC_COARSE, &resolution);
  return resolution.tv_nsec;
}

// Ticks of a CPU timer come in system calls, too.
SampleClock Usable(SampleClock clock) {
  return clock == SampleClock::kCpuTimer && !kRepeatsInterruptedCalls ? SampleClock::kRequest : clock;
}

}  // namespace

void ThreadTimer::CloseEvent() {
  if (!event_.ok()) return;
  table_->thread_of_descriptor[event_.number()].store(TickTable::kFormerly, std::memory_order_release);
  event_.Close();
  --table_->used_events;
}

void ThreadTimer::Disarm() {
  if (table_ == nullptr) return;
  TickedThread& thread = table_->threads[place_];
  thread.serial.store(0, std::memory_order_release);
  CloseEvent();
  if (timer_ != kNoTimer) RawSyscall(SYS_timer_delete, timer_);
  timer_ = kNoTimer;
  thread.tid.store(0, std::memory_order_release);
  --table_->used_threads;
  table_ = nullptr;
}

KernelTicks::KernelTicks(CaptureTable* table, SamplerSleep* sampler, SegmentHeader* header, SampleClock best)
    : capture_table_(table),
      sampler_(sampler),
      header_(*header),
      table_(table->ticks.load(std::memory_order_relaxed)),
      clock_(MayUseClocksUnderFilters() ? Usable(best) : SampleClock::kRequest),
      timer_period_ns_(KernelTickNs()),
      most_events_(MostEvents()),
      next_serial_(static_cast<uint32_t>(MonotonicNs() >> 10) | 1) {
  const bool is_forbidden = best != SampleClock::kRequest && !MayUseClocksUnderFilters();
  header_.clocks_forbidden.store(is_forbidden ? 1 : 0, std::memory_order_relaxed);
  if (table_ == nullptr) return;
  table_->sampler.store(sampler_, std::memory_order_relaxed);
  // The timers of an earlier sampler are gone. A handler that still writes keeps its buffer.
  for (TickedThread& thread : table_->threads) {
    thread.serial.store(0, std::memory_order_relaxed);
    thread.tid.store(0, std::memory_order_relaxed);
  }
  table_->used_threads = table_->used_events = 0;
  for (auto& place : table_->thread_of_descriptor) {
    if (place.load(std::memory_order_relaxed) != 0) place.store(TickTable::kFormerly, std::memory_order_relaxed);
  }
  for (uint32_t i = 0; i < TickTable::kBuffers; ++i) {
    if (table_->buffers[i].load(std::memory_order_relaxed) != nullptr) made_[i / 64] |= uint64_t{1} << i % 64;
  }
  std::vector<CaptureBuffer*> stale;
  TakeAnswered(stale);
  for (CaptureBuffer* const buffer : stale) Release(buffer, 0);
}

bool KernelTicks::MakeTable() {
  if (table_ != nullptr) return true;
  const long memory = RawSyscall(SYS_mmap, nullptr, RoundUpTo(sizeof(TickTable), kPageBytes), PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (IsSyscallError(memory)) return false;
  table_ = reinterpret_cast<TickTable*>(memory);
  table_->sampler.store(sampler_, std::memory_order_relaxed);
  MakeBuffers(kFirstBuffers);
  capture_table_->ticks.store(table_, std::memory_order_release);
  return true;
}

void KernelTicks::MakeBuffers(uint32_t count) {
  for (uint32_t i = 0; i < TickTable::kBuffers && count > 0; ++i) {
    if (table_->buffers[i].load(std::memory_order_relaxed) != nullptr) continue;
    CaptureBuffer* const buffer = CapturePool::New(CapturePool::kUsualCopyBytes);
    if (buffer == nullptr) return;
    buffer->tick_index = i;
    table_->buffers[i].store(buffer, std::memory_order_release);
    made_[i / 64] |= uint64_t{1} << i % 64;
    table_->free[i / 64].fetch_or(uint64_t{1} << i % 64, std::memory_order_release);
    table_->few.store((i + 1) / 4, std::memory_order_relaxed);
    --count;
  }
}

int KernelTicks::FindPlace() {
  if (table_->used_threads == TickTable::kThreads) return -1;
  for (uint32_t i = 0; i < TickTable::kThreads; ++i) {
    const uint32_t place = (next_place_ + i) % TickTable::kThreads;
    if (table_->threads[place].tid.load(std::memory_order_relaxed) != 0) continue;
    next_place_ = place + 1;
    return static_cast<int>(place);
  }
  return -1;
}

bool KernelTicks::Arm(SampledThread& thread, int64_t interval_ns, int signal) {
  is_used_up_ = false;
  if (!may_tick() || !MakeTable()) return false;
  const int place = FindPlace();
  if (place < 0) {
    is_used_up_ = true;
    return false;
  }
  ThreadTimer& timer = thread.timer;
  timer.table_ = table_;
  timer.place_ = static_cast<uint16_t>(place);
  ++table_->used_threads;
  TickedThread& ticked = table_->threads[place];
  ticked.tid.store(thread.tid.ToNumber(), std::memory_order_relaxed);
  ticked.stack_high.store(0, std::memory_order_relaxed);
  ticked.skipped_until_cycles.store(0, std::memory_order_relaxed);
  next_serial_ += 2;  // it is odd, and 0 means that no timer is armed
  ticked.serial.store(next_serial_, std::memory_order_release);
  Update(thread);
  int error = clock_ == SampleClock::kPerfEvent ? OpenEvent(timer, thread.tid, interval_ns, signal) : EMFILE;
  const bool has_both = error == 0 && excludes_kernel_ && kRepeatsInterruptedCalls;
  ticked.has_both.store(has_both, std::memory_order_relaxed);
  if (has_both) {
    CreateTimer(timer, thread.tid, interval_ns, signal);
  } else if (error != 0 && error != ESRCH && kRepeatsInterruptedCalls) {
    error = CreateTimer(timer, thread.tid, interval_ns, signal);
    is_used_up_ = error == EAGAIN;
  }
  if (error != 0) timer.Disarm();
  return error == 0;
}

// Returns 0 or the error.
int KernelTicks::OpenEvent(ThreadTimer& timer, ThreadId tid, int64_t interval_ns, int signal) {
  perf_event_attr attributes;
  memset(&attributes, 0, sizeof(attributes));
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.sample_period = static_cast<uint64_t>(interval_ns);
  attributes.disabled = 1;
  attributes.wakeup_events = 1;
  attributes.exclude_kernel = excludes_kernel_ ? 1 : 0;
  long event = RawSyscall(SYS_perf_event_open, &attributes, tid.ToNumber(), -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (event == -EACCES && !excludes_kernel_) {
    excludes_kernel_ = true;
    attributes.exclude_kernel = 1;
    event = RawSyscall(SYS_perf_event_open, &attributes, tid.ToNumber(), -1, -1, PERF_FLAG_FD_CLOEXEC);
  }
  if (IsSyscallError(event)) {
    const int error = static_cast<int>(-event);
    if (error != ESRCH) header_.event_error.store(error, std::memory_order_relaxed);
    if (error == EACCES || error == EPERM || error == ENOSYS || error == ENOENT || error == EINVAL) {
      clock_ = Usable(SampleClock::kCpuTimer);
      // There are no events for the ticks of timers to stand beside.
      excludes_kernel_ = false;
    }
    return error;
  }
  Fd opened(static_cast<int>(event));
  const auto number = static_cast<uint32_t>(opened.number());
  if (number >= TickTable::kDescriptors || table_->used_events >= most_events_) {
    header_.event_error.store(EMFILE, std::memory_order_relaxed);
    return EMFILE;
  }
  const f_owner_ex owner = {F_OWNER_TID, tid.ToNumber()};
  const bool is_set = RawSyscall(SYS_fcntl, number, F_SETOWN_EX, &owner) == 0 &&
                      RawSyscall(SYS_fcntl, number, F_SETSIG, signal) == 0 &&
                      RawSyscall(SYS_fcntl, number, F_SETFL, O_ASYNC) == 0;
  if (!is_set) return EMFILE;
  table_->thread_of_descriptor[number].store(static_cast<uint16_t>(timer.place_ + 1), std::memory_order_release);
  timer.event_ = std::move(opened);
  ++table_->used_events;
  RawSyscall(SYS_ioctl, number, PERF_EVENT_IOC_ENABLE, 0);
  return 0;
}

// Returns 0 or the error.
int KernelTicks::CreateTimer(ThreadTimer& timer, ThreadId tid, int64_t interval_ns, int signal) {
  const uint32_t serial = table_->threads[timer.place_].serial.load(std::memory_order_relaxed);
  KernelSigevent event;
  memset(&event, 0, sizeof(event));
  event.value = TickValue(serial, timer.place_).pointer();
  event.signal = signal;
  event.notify = SIGEV_THREAD_ID;
  event.tid = tid.ToNumber();
  int number = ThreadTimer::kNoTimer;
  const long result = RawSyscall(SYS_timer_create, CpuClockOf(tid), &event, &number);
  if (IsSyscallError(result)) {
    if (result != -EINVAL) header_.timer_error.store(static_cast<int32_t>(-result), std::memory_order_relaxed);
    const bool is_refused = result == -ENOSYS || result == -EPERM;
    if (is_refused && clock_ == SampleClock::kCpuTimer) clock_ = SampleClock::kRequest;
    return static_cast<int>(-result);
  }
  timer.timer_ = number;
  const timespec interval = {static_cast<time_t>(interval_ns / kNsPerSecond),
                             static_cast<long>(interval_ns % kNsPerSecond)};
  const itimerspec setting = {interval, interval};
  RawSyscall(SYS_timer_settime, number, 0, &setting, nullptr);
  return 0;
}

void KernelTicks::CloseEvent(SampledThread& thread) {
  thread.timer.CloseEvent();
  thread.timer.table_->threads[thread.timer.place_].has_both.store(false, std::memory_order_relaxed);
}

void KernelTicks::Update(const SampledThread& thread) {
  if (!thread.timer.is_armed()) return;
  TickedThread& ticked = thread.timer.table_->threads[thread.timer.place_];
  ticked.labels.store(thread.slot != nullptr ? &thread.slot->labels : nullptr, std::memory_order_relaxed);
  ticked.stack_low.store(thread.stack.low, std::memory_order_relaxed);
  ticked.stack_high.store(thread.stack.high, std::memory_order_release);
}

template <typename Function>
void KernelTicks::ForEachAnswered(const Function& function) const {
  if (table_ == nullptr) return;
  for (uint32_t word = 0; word < TickTable::kWords; ++word) {
    uint64_t taken = made_[word] & ~table_->free[word].load(std::memory_order_relaxed);
    for (; taken != 0; taken &= taken - 1) {
      CaptureBuffer* const buffer =
          table_->buffers[64 * word + std::countr_zero(taken)].load(std::memory_order_relaxed);
      if (CapturePool::IsAnswered(buffer)) function(buffer);
    }
  }
}

bool KernelTicks::AnyAnswered() const {
  bool any = false;
  ForEachAnswered([&](const CaptureBuffer*) { any = true; });
  return any;
}

void KernelTicks::TakeAnswered(std::vector<CaptureBuffer*>& answered) const {
  ForEachAnswered([&](CaptureBuffer* buffer) {
    buffer->word.store(MakeCaptureWord(0, CaptureState::kFree), std::memory_order_relaxed);
    // There are few, and most are in order already.
    auto place = answered.end();
    while (place != answered.begin() && (*(place - 1))->begin_cycles > buffer->begin_cycles) --place;
    answered.insert(place, buffer);
  });
}

int64_t KernelTicks::PartOf(SampleClock clock, int64_t used_ns, const Ticks& ticks, int64_t interval_ns) const {
  const int64_t timer_ns = TimerNs(interval_ns);
  const int64_t rest_ns = used_ns - ticks.events * interval_ns;
  if (!excludes_kernel_ || rest_ns < 0) {
    const double all_ns = static_cast<double>(ticks.events * interval_ns + ticks.timers * timer_ns);
    const int64_t own_ns = clock == SampleClock::kCpuTimer ? timer_ns : interval_ns;
    return static_cast<int64_t>(static_cast<double>(used_ns) * (static_cast<double>(own_ns) / all_ns));
  }
  if (clock == SampleClock::kCpuTimer) return rest_ns / ticks.timers;
  if (ticks.timers > 0) return interval_ns;
  return interval_ns + std::max<int64_t>(rest_ns - MostPendingNs(clock, interval_ns), 0) / ticks.events;
}

void KernelTicks::Release(CaptureBuffer* buffer, uint32_t wanted_bytes) {
  if (buffer->capacity_bytes < wanted_bytes && enlarged_bytes_ + wanted_bytes <= kMostEnlargedBytes) {
    if (CapturePool::Enlarge(buffer, std::min(wanted_bytes, CapturePool::kMaxCopyBytes)))
      enlarged_bytes_ += wanted_bytes;
  }
  table_->free[buffer->tick_index / 64].fetch_or(uint64_t{1} << buffer->tick_index % 64, std::memory_order_release);
}

uint64_t KernelTicks::TakeSkipped() {
  if (table_ == nullptr || table_->skipped.load(std::memory_order_relaxed) == 0) return 0;
  return table_->skipped.exchange(0, std::memory_order_relaxed);
}

uint64_t KernelTicks::TakeUnserved() {
  if (table_ == nullptr) return 0;
  const uint64_t unserved = table_->unserved.load(std::memory_order_relaxed);
  if (unserved == 0) return 0;
  MakeBuffers(kFirstBuffers);
  return table_->unserved.exchange(0, std::memory_order_relaxed);
}

}  // namespace geckoprof
