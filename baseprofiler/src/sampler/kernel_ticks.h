#ifndef GECKOPROF_BASEPROFILER_SAMPLER_KERNEL_TICKS_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_KERNEL_TICKS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "geckoprof/arch/instructions.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/ids.h"
#include "geckoprof/segment/segment_format.h"
#include "geckoprof/signal/capture_handler.h"
#include "geckoprof/signal/kernel_ticks.h"

namespace geckoprof {

struct SampledThread;

// ThreadTimer: the armed timer of one thread. Its destructor disarms it.
//
// Threads: the sampler's thread, because an event belongs to its descriptor table.
class ThreadTimer {
 public:
  ThreadTimer() = default;
  ~ThreadTimer() { Disarm(); }
  ThreadTimer(const ThreadTimer&) = delete;
  ThreadTimer& operator=(const ThreadTimer&) = delete;

  bool is_armed() const { return table_ != nullptr; }
  // Returns whether there are an event, which sees no time in the kernel, and a timer for that time.
  bool is_of_two_clocks() const { return event_.ok() && timer_ != kNoTimer; }
  void Disarm();

 private:
  void CloseEvent();
  friend class KernelTicks;
  static constexpr int kNoTimer = -1;

  TickTable* table_ = nullptr;  // null: not armed
  uint16_t place_ = 0;
  Fd event_;              // of perf_event_open(2)
  int timer_ = kNoTimer;  // of timer_create(2)
};

// KernelTicks makes the kernel interrupt a thread after each interval of its CPU time. The signal comes while the
// thread executes the instruction that the sample shows.
//
//   Arm:    perf_event_open: the thread's task clock, with a signal at each overflow
//           else timer_create: the thread's CPU clock. It ticks with the kernel's clock, at most HZ times a second
//           else nothing, and the sampler has to ask by a signal of its own
//
// An event of a user without rights sees no time in the kernel. The timer then covers that time, so such a thread has
// both. Where a system call that a signal cut short cannot be made again, no tick may come during a call. Threads then
// have events without the kernel's time alone.
//
//   a tick: handler takes a buffer -> copies -> answered -> TakeAnswered -> Release
//
// A signal that comes from another thread arrives 15 to 40 us late, when a short burst of work is already over. A
// thread that sleeps has no ticks and costs nothing.
//
// A process may not be allowed to open events (perf_event_paranoid, a seccomp filter). The first refusal decides for
// the whole recording. A lack of places, descriptors or timers concerns one thread. IsUsedUp then returns true, and the
// caller may disarm a thread that sleeps.
//
// Threads: the sampler's thread.
// Context: not signal context.
class KernelTicks {
 public:
  // Takes over the table of an earlier sampler. `best` is the best clock that may be used.
  KernelTicks(CaptureTable* table, SamplerSleep* sampler, SegmentHeader* header, SampleClock best);

  // Returns whether the kernel may make any ticks.
  bool may_tick() const { return clock_ != SampleClock::kRequest; }

  // Arms the timer of a thread that has none. Returns false if the sampler must ask the thread itself.
  bool Arm(SampledThread& thread, int64_t interval_ns, int signal);
  // Returns whether the last call of Arm failed because all places, descriptors or timers are in use.
  bool IsUsedUp() const { return is_used_up_; }
  // Leaves a thread of two clocks its timer alone. Its ticks then count wherever they come.
  static void CloseEvent(SampledThread& thread);
  // Passes on what the handler has to know: the thread's labels, and the bounds of its stack.
  static void Update(const SampledThread& thread);

  // Returns the least CPU time between two ticks of a timer.
  int64_t TimerNs(int64_t interval_ns) const { return std::max(interval_ns, timer_period_ns_); }
  // Returns whether a tick has come.
  bool AnyAnswered() const;
  // Adds the ticks that have come to `answered`, which is in the order of their times. The caller gives each back by
  // Release.
  void TakeAnswered(std::vector<CaptureBuffer*>& answered) const;
  // Returns the CPU time that an answer stands for. A tick of a timer stands for more time than one of an event.
  int64_t WeightOf(const CaptureBuffer& answer, int64_t interval_ns) const {
    return answer.clock == SampleClock::kCpuTimer ? TimerNs(interval_ns) : interval_ns;
  }
  // Returns the part of a thread's CPU time that one of its answers stands for, so that all of them share `used_ns`.
  //
  //   ticks of one clock:        equal parts
  //   events, and timers for the kernel's time beside them:
  //                              an event stands for its interval, and the ticks of timers share the rest
  //   such events alone:         the rest stays for the timer's next tick, but for what is more than two of its ticks
  //
  // Equal weights would be wrong in the last two cases. Most batches have no tick of the timer or too many.
  struct Ticks {
    int64_t events = 0, timers = 0;
    int64_t& Of(SampleClock clock) { return clock == SampleClock::kCpuTimer ? timers : events; }
  };
  int64_t PartOf(SampleClock clock, int64_t used_ns, const Ticks& ticks, int64_t interval_ns) const;
  // Returns the CPU time before a tick that may stay for the next tick of the timer.
  int64_t MostPendingNs(SampleClock clock, int64_t interval_ns) const {
    return excludes_kernel_ && clock != SampleClock::kCpuTimer ? 2 * TimerNs(interval_ns) : 0;
  }
  // Returns the number of rows that an answer is shown as. The rows of a thread count alike in most views. A tick of a
  // timer beside ticks of an event is therefore shown several times.
  int64_t RowsOf(const CaptureBuffer& answer, int64_t interval_ns) const {
    return excludes_kernel_ ? WeightOf(answer, interval_ns) / interval_ns : 1;
  }
  // `wanted_bytes`: the size that copies of the thread's stack need.
  void Release(CaptureBuffer* buffer, uint32_t wanted_bytes);

  // Returns the number of ticks that found no buffer since the last call, and makes more buffers.
  uint64_t TakeUnserved();
  // Returns the number of ticks since the last call that came too soon after the copy for the tick before.
  uint64_t TakeSkipped();

 private:
  static constexpr uint32_t kFirstBuffers = 8;
  static constexpr uint64_t kMostEnlargedBytes = 32 << 20;

  template <typename Function>
  void ForEachAnswered(const Function& function) const;
  bool MakeTable();
  void MakeBuffers(uint32_t count);
  int FindPlace();
  int OpenEvent(ThreadTimer& timer, ThreadId tid, int64_t interval_ns, int signal);
  int CreateTimer(ThreadTimer& timer, ThreadId tid, int64_t interval_ns, int signal);

  CaptureTable* const capture_table_;
  SamplerSleep* const sampler_;
  SegmentHeader& header_;
  TickTable* table_;
  SampleClock clock_;  // the best one that is allowed and that the kernel has not refused
  bool excludes_kernel_ = !kRepeatsInterruptedCalls;
  bool is_used_up_ = false;
  const int64_t timer_period_ns_;  // the least time between two ticks of a timer
  const uint32_t most_events_;
  uint64_t made_[TickTable::kWords] = {};  // the buffers that there are, as in TickTable::free
  uint32_t next_place_ = 0;
  uint32_t next_serial_;
  uint64_t enlarged_bytes_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_KERNEL_TICKS_H_
