// The slots of the process's threads.
#ifndef GECKOPROF_BASEPROFILER_RECORDING_THREAD_SLOTS_H_
#define GECKOPROF_BASEPROFILER_RECORDING_THREAD_SLOTS_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/threads/thread_registry.h"
#include "process/process_control.h"
#include "recording/sampler_control.h"

namespace geckoprof {

// ThreadSlots: assigns the slots of the registry to threads, and finds a thread's own slot.
//
//   a thread that the API or a signal hook meets: Current ------------------------------> live
//   a thread that pthread_create makes:           Claim (its creator) --> Begin (itself) --> live
//                                                                    `--> Unclaim: it was not made
//
// Invariants: a slot ends with its thread. While the sampler runs, it sees the end and frees the slot. Slots of threads
// that end while nothing is recorded are freed by later claims and by the next start.
// Threads: any, lock-free.
// Context: any for Known and Current, signal context included. A handler that interrupts Current may call it, and both
// calls return the same slot. All other functions: not signal context.
class ThreadSlots {
 public:
  constexpr ThreadSlots(SamplerControl* control, const ProcessIdentity* process)
      : control_(*control), process_(*process) {}

  // The calling thread's slot, made at the first call. Null if memory ran out, or in a child that base does not know.
  ThreadSlot* Current() { return __builtin_expect(own_ != nullptr, 1) ? own_ : MakeOwn(); }
  // The calling thread's slot, or null if it has none.
  static ThreadSlot* Known() { return own_; }

  // Claims a slot for a thread that pthread_create is about to make. The new thread calls Begin, or the creator calls
  // Unclaim if the thread was not made.
  ThreadSlot* Claim();
  static void Unclaim(ThreadSlot* slot);
  // Returns the new thread's slot. It is not `slot` if a signal handler on this thread has made one before.
  ThreadSlot* Begin(ThreadSlot* slot, uintptr_t stack_low, uintptr_t stack_high);

  // Counts the threads that the sampler has not seen yet. They are missing in the profile of a process that ends now.
  uint32_t CountUnlisted() const;

  // Releases the slots of threads that have ended. REQUIRES: no sampler runs, because the sampler does this itself.
  void ReclaimDead();

  // Called in a forked child. Keeps only the calling thread's slot.
  void ForgetOthers();

  ThreadRegistry& registry() { return registry_; }

 private:
  // With the initial-exec model an access is one instruction and never a call that may allocate. The library is loaded
  // at the start, so the static TLS block has room for it. A __thread variable needs no check for a constructor.
  static __attribute__((tls_model("initial-exec"))) __thread ThreadSlot* own_;

  ThreadSlot* MakeOwn();
  static bool Adopt(ThreadSlot* slot);
  void Publish(ThreadSlot* slot);

  SamplerControl& control_;  // learns of each thread that is published
  const ProcessIdentity& process_;
  std::atomic<uint32_t> claims_{0};  // relaxed
  ThreadRegistry registry_{};
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_RECORDING_THREAD_SLOTS_H_
