#ifndef GECKOPROF_THREADS_THREAD_SLOT_H_
#define GECKOPROF_THREADS_THREAD_SLOT_H_

#include <atomic>
#include <cstdint>
#include <cstring>

#include "geckoprof/base/ids.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/entries/entry_format.h"
#include "geckoprof/entries/marker_writer.h"
#include "geckoprof/labels/profiling_stack.h"

namespace geckoprof {

class MarkerStackMemory;

// The room that a thread's alternate stack (sigaltstack(2)) has for our signal.
enum class SignalStackRoom : uint8_t {
  kAmple = 0,     // our signal may also interrupt a handler of the program that runs on this stack
  kOneFrame = 1,  // our signal fits while no handler of the program runs on this stack
  kTooSmall = 2,  // our signal does not fit
};

// ThreadSlot is the data that a thread keeps for the profiler. A thread has no slot if it does not use the API and
// pthread_create did not create it. The sampler knows such a thread by its tid alone.
//
//          Claim              Publish           Release (thread's end)
//   kFree -------> kClaimed ----------> kLive ------------------------> kFree
//
// Access to the members:
//   tid, stack_*, start_*: the owner writes before kLive is published; constant until kFree
//   labels:      the owner writes; the handler on the owner reads, and the sampler while the owner is blocked
//   markers:     the owner only, and the sampler after the thread has ended
//   kernel_name: a thread that sets the name writes it, then increments `renamed` (release); the sampler copies. If two
//                threads set it at once, either name may remain
//   name:        the owner writes under name_sequence (odd while writing); the sampler copies and checks
//
// Lifetime: slots are never unmapped. A late reader reads a free slot and never freed memory.
struct ThreadSlot {
  enum class State : uint32_t { kFree = 0, kClaimed = 1, kLive = 2 };
  static constexpr uint32_t kNameBytes = 64;

  std::atomic<State> state;
  std::atomic<int32_t> tid;
  // Bounds of the thread's stack, or 0 while they are unknown. The writer stores `stack_high` last, with release order.
  // A reader reads it first.
  std::atomic<uintptr_t> stack_low, stack_high;
  void* (*start_function)(void*);  // from the pthread_create call that created the thread
  void* start_argument;
  // Used for threads that end before the sampler has seen them. They give such a thread its start and, through its
  // creator, its name.
  std::atomic<int32_t> creator_tid;  // the thread that claimed the slot
  int64_t published_ns;
  std::atomic<bool> listed;             // the thread has its row in the profile; sampler only
  std::atomic<bool> is_owners;          // the thread is one of the recording's owner and gets no row; sampler only
  std::atomic<uint32_t> registrations;  // number of registrations, including nested and repeated ones; owner only
  std::atomic<uint32_t> name_sequence;
  // These three keep signals away from the thread (FindSignalProblem). The owner writes them with release order.
  std::atomic<KernelSignalSet> blocked_signals;  // the kernel's signal mask as last set
  std::atomic<SignalStackRoom> signal_stack_room;
  std::atomic<bool> is_traced;         // by a parent that may not know the profiler (PTRACE_TRACEME)
  std::atomic<bool> has_timer;         // the kernel sends the thread ticks; the sampler writes it
  uint32_t unloading;                  // number of active dlclose calls; owner only
  int hidden_signal;                   // a signal that the program wrongly believes to be blocked, or 0; owner only
  std::atomic<char> name[kNameBytes];  // set by registration; if it is empty, the kernel's name is used
  // The kernel's name as the program last set it, and the number of times it was set. The sampler reads it after the
  // thread has ended.
  std::atomic<uint64_t> kernel_name[2];
  std::atomic<uint32_t> renamed;
  MarkerWriter markers;
  MarkerStackMemory* marker_stack_memory;  // null until first used; belongs to the owner, then to the slot's next owner
  ProfilingStack labels;

  bool Blocks(int signal) const { return (blocked_signals.load(std::memory_order_acquire) & SignalBit(signal)) != 0; }
  // Returns why the thread must not get our signal, or kNoProblem. `handlers_nest` means that our signal may interrupt
  // a handler of the program on an alternate stack.
  StackProblem FindSignalProblem(int signal, bool handlers_nest) const {
    const SignalStackRoom least = handlers_nest ? SignalStackRoom::kOneFrame : SignalStackRoom::kTooSmall;
    if (Blocks(signal)) return StackProblem::kSignalBlocked;
    if (is_traced.load(std::memory_order_acquire)) return StackProblem::kTraced;
    if (signal_stack_room.load(std::memory_order_acquire) >= least) return StackProblem::kSmallSignalStack;
    return StackProblem::kNoProblem;
  }
  bool IsSignalUnsafe(int signal, bool handlers_nest) const {
    return FindSignalProblem(signal, handlers_nest) != StackProblem::kNoProblem;
  }

  // Returns true if the kernel may send ticks to this thread. The sampler may know a thread before its slot, unless
  // pthread_create made the slot. The owner calls it.
  bool MayHaveTimer() const {
    const bool is_unknown = !listed.load(std::memory_order_seq_cst) &&
                            creator_tid.load(std::memory_order_relaxed) == tid.load(std::memory_order_relaxed);
    return is_unknown || has_timer.load(std::memory_order_seq_cst);
  }

  // Sets the thread's name, cut at kNameBytes - 1. The owner calls it.
  void SetName(const char* text) {
    name_sequence.fetch_add(1, std::memory_order_acq_rel);
    uint32_t i = 0;
    for (; i + 1 < kNameBytes && text[i] != '\0'; ++i) name[i].store(text[i], std::memory_order_relaxed);
    name[i].store('\0', std::memory_order_relaxed);
    name_sequence.fetch_add(1, std::memory_order_release);
  }
  // Sets the name that was passed to prctl(2), PR_SET_NAME. The first 15 bytes count. Any thread may call it.
  void SetKernelName(const char* text) {
    uint64_t words[2] = {};
    static_assert(sizeof words == 16);
    auto* const bytes = reinterpret_cast<char*>(words);
    for (uint32_t i = 0; i < sizeof(words) - 1 && text[i] != '\0'; ++i) bytes[i] = text[i];
    for (int i = 0; i < 2; ++i) kernel_name[i].store(words[i], std::memory_order_relaxed);
    renamed.fetch_add(1, std::memory_order_release);
  }
  // Copies the kernel's name. Returns false if the program has set none.
  bool CopyKernelName(char (&out)[kNameBytes]) const {
    const uint64_t words[2] = {kernel_name[0].load(std::memory_order_relaxed),
                               kernel_name[1].load(std::memory_order_relaxed)};
    std::memcpy(out, words, sizeof words);
    out[sizeof words] = '\0';
    return out[0] != '\0';
  }
  // Copies the name on another thread. Returns false if there is none or it is just being written.
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
