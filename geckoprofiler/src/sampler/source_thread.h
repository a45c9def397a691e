#ifndef GECKOPROF_GECKOPROFILER_SAMPLER_SOURCE_THREAD_H_
#define GECKOPROF_GECKOPROFILER_SAMPLER_SOURCE_THREAD_H_

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace geckoprof {

// SourceThread: a thread of this library on which a tick source does what may block or needs libc. The sampler wakes
// it.
//
//   turn_:  idle --Wake--> woken --thread--> idle, work .............. idle
//                            \--RequestEnd--> ending --thread--> ended
//                                 ^ Start, before the thread saw it: woken
//
// Threads: the sampler calls Wake and RequestEnd. The other functions are called with the lock of TickSources held, and
// with signals blocked, because the new thread inherits the caller's mask.
class SourceThread {
 public:
  struct Work {
    // Returns the time at which it runs again without a wake, or INT64_MAX. It runs once when the thread begins.
    int64_t (*run)(void* context) = nullptr;
    void* context = nullptr;
    const char* thread_name = "";  // at most 15 bytes
    // Files that the work opens take no number from the program. Otherwise it may call functions of the program.
    bool has_own_files = false;
  };

  // `tid` receives the thread's id, and is negative while the thread is being made. The thread's CPU time is added to
  // `cpu_ns`.
  void Assign(const Work& work, std::atomic<int32_t>* tid, std::atomic<int64_t>* cpu_ns);

  // Makes the thread, unless there is one. A held thread is made by Release. False: the kernel allows no thread.
  bool Start();
  // The thread ends when its work returns. It is not waited for.
  void End();
  // The thread ends, and Start makes no other one until Release.
  void Hold();
  void Release();
  // Returns false if a thread is still there. Otherwise there is none any more, in the kernel's list either.
  bool TryJoin();
  // Only the forking thread is in this process. Returns true if the thread was there in the parent.
  bool ForgetInChild();
  // True on the thread itself.
  bool IsOwn() const;

  // The work runs once more. Context: the sampler's, and any other.
  void Wake();
  void RequestEnd();

 private:
  enum Turn : uint32_t { kIdle, kWoken, kEnding, kEnded };
  static constexpr int32_t kBegins = -1;

  bool Make();
  void Run();
  static void* Main(void* self);

  Work work_;
  std::atomic<int32_t>* tid_ = nullptr;
  std::atomic<int64_t>* cpu_ns_ = nullptr;
  std::atomic<uint32_t> turn_{kEnded};
  // Guarded by the lock of TickSources.
  pthread_t thread_ = {};
  bool is_joinable_ = false;
  bool is_wanted_ = false;
  bool is_held_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_SAMPLER_SOURCE_THREAD_H_
