#ifndef GECKOPROF_BASEPROFILER_SAMPLER_RAW_THREAD_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_RAW_THREAD_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/base/page_memory.h"

namespace geckoprof {

// RawThread: a thread of this process that libc does not know.
//
// pthread_create would end the program's single-threaded life. malloc, stdio and shared_ptr would then pay for locks,
// and setuid would signal another thread. A main thread that calls pthread_exit would wait for the sampler for ever.
//
// The thread has a working directory of its own. From UnshareDescriptors on it has descriptors of its own. The
// program never sees its files, loses no descriptor number to it, and keeps an unshared descriptor table.
//
// The thread must not call anything in libc that uses thread-local storage (errno, malloc, stdio, locale). It runs with
// every signal blocked, so no handler of the program ever runs on it.
//
//   mapping: | guard page | stack ................ | spare | thread control block |
//                                      | one page, the only page of a thread that waits |
//
// The memory is a mapping and not static storage, although a mapping costs some microseconds. LeakSanitizer and garbage
// collectors read all static storage, and the guard page would fault.
//
// Threads: one thread at a time calls Start and WaitForEnd.
// Context: early context is allowed. In signal context only the end of the process uses the class.
class RawThread {
 public:
  // The result is the thread's exit status. It is the process's status if the thread is the last one.
  using Function = int (*)(void* argument);

  // Returns 0, or -errno of mmap or clone. EAGAIN means that no more threads are allowed.
  int Start(Function function, void* argument);

  // The thread that called Start and goes on computing calls this. The kernel may put the new thread on its creator's
  // core. It would then run only when the creator's time slice ends, some milliseconds later. Otherwise the call costs
  // little.
  static void YieldToNewThread();

  // Waits until the thread has also left the process's list of threads. A call that demands a single thread then works.
  void WaitForEnd();

  // The thread itself calls this so that it wakes on time and gets a core that computes meanwhile. A thread with a
  // shorter time slice may interrupt a thread with a longer one (Linux 6.12, sched_setattr(2)). The thread also gets
  // the highest priority of its class where the process may set it (CAP_SYS_NICE, RLIMIT_NICE). Priorities and
  // scheduling classes that the program chose stay. A real-time class would be worse. Its threads wake on the core that
  // they last had, and interrupt what runs there although another core is free.
  static void RequestTimeliness();

  // The result of sched_getattr(2). The kernel's own declaration conflicts with libc's <sched.h>.
  struct Scheduling {
    uint32_t bytes, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t slice_ns, deadline_ns, period_ns;
  };
  static bool GetScheduling(Scheduling& scheduling);  // of the calling thread

  // The thread itself calls this before it opens anything, to get an empty descriptor table. Until then it shares the
  // program's table. A copy of that table would briefly keep files open that the program closes. Returns false if the
  // kernel refuses. The thread may then open nothing.
  static bool UnshareDescriptors();

  // The thread itself calls this. Its working directory is a copy of its creator's. After the program left that
  // directory, the thread would keep the file system mounted.
  static void ChangeToRootFolder();

  // The thread itself calls this before it makes deep calls. A process that ends at once never pays for the guard page.
  void GuardOwnStack() const;

  bool IsRunning() const { return tid_.load(std::memory_order_acquire) != 0; }
  int32_t tid() const { return static_cast<int32_t>(tid_.load(std::memory_order_relaxed)); }

  // Called in a forked child, where the thread does not exist. The next Start uses its memory again.
  void ForgetAfterFork() { tid_.store(0, std::memory_order_relaxed); }

 private:
  static constexpr size_t kMemoryBytes = kPageBytes + size_t{256} * 1024;  // arrays of frames take some 60 KiB
  // Room for stray accesses. libc accesses its fields of the control block and thread-local variables, which lie below
  // it.
  static constexpr size_t kControlBlockBytes = 2304;  // glibc's struct pthread
  static constexpr size_t kSpareBytes = 1024;

  uint8_t* memory_ = nullptr;     // kept for the next start and never unmapped, so there is no destructor
  std::atomic<uint32_t> tid_{0};  // the kernel sets it in clone and clears it at the thread's end
};

// --- architecture (<arch>/raw_thread_clone.S) ---

// clone(2) for a thread that runs function(argument) on the stack that ends at `stack_end`, and ends when the function
// returns. Returns the kernel's result to the caller. The order of these arguments is the same on all architectures,
// unlike the kernel's order.
extern "C" long geckoprof_clone_thread(unsigned long flags, void* stack_end, std::atomic<uint32_t>* tid,
                                       void* control_block, int (*function)(void*), void* argument);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_RAW_THREAD_H_
