#ifndef GECKOPROF_THREADS_THREAD_SLOT_H_
#define GECKOPROF_THREADS_THREAD_SLOT_H_

#include <atomic>
#include <cstdint>
#include <cstring>

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
//   kernel_name: who names the thread writes, then counts it in `renamed`, release; the sampler copies. Of two at once,
//                either may be the one
//   name:        owner writes under name_sequence (odd while writing); the sampler copies and checks
// Lifetime: slots are never unmapped; a reader that is late reads a free slot, not freed memory.
struct ThreadSlot {
  enum class State : uint32_t { kFree = 0, kClaimed = 1, kLive = 2 };
  static constexpr uint32_t kNameBytes = 64;

  std::atomic<State> state;
  std::atomic<int32_t> tid;
  // 0 where unknown, as long as it is. Who writes, writes `stack_high` last, release; who reads, reads it first.
  std::atomic<uintptr_t> stack_low, stack_high;
  void* (*start_function)(void*);  // of the pthread_create that made the thread
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
  uint32_t unloading;                            // calls of dlclose that it is in; owner only
  int hidden_signal;                   // the program believes that it is blocked, but it is not; 0: none; owner only
  std::atomic<char> name[kNameBytes];  // given by registration; empty: the kernel's name of the thread serves
  // The kernel's name as the program last gave it, for who comes when the thread has ended; how often it was given.
  std::atomic<uint64_t> kernel_name[2];
  std::atomic<uint32_t> renamed;
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
  // Any thread, with what prctl(2), PR_SET_NAME, was given: 15 bytes count.
  void SetKernelName(const char* text) {
    uint64_t words[2] = {};
    static_assert(sizeof words == 16);
    auto* const bytes = reinterpret_cast<char*>(words);
    for (uint32_t i = 0; i < sizeof(words) - 1 && text[i] != '\0'; ++i) bytes[i] = text[i];
    for (int i = 0; i < 2; ++i) kernel_name[i].store(words[i], std::memory_order_relaxed);
    renamed.fetch_add(1, std::memory_order_release);
  }
  // False: none was given.
  bool CopyKernelName(char (&out)[kNameBytes]) const {
    const uint64_t words[2] = {kernel_name[0].load(std::memory_order_relaxed),
                               kernel_name[1].load(std::memory_order_relaxed)};
    std::memcpy(out, words, sizeof words);
    out[sizeof words] = '\0';
    return out[0] != '\0';
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
