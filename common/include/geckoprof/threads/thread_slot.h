#ifndef GECKOPROF_THREADS_THREAD_SLOT_H_
#define GECKOPROF_THREADS_THREAD_SLOT_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/base/ids.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/entries/marker_writer.h"
#include "geckoprof/labels/profiling_stack.h"

namespace geckoprof {

class MarkerStackMemory;

// What a thread itself keeps for the profiler. Threads that neither use the API nor were made by pthread_create have
// none; the sampler knows those by their tid alone.
//
//          Claim              Publish           Release (thread's end)
//   kFree -------> kClaimed ----------> kLive ------------------------> kFree
//
// Who may touch what:
//   tid, stack_*, start_*: written by the owner before kLive is published, constant until kFree
//   labels:      owner writes; handler on the owner, and the sampler while the owner is blocked, read
//   markers:     owner only; once the thread has ended, the sampler
//   name:        owner writes under name_sequence (odd while writing); the sampler copies and checks
// Lifetime: slots are never unmapped; a reader that is late reads a free slot, not freed memory.
struct ThreadSlot {
  enum class State : uint32_t { kFree = 0, kClaimed = 1, kLive = 2 };
  static constexpr uint32_t kNameBytes = 64;

  std::atomic<State> state;
  std::atomic<int32_t> tid;
  uintptr_t stack_low, stack_high;  // 0 where unknown
  void* (*start_function)(void*);   // of the pthread_create that made the thread
  void* start_argument;
  // For threads that end before the sampler has looked at them: whose name they had, and since when there were.
  std::atomic<int32_t> creator_tid;  // who claimed it
  int64_t published_ns;
  std::atomic<bool> listed;             // the sampler has given the thread its row in the profile; sampler only
  std::atomic<uint32_t> registrations;  // nested and repeated ones are counted; owner only
  std::atomic<uint32_t> name_sequence;
  // No signal is sent to it that it has blocked, and none while one of the others holds. Owner writes, release.
  std::atomic<KernelSignalSet> blocked_signals;  // the kernel's mask, as it was last set
  std::atomic<bool> signal_stack_too_small;      // a signal frame and our handler do not fit (sigaltstack(2))
  std::atomic<bool> is_traced;                   // by a parent that may not know of it (PTRACE_TRACEME)
  int hidden_signal;                   // the program believes that it is blocked, but it is not; 0: none; owner only
  std::atomic<char> name[kNameBytes];  // given by registration; empty: the kernel's name of the thread serves
  MarkerWriter markers;
  MarkerStackMemory* marker_stack_memory;  // null until the first; owner's, then the slot's next owner's
  ProfilingStack labels;

  bool Blocks(int signal) const { return (blocked_signals.load(std::memory_order_acquire) & SignalBit(signal)) != 0; }
  bool MustNotBeSent(int signal) const {
    return Blocks(signal) || signal_stack_too_small.load(std::memory_order_acquire) ||
           is_traced.load(std::memory_order_acquire);
  }

  // The owner gives its thread a name (cut at kNameBytes - 1).
  void SetName(const char* text) {
    name_sequence.fetch_add(1, std::memory_order_acq_rel);
    uint32_t i = 0;
    for (; i + 1 < kNameBytes && text[i] != '\0'; ++i) name[i].store(text[i], std::memory_order_relaxed);
    name[i].store('\0', std::memory_order_relaxed);
    name_sequence.fetch_add(1, std::memory_order_release);
  }
  // Another thread copies it. False: there is none, or it is just being written.
  bool CopyName(char (&out)[kNameBytes]) const {
    const uint32_t before = name_sequence.load(std::memory_order_acquire);
    for (uint32_t i = 0; i < kNameBytes; ++i) out[i] = name[i].load(std::memory_order_relaxed);
    out[kNameBytes - 1] = '\0';
    std::atomic_thread_fence(std::memory_order_acquire);
    return (before & 1) == 0 && before == name_sequence.load(std::memory_order_relaxed) && out[0] != '\0';
  }
};

}  // namespace geckoprof

#endif  // GECKOPROF_THREADS_THREAD_SLOT_H_
