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

// How many signal frames fit on a thread's alternate stack (sigaltstack(2)), together with our handler.
enum class SignalStackRoom : uint8_t {
  kEnough = 0,    // two: our signal may interrupt a handler of the program
  kOneFrame = 1,  // one
  kTooSmall = 2,  // none
};

// ThreadSlot holds the state that a thread keeps for the profiler. A thread has a slot if it uses the API or was made
// by pthread_create. The sampler knows other threads by their tid alone.
//
//          Claim              Publish           Release (thread's end)
//   kFree -------> kClaimed ----------> kLive ------------------------> kFree
//
// Access:
//   tid, stack_*, start_*: the owner writes them before it publishes kLive. They stay constant until kFree.
//   labels:      The owner writes. The handler on the owner reads, and the sampler does while the owner is blocked.
//   markers:     The owner uses them. Once the thread has ended, the sampler does.
//   kernel_name: The thread that gives the name writes it, then counts it in `renamed`, release. The sampler copies it.
//                If two threads give names at once, either name may stay.
//   name:        The owner writes under name_sequence, which is odd meanwhile. The sampler copies and checks.
// Lifetime: slots are never unmapped. A late reader reads a free slot, not freed memory.
struct ThreadSlot {
  enum class State : uint32_t { kFree = 0, kClaimed = 1, kLive = 2 };
  static constexpr uint32_t kNameBytes = 64;

  std::atomic<State> state;
  std::atomic<int32_t> tid;
  // 0 while unknown. The writer stores `stack_high` last, release. A reader loads it first.
  std::atomic<uintptr_t> stack_low, stack_high;
  void* (*start_function)(void*);  // of the pthread_create that made the thread
  void* start_argument;
  // A thread may end before the sampler has looked at it. It had its creator's name, and it existed since then.
  std::atomic<int32_t> creator_tid;  // the thread that claimed the slot
  int64_t published_ns;
  std::atomic<bool> listed;             // the sampler has given the thread its row in the profile; sampler only
  std::atomic<uint32_t> registrations;  // nested and repeated ones are counted; owner only
  std::atomic<uint32_t> name_sequence;
  // These three keep signals away from the thread (MustNotBeSent). The owner writes them, release.
  std::atomic<KernelSignalSet> blocked_signals;  // the kernel's mask, as it was last set
  std::atomic<SignalStackRoom> signal_stack_room;
  std::atomic<bool> is_traced;         // by a parent that may not know of it (PTRACE_TRACEME)
  uint32_t unloading;                  // calls of dlclose that it is in; owner only
  int hidden_signal;                   // the program believes that it is blocked, but it is not; 0: none; owner only
  std::atomic<char> name[kNameBytes];  // given by registration; empty: the kernel's name of the thread serves
  // The kernel's name as the program last gave it, and how often it did. They are of use once the thread has ended.
  std::atomic<uint64_t> kernel_name[2];
  std::atomic<uint32_t> renamed;
  MarkerWriter markers;
  MarkerStackMemory* marker_stack_memory;  // null until the first; owner's, then the slot's next owner's
  ProfilingStack labels;

  bool Blocks(int signal) const { return (blocked_signals.load(std::memory_order_acquire) & SignalBit(signal)) != 0; }
  // `handlers_nest`: our signal may interrupt a handler of the program on an alternate stack.
  bool IsSignalStackTooSmall(bool handlers_nest) const {
    const SignalStackRoom least = handlers_nest ? SignalStackRoom::kOneFrame : SignalStackRoom::kTooSmall;
    return signal_stack_room.load(std::memory_order_acquire) >= least;
  }
  bool MustNotBeSent(int signal, bool handlers_nest) const {
    return Blocks(signal) || IsSignalStackTooSmall(handlers_nest) || is_traced.load(std::memory_order_acquire);
  }

  // Sets the name, cut at kNameBytes - 1. The owner calls this.
  void SetName(const char* text) {
    name_sequence.fetch_add(1, std::memory_order_acq_rel);
    uint32_t i = 0;
    for (; i + 1 < kNameBytes && text[i] != '\0'; ++i) name[i].store(text[i], std::memory_order_relaxed);
    name[i].store('\0', std::memory_order_relaxed);
    name_sequence.fetch_add(1, std::memory_order_release);
  }
  // Sets the name that prctl(2), PR_SET_NAME, was given. 15 bytes of it count. Any thread may call this.
  void SetKernelName(const char* text) {
    uint64_t words[2] = {};
    static_assert(sizeof words == 16);
    auto* const bytes = reinterpret_cast<char*>(words);
    for (uint32_t i = 0; i < sizeof(words) - 1 && text[i] != '\0'; ++i) bytes[i] = text[i];
    for (int i = 0; i < 2; ++i) kernel_name[i].store(words[i], std::memory_order_relaxed);
    renamed.fetch_add(1, std::memory_order_release);
  }
  // Returns false if the program gave none.
  bool CopyKernelName(char (&out)[kNameBytes]) const {
    const uint64_t words[2] = {kernel_name[0].load(std::memory_order_relaxed),
                               kernel_name[1].load(std::memory_order_relaxed)};
    std::memcpy(out, words, sizeof words);
    out[sizeof words] = '\0';
    return out[0] != '\0';
  }
  // Copies the name for another thread. Returns false if there is none, or if the owner is writing it.
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
