#ifndef GECKOPROF_GECKOPROFILER_THREADS_REGISTERED_THREAD_H_
#define GECKOPROF_GECKOPROFILER_THREADS_REGISTERED_THREAD_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "geckoprof/base/futex.h"
#include "geckoprof/base/ids.h"
#include "runtime/api_locks.h"

namespace geckoprof {

// RegisteredThread: the facts of one registered thread. The thread makes its record on the heap. The record is freed
// when ThreadRecordList is tidied and no other thread looks at it any more.
//
// Threads: any thread that keeps the record alive (ThreadDirectory::Walk) may read it. Comments name the members that
// only the registered thread itself, the owner, may use.
// Context: not signal context.
class RegisteredThread {
 public:
  // The facts that stay from the registration on. The child of a fork changes them.
  struct Facts {
    ThreadId tid;
    bool is_main = false;
    int64_t register_time_ns = 0;  // on CLOCK_MONOTONIC
    // The name of an earlier registration with base, which stays in force there.
    char name_in_base[64] = "";
  };

  // Null if there is no memory. `number`: of the registration, never used again. `ends_with_scope`: the registration
  // ends with a scope, and not by CurrentThread::Unregister.
  static RegisteredThread* Make(const char* name, const Facts& facts, uint64_t number, bool ends_with_scope);
  RegisteredThread(const RegisteredThread&) = delete;
  RegisteredThread& operator=(const RegisteredThread&) = delete;

  const char* name() const { return name_.get(); }
  // Filters select the thread by this name.
  const char* name_for_filters() const { return facts_.name_in_base[0] != '\0' ? facts_.name_in_base : name(); }
  const Facts& facts() const { return facts_; }
  uint64_t number() const { return number_; }
  bool ends_with_scope() const { return ends_with_scope_; }

  // CPU time that the thread has used, in ns, or -errno. A system call of 0.2 us. After the thread has unregistered,
  // the answer may be about another thread with the same id.
  int64_t CpuTimeNs() const;

  // False once the thread has unregistered. True may be out of date at once, unless the lock is held.
  bool is_registered() const { return registered_.load(std::memory_order_acquire); }
  // True if something is recorded and the filters select the thread. ThreadDirectory writes it under its policy lock.
  bool is_selected() const { return selected_.load(std::memory_order_relaxed); }
  void set_selected(bool selected) { selected_.store(selected, std::memory_order_relaxed); }
  // True if the thread says that it sleeps. The owner writes it.
  bool is_sleeping() const { return sleeping_.load(std::memory_order_relaxed); }
  void set_sleeping(bool sleeping) { sleeping_.store(sleeping, std::memory_order_relaxed); }

  // Keeps the thread from unregistering for as long as it lives. Not for long. REQUIRES: the calling thread holds no
  // other such lock.
  class Lock {
   public:
    explicit Lock(RegisteredThread& thread) : holder_(thread.lock_) {}

   private:
    const ApiLocks::Scope order_{ApiLockRank::kData};
    const FutexLockHolder holder_;
  };

  // The owner's registration ends. Afterwards no other thread finds it, and none holds its Lock. A calling thread that
  // holds a Lock itself does not wait.
  void End();

  // In the child of a fork, on the thread that forked. It is the main thread there, and has another id.
  void AdoptInForkedChild(ThreadId tid);

  // The owner's.
  uint32_t registrations = 1;   // with the nested ones
  int64_t cpu_at_sleep_ns = 0;  // at the last marked sleep. 0: since the thread began. -1: unknown

  // ThreadRecordList's.
  RegisteredThread* next = nullptr;
  RegisteredThread* previous = nullptr;
  RegisteredThread* next_departed = nullptr;

 private:
  RegisteredThread(std::unique_ptr<char[]> name, const Facts& facts, uint64_t number, bool ends_with_scope)
      : name_(std::move(name)), facts_(facts), number_(number), ends_with_scope_(ends_with_scope) {}

  const std::unique_ptr<char[]> name_;
  Facts facts_;
  const uint64_t number_;
  const bool ends_with_scope_;
  FutexLock lock_;
  std::atomic<bool> registered_{true};  // release, by the owner under lock_
  // Relaxed: a thread that looks in the moment of a change gets either answer.
  std::atomic<bool> selected_{false};
  std::atomic<bool> sleeping_{false};
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREADS_REGISTERED_THREAD_H_
