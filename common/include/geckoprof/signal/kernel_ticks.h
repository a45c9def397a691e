// Ticks: signals that the kernel sends to a running thread after each interval of its CPU time.
#ifndef GECKOPROF_SIGNAL_KERNEL_TICKS_H_
#define GECKOPROF_SIGNAL_KERNEL_TICKS_H_

#include <linux/futex.h>
#include <signal.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/signal/capture_buffer.h"

namespace geckoprof {

// SamplerSleep: how deeply the sampler sleeps, and the word on which it does so. A handler may wake it.
//
//   sampler:  reads `word`, calls LieDown, looks for work, waits while `word` is unchanged
//   others:   publish work, call WakeFrom: depth is large enough? -> depth = kAwake, word changes, futex wake
//
// Invariant: no wake is lost. Each side writes its variable first and then reads the other's, in one order for all
// threads. All bits zero is the initial state.
//
// Threads: any.
// Context: any, signal context included. A sampler that is awake costs the caller one load.
struct SamplerSleep {
  // A sampler that sleeps for less than an interval counts as awake.
  enum Depth : uint32_t {
    kAwake = 0,
    kUntilBatch = 1,  // until it takes the next ticks together
    kUntilTick = 2,   // nothing runs; the next tick wakes it
  };
  // `word` has a command below this bit.
  static constexpr uint32_t kStep = 8;

  std::atomic<uint32_t> word;
  std::atomic<uint32_t> depth;

  // The sampler is about to sleep so deeply. This is an exchange because qemu-user lets a load overtake an earlier
  // store of aarch64, even a sequentially consistent one. On x86-64 a store would be the same instruction.
  void LieDown(Depth now) { depth.exchange(now, std::memory_order_seq_cst); }
  void WakeFrom(Depth least) {
    if (depth.load(std::memory_order_seq_cst) < least) return;
    if (depth.exchange(kAwake, std::memory_order_seq_cst) != kAwake) Nudge();
  }
  // Wakes the sampler. The command stays.
  void Nudge() {
    word.fetch_add(kStep, std::memory_order_release);
    RawSyscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
};

// TickedThread: a thread for which a timer of the kernel is armed.
//
// The sampler writes the members. The handler on the thread reads them. `stack_high` is written last, with release
// order, so that a reader never combines a new bound with an old one that does not exist any more.
struct TickedThread {
  std::atomic<int32_t> tid;      // 0: this place is free
  std::atomic<uint32_t> serial;  // tells the timers of this place apart
  std::atomic<const ProfilingStack*> labels;
  std::atomic<uintptr_t> stack_low, stack_high;  // 0 if they are unknown
  // The thread has an event, which sees no time in the kernel, and a timer of timer_create(2). The timer's ticks count
  // in system calls only.
  std::atomic<bool> has_both;
  // The cycle counter until which ticks are skipped. Each copy is followed by three times its duration without one. A
  // thread whose copies take as long as an interval would otherwise never leave the handler. The handler alone uses it.
  std::atomic<uint64_t> skipped_until_cycles;
};

// TickTable: the threads with an armed timer, and the buffers that their handlers may take.
//
//   the sampler: sets a bit of `free` (release)                           takes the answer, sets the bit again
//   the handler:      clears the bit (acquire), owns the buffer, stores kAnswered (release)
//
// The table is memory of its own, which is never unmapped. A handler therefore finds it at any time.
struct TickTable {
  static constexpr uint32_t kThreads = 1024;
  static constexpr uint32_t kDescriptors = 2048;
  static constexpr uint32_t kWords = 2;
  static constexpr uint32_t kBuffers = 64 * kWords;
  // A descriptor that belonged to a thread whose timer is gone. Its last signal may still be pending.
  static constexpr uint16_t kFormerly = UINT16_MAX;

  TickedThread threads[kThreads];
  std::atomic<uint16_t>
      thread_of_descriptor[kDescriptors];  // index + 1, kFormerly, or 0; numbers of the sampler's table
  std::atomic<uint64_t> free[kWords];
  std::atomic<CaptureBuffer*> buffers[kBuffers];
  std::atomic<uint64_t> unserved;      // ticks for which no buffer was free
  std::atomic<uint64_t> skipped;       // ticks that came too soon after the copy for the tick before
  uint32_t used_threads, used_events;  // of the sampler alone
  // A handler wakes the sampler if so few buffers, or fewer, are free.
  std::atomic<uint32_t> few;
  std::atomic<SamplerSleep*> sampler;
};

// TickValue is the value that the signal of a timer of timer_create(2) carries.
//
//   | 16 bits: the mark | 32 bits: serial | 16 bits: index in TickTable::threads |
class TickValue {
 public:
  constexpr TickValue(uint32_t serial, uint16_t index) : value_(kMark << 48 | uint64_t{serial} << 16 | index) {}
  explicit TickValue(const siginfo_t& info) : value_(reinterpret_cast<uint64_t>(info.si_value.sival_ptr)) {}

  constexpr bool is_marked() const { return value_ >> 48 == kMark; }
  constexpr uint32_t serial() const { return static_cast<uint32_t>(value_ >> 16); }
  constexpr uint16_t index() const { return static_cast<uint16_t>(value_); }
  void* pointer() const { return reinterpret_cast<void*>(value_); }

 private:
  static constexpr uint64_t kMark = 0x6b71;

  uint64_t value_;
};

// Returns true if the signal is a tick, also one of a timer that is gone. `*thread` is the thread of the tick, or null.
//
// A signal of perf_event_open(2) has the descriptor of its event, which belongs to the sampler's own descriptor table.
// Context: any, signal safe.
inline bool IsTick(TickTable& table, const siginfo_t& info, TickedThread** thread) {
  *thread = nullptr;
  if (info.si_code == SI_TIMER) {
    const TickValue value(info);
    if (!value.is_marked() || value.index() >= TickTable::kThreads) return false;
    TickedThread& found = table.threads[value.index()];
    if (found.serial.load(std::memory_order_acquire) == value.serial()) *thread = &found;
    return true;
  }
  if (info.si_code < POLL_IN || info.si_code > POLL_HUP) return false;
  const auto descriptor = static_cast<uint32_t>(info.si_fd);
  if (descriptor >= TickTable::kDescriptors) return false;
  const uint16_t place = table.thread_of_descriptor[descriptor].load(std::memory_order_acquire);
  if (place == 0) return false;
  if (place != TickTable::kFormerly) *thread = &table.threads[place - 1];
  return true;
}

}  // namespace geckoprof

#endif  // GECKOPROF_SIGNAL_KERNEL_TICKS_H_
