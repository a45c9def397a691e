#ifndef GECKOPROF_GECKOPROFILER_SAMPLER_HELPER_THREAD_H_
#define GECKOPROF_GECKOPROFILER_SAMPLER_HELPER_THREAD_H_

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace geckoprof {

// HelperThread: runs functions on a thread that has descriptors of its own. Files that they open take no number from
// the program, in whose descriptors the thread begins with none. The thread is made with the first function.
//
//   Run:     job_, turn_ = kAsked | wait ................. turn_ = kIdle
//   thread:  wait ............... | job_, turn_ = kDone  | wait
//
// Threads: one calls everything.
// Context: not signal context. Every signal should be blocked, because the thread inherits the caller's mask.
class HelperThread {
 public:
  // `tid` receives the id of the thread, for OwnerTable::own_helper. It is negative while the thread is being made. The
  // thread's CPU time is added to `cpu_ns`.
  HelperThread(std::atomic<int32_t>* tid, std::atomic<int64_t>* cpu_ns) : tid_(*tid), cpu_ns_(cpu_ns) {}
  ~HelperThread() { End(); }
  HelperThread(const HelperThread&) = delete;
  HelperThread& operator=(const HelperThread&) = delete;

  // Returns after `run(argument)` has returned. Returns false if it was not called, because the kernel allows no
  // further thread or cannot separate the descriptors (Linux before 5.9).
  bool Run(void (*run)(void* argument), void* argument);
  // Returns when there is no thread any more.
  void End();

 private:
  enum Turn : uint32_t { kIdle, kAsked, kDone, kEnding };
  static constexpr int32_t kBegins = -1;

  bool Start();
  void Change(Turn turn);
  // Returns when the turn is another one.
  void AwaitOther(Turn turn);
  static void* Main(void* self);

  pthread_t thread_ = {};
  bool has_thread_ = false;
  struct {
    void (*run)(void* argument);
    void* argument;
    bool is_done;
  } job_ = {};                         // of the side whose turn it is
  std::atomic<uint32_t> turn_{kIdle};  // release: job_ is complete
  std::atomic<int32_t>& tid_;
  std::atomic<int64_t>* const cpu_ns_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_SAMPLER_HELPER_THREAD_H_
