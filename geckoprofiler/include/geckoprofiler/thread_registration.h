#ifndef GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_H_
#define GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_H_

#include <cstdint>
#include <utility>

#include "geckoprofiler/profiler_result.h"
#include "geckoprofiler/thread_data_lock.h"
#include "geckoprofiler/thread_lock_order.h"
#include "geckoprofiler/thread_registration_locked.h"

namespace geckoprof {

// ThreadRegistration: names a thread and makes its data reachable, from the thread itself through here and from others
// through ProfilerThreadRegistry.
//
//   void Worker() {
//     ThreadRegistration registration("Worker");      // to the end of the scope; or RegisterThread, UnregisterThread
//     ThreadRegistration::WithOnThreadRef([](auto ref) { ref.UnlockedConstReaderAndAtomicRW().SetSleeping(); });
//   }
//
// Registrations nest: the first one is the root, whose name and data stay; others are counted, whichever form they
// have.
//   root by RegisterThread:  the thread is registered until there were as many ends as beginnings
//   root by an object:       until that object ends, whatever was done in between; one UnregisterThread too many does
//                            nothing
// Ends without a beginning do nothing, an object that ends on another thread too; a thread that ends while registered
// is unregistered. Repeated registrations are noted in the profile, as markers of the thread.
//
// Registering waits for no other thread but one that looks at a filter just then. Unregistering waits for one who holds
// this thread's data lock. Neither waits for a walk over all threads. The thread's name in the kernel is left alone.
// Threads: each for itself. Context: not signal context; a thread that libc knows.
class [[gnu::visibility("default")]] ThreadRegistration {
 public:
  // `name` is copied. `stack_top`: any address in the thread's outermost frame; null: its stack's end as libc knows it.
  explicit ThreadRegistration(const char* name, const void* stack_top = nullptr);
  ~ThreadRegistration();
  ThreadRegistration(const ThreadRegistration&) = delete;
  ThreadRegistration& operator=(const ThreadRegistration&) = delete;

  // kNoMemory: the thread is as before. kWrongThread: asked in a handler, or by an allocator, that interrupted this
  // library on this thread. Unregistering a thread that is not registered: kUnchanged.
  static ProfilerStatus RegisterThread(const char* name, const void* stack_top = nullptr);
  static ProfilerStatus UnregisterThread();

  class OnThreadRef;
  class OnThreadPtr;
  // Empty if the calling thread is not registered.
  static OnThreadPtr GetOnThreadPtr();

  // Calls function(OnThreadRef) if the calling thread is registered.
  template <typename Function>
  static void WithOnThreadRef(Function && function);
  // The same, and returns what it returns, else `fallback`.
  template <typename Function, typename Result>
  static Result WithOnThreadRefOr(Function && function, Result fallback);

  static bool IsRegistered();
  // How often the calling thread is registered: 0, 1, or more with nested registrations.
  static uint32_t RegistrationCount();
  static bool IsDataMutexLockedOnCurrentThread() { return ThreadLockOrder::Holds(ThreadLockRank::kData); }

 private:
  friend class ProfilerThreadRegistry;
  static void InstallHooks();
  static ProfilerStatus Begin(const char* name, const void* stack_top, bool on_stack, uint64_t& root_number);
  static uint64_t BeginOnStack(const char* name, const void* stack_top);
  static void End();
  static void ThreadEnds();
  static void InForkedChild();

  const uint64_t root_number_;  // of the root that this is, or is nested in; 0: none, for whatever reason
  const bool is_root_;
};

// The calling thread's own data; valid until it unregisters. Not to be given to another thread.
class ThreadRegistration::OnThreadRef {
 public:
  const ThreadRegistrationUnlockedConstReader& UnlockedConstReader() const { return access_; }
  ThreadRegistrationUnlockedConstReaderAndAtomicRW& UnlockedConstReaderAndAtomicRW() const { return access_; }
  ThreadRegistrationUnlockedRWForLockedProfiler& UnlockedRWForLockedProfiler(const ThreadPolicyLock&) const {
    return access_;
  }
  ThreadRegistrationUnlockedReaderAndAtomicRWOnThread& UnlockedReaderAndAtomicRWOnThread() const { return access_; }
  // Holds the data lock.
  ThreadDataLockHolder<ThreadRegistrationLockedRWOnThread> LockedRWOnThread() const { return {record_, access_}; }

  template <typename Function>
  decltype(auto) WithUnlockedConstReader(Function&& function) const {
    return std::forward<Function>(function)(UnlockedConstReader());
  }
  template <typename Function>
  decltype(auto) WithUnlockedConstReaderAndAtomicRW(Function&& function) const {
    return std::forward<Function>(function)(UnlockedConstReaderAndAtomicRW());
  }
  template <typename Function>
  decltype(auto) WithUnlockedReaderAndAtomicRWOnThread(Function&& function) const {
    return std::forward<Function>(function)(UnlockedReaderAndAtomicRWOnThread());
  }
  template <typename Function>
  decltype(auto) WithLockedRWOnThread(Function&& function) const {
    const ThreadDataLock lock(record_);
    return std::forward<Function>(function)(access_);
  }

 private:
  friend class ThreadRegistration;
  OnThreadRef(const ThreadRegistrationRecord& record, ThreadRegistrationLockedRWOnThread& access)
      : record_(record), access_(access) {}

  const ThreadRegistrationRecord& record_;
  ThreadRegistrationLockedRWOnThread& access_;
};

// An OnThreadRef, or nothing.
class ThreadRegistration::OnThreadPtr {
 public:
  explicit operator bool() const { return record_ != nullptr; }
  OnThreadRef operator*() const { return OnThreadRef(*record_, *access_); }

  struct Arrow {
    OnThreadRef ref;
    const OnThreadRef* operator->() const { return &ref; }
  };
  Arrow operator->() const { return Arrow{**this}; }

 private:
  friend class ThreadRegistration;
  OnThreadPtr(const ThreadRegistrationRecord* record, ThreadRegistrationLockedRWOnThread* access)
      : record_(record), access_(access) {}

  const ThreadRegistrationRecord* record_;
  ThreadRegistrationLockedRWOnThread* access_;
};

template <typename Function>
void ThreadRegistration::WithOnThreadRef(Function&& function) {
  if (const OnThreadPtr ptr = GetOnThreadPtr()) std::forward<Function>(function)(*ptr);
}

template <typename Function, typename Result>
Result ThreadRegistration::WithOnThreadRefOr(Function&& function, Result fallback) {
  const OnThreadPtr ptr = GetOnThreadPtr();
  if (!ptr) return fallback;
  return std::forward<Function>(function)(*ptr);
}

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_H_
