// The slots of the process's threads.
#ifndef GECKOPROF_BASEPROFILER_RECORDING_THREAD_SLOTS_H_
#define GECKOPROF_BASEPROFILER_RECORDING_THREAD_SLOTS_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/threads/thread_registry.h"
#include "process/process_control.h"
#include "recording/sampler_control.h"

namespace geckoprof {

// ThreadSlots: which slot of the registry is which thread's, and the way from a thread to its own.
//
//   a thread that the API or a signal hook meets: Current ------------------------------> live
//   a thread that pthread_create makes:           Claim (its creator) --> Begin (itself) --> live
//                                                                    `--> Unclaim: it was not made
//
// A slot ends with its thread: the sampler sees that while it runs; what ends while nothing is recorded is reclaimed
// when slots are claimed, and by the next start. Threads: any, lock-free. Context: Known, Current: any, signal context
// included: a handler that interrupts Current may call it, and both have the same slot. The rest: not signal context.
class ThreadSlots {
 public:
  constexpr ThreadSlots(SamplerControl* control, const ProcessIdentity* process)
      : control_(*control), process_(*process) {}

  // The calling thread's slot, made when first asked for. Null if memory ran out, or in a child that base does not
  // know.
  ThreadSlot* Current() { return __builtin_expect(own_ != nullptr, 1) ? own_ : MakeOwn(); }
  // The calling thread's slot if it has one.
  static ThreadSlot* Known() { return own_; }

  // A slot for a thread that is about to be made; Begin follows on that thread, or Unclaim if it could not be made.
  ThreadSlot* Claim();
  static void Unclaim(ThreadSlot* slot);
  // The slot that is the thread's now: that of a signal handler that marked before this, if one did.
  ThreadSlot* Begin(ThreadSlot* slot, uintptr_t stack_low, uintptr_t stack_high);

  // Threads that the sampler has not had a look at: what is missing in the profile of a process that ends now.
  uint32_t CountUnlisted() const;

  // Releases the slots of threads that have ended. REQUIRES: no sampler, which does that itself.
  void ReclaimDead();

  // In a forked child: the calling thread's is the only one.
  void ForgetOthers();

  ThreadRegistry& registry() { return registry_; }

 private:
  // Initial-exec: an access is one instruction, and never a call that may allocate. The library is there from the
  // start, so it has its place in the static block. __thread: it needs no constructor, which nobody has to ask about.
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
