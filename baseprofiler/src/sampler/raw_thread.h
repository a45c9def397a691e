#ifndef GECKOPROF_BASEPROFILER_SAMPLER_RAW_THREAD_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_RAW_THREAD_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/base/page_memory.h"

namespace geckoprof {

// RawThread: a thread of this process that libc does not know.
//
// Why not pthread_create: a second pthread ends the program's single-threaded life. malloc, stdio and shared_ptr then
// pay for locks, setuid signals one thread more, and a main thread that calls pthread_exit waits for ours for ever.
// This thread has its own working directory, and from TakeOwnDescriptorTable on its own descriptors, so that what it
// opens is never seen by the program, takes no number from it, and does not keep the program's own table a shared one.
//
// What the thread must not do therefore: anything in libc that uses thread-local storage (errno, malloc, stdio,
// locale). It runs with every signal blocked, so no handler of the program ever runs on it.
//
//   mapping: | guard page | stack ................ | spare | thread control block |
//                                      | one page, and for a thread that waits the only one |
//
// Not static storage, though a mapping costs 5 us: LeakSanitizer and collectors of garbage read all of that, guard page
// included.
//
// Threads: Start, WaitForEnd: one caller at a time. Context: not signal context; early context is fine.
class RawThread {
 public:
  // What it returns is the thread's exit status; the process's, if it is the last.
  using Function = int (*)(void* argument);

  // Returns 0, or -errno of mmap or clone (EAGAIN where no more threads are allowed).
  int Start(Function function, void* argument);

  // For whoever started it and goes on computing. A new thread may be put on its maker's processor, where it would get
  // its first turn when the maker's time slice ends, 3 to 5 ms later. Costs nothing to speak of where it was not.
  static void LetBegin();

  // Waits until the thread is gone from the process's list of threads too, so that a call which demands a single thread
  // works.
  void WaitForEnd();

  // For the thread itself: it is woken on time, and gets a processor that computes meanwhile. The kernel lets whoever
  // has the shorter time slice interrupt whoever has the longer one (Linux 6.12, sched_setattr(2)); what it gets in all
  // stays the same. Priorities and scheduling classes that the program gave itself stay, too.
  static void AskToBeTimely();

  // What sched_getattr(2) tells. The kernel's own declaration cannot stand beside that of libc's <sched.h>.
  struct Scheduling {
    uint32_t bytes, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t slice_ns, deadline_ns, period_ns;
  };
  static bool GetScheduling(Scheduling& scheduling);  // the calling thread's

  // For the thread itself, before it opens anything: an empty descriptor table. The program's is shared until then, not
  // copied: a copy would for a moment keep open what the program closes. False if the kernel refuses: nothing may be
  // opened.
  static bool TakeOwnDescriptorTable();

  // For the thread itself: it has a working folder of its own, as whoever started it had, and would keep that file
  // system from being unmounted when the program has left it.
  static void LeaveFolder();

  // For the thread itself, before it calls deeply: whoever starts one that is over in a moment never pays for it.
  void GuardOwnStack() const;

  bool IsRunning() const { return tid_.load(std::memory_order_acquire) != 0; }
  int32_t tid() const { return static_cast<int32_t>(tid_.load(std::memory_order_relaxed)); }

  // In a forked child the thread does not exist; its memory is used again by the next Start.
  void ForgetAfterFork() { tid_.store(0, std::memory_order_relaxed); }

 private:
  static constexpr size_t kMemoryBytes = kPageBytes + size_t{256} * 1024;  // arrays of frames alone take 60 KiB
  // Stray accesses: libc's to its own fields of the control block, and to thread-local variables, which lie below it.
  static constexpr size_t kControlBlockBytes = 2304;  // glibc's struct pthread
  static constexpr size_t kSpareBytes = 1024;

  uint8_t* memory_ = nullptr;     // kept for the next start; never unmapped, so this class needs no destructor
  std::atomic<uint32_t> tid_{0};  // written by the kernel: set by clone, cleared at the thread's end
};

// --- architecture (raw_thread_<arch>.S) ---

// clone(2) for a thread that begins in function(argument) on the stack that ends at `stack_end`, and ends when it
// returns. Returns what the kernel returned to the caller. Order of kernel arguments differs between architectures;
// this one is ours.
extern "C" long geckoprof_clone_thread(unsigned long flags, void* stack_end, std::atomic<uint32_t>* tid,
                                       void* control_block, int (*function)(void*), void* argument);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_RAW_THREAD_H_
