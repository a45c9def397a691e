#ifndef GECKOPROF_GECKOPROFILER_PROFILER_THREAD_REGISTRY_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_THREAD_REGISTRY_H_

#include <iterator>
#include <utility>

#include "geckoprofiler/thread_data_lock.h"
#include "geckoprofiler/thread_lock_order.h"
#include "geckoprofiler/thread_profiling_policy.h"
#include "geckoprofiler/thread_registration_locked.h"

namespace geckoprof {

// ProfilerThreadRegistry: all threads that are registered with the full library, as other threads see them; and what
// the recording that runs wants of them. Not the base tier's ThreadRegistry, which has the threads that are sampled.
//
//   for (ProfilerThreadRegistry::OffThreadRef thread : ProfilerThreadRegistry::LockedRegistry()) {
//     names.emplace_back(thread.UnlockedConstReader().Info().Name());
//   }
//
// The registry lock is shared by any number of readers and may be taken again by its holder. It keeps what is read
// alive; it keeps no thread from beginning or ending: a thread that ends meanwhile can still be looked at, and only its
// data lock makes it wait. A walk shows the threads that were registered when it began, and may leave out those that
// end.
//
// Order of locks: profiler, registry, policy, data (ThreadLockRank). Threads: any that libc knows, so not the
// sampler's. Context: not signal context.
class [[gnu::visibility("default")]] ProfilerThreadRegistry {
 public:
  class OffThreadRef;
  class LockedRegistry;

  // Calls function(OffThreadRef) for the thread if it is registered. The id must be specified.
  template <typename Function>
  static void WithOffThreadRef(ProfilerThreadId tid, Function && function);
  // The same, and returns what it returns, else `fallback`.
  template <typename Function, typename Result>
  static Result WithOffThreadRefOr(ProfilerThreadId tid, Function && function, Result fallback);

  static bool IsRegistryMutexLockedOnCurrentThread() { return ThreadLockOrder::Holds(ThreadLockRank::kRegistry); }

  // From now on each thread, registered already or later, has the features that the policy says (copied), and those
  // that sleep will have a real sample first. Of two calls at a time the later one holds.
  static void StartProfiling(const ThreadProfilingPolicy& policy);
  // No thread has any.
  static void StopProfiling();
  // After a pause: threads that sleep will have a real sample first.
  static void ReinitializeOnResume();

 private:
  friend class ThreadRegistration;
  static void Add(ThreadRegistrationRecord * record);
  static void Remove(ThreadRegistrationRecord * record);
  // `mine`: of the thread that forked, or null.
  static void ResetInForkedChild(ThreadRegistrationRecord * mine);
};

// Another thread's data; valid as long as the LockedRegistry it comes from.
class [[gnu::visibility("default")]] ProfilerThreadRegistry::OffThreadRef {
 public:
  const ThreadRegistrationUnlockedConstReader& UnlockedConstReader() const { return access_; }
  ThreadRegistrationUnlockedConstReaderAndAtomicRW& UnlockedConstReaderAndAtomicRW() const { return access_; }
  ThreadRegistrationUnlockedRWForLockedProfiler& UnlockedRWForLockedProfiler(const ThreadPolicyLock&) const {
    return access_;
  }
  // Holds the data lock. The thread may have unregistered before (IsRegistered), but does not meanwhile.
  ThreadDataLockHolder<ThreadRegistrationLockedRWFromAnyThread> LockedRWFromAnyThread() const {
    return {record_, access_};
  }

  template <typename Function>
  decltype(auto) WithUnlockedConstReader(Function && function) const {
    return std::forward<Function>(function)(UnlockedConstReader());
  }
  template <typename Function>
  decltype(auto) WithUnlockedConstReaderAndAtomicRW(Function && function) const {
    return std::forward<Function>(function)(UnlockedConstReaderAndAtomicRW());
  }
  // False, without a call, if the thread is not registered any more.
  template <typename Function>
  bool WithLockedRWFromAnyThread(Function && function) const {
    const ThreadDataLock lock(record_);
    if (!access_.IsRegistered()) return false;
    std::forward<Function>(function)(access_);
    return true;
  }

 private:
  friend class ProfilerThreadRegistry;
  explicit OffThreadRef(ThreadRegistrationRecord & record);

  const ThreadRegistrationRecord& record_;
  ThreadRegistrationLockedRWFromAnyThread& access_;
};

// Holds the registry lock, shared, for as long as it lives. Threads: stays on the one that made it.
class [[gnu::visibility("default")]] ProfilerThreadRegistry::LockedRegistry {
 public:
  LockedRegistry();
  ~LockedRegistry();
  LockedRegistry(const LockedRegistry&) = delete;
  LockedRegistry& operator=(const LockedRegistry&) = delete;

  class [[gnu::visibility("default")]] Iterator {
   public:
    OffThreadRef operator*() const { return OffThreadRef(*record_); }
    Iterator& operator++();
    bool operator==(std::default_sentinel_t) const { return record_ == nullptr; }

   private:
    friend class LockedRegistry;
    Iterator(ThreadRegistrationRecord * record, bool settled);
    void SkipEnded();

    ThreadRegistrationRecord* record_;
    bool settled_;
  };
  Iterator begin() const;
  std::default_sentinel_t end() const { return {}; }
};

template <typename Function>
void ProfilerThreadRegistry::WithOffThreadRef(ProfilerThreadId tid, Function&& function) {
  const LockedRegistry registry;
  for (const OffThreadRef ref : registry) {
    if (ref.UnlockedConstReader().Info().ThreadId() != tid) continue;
    std::forward<Function>(function)(ref);
    return;
  }
}

template <typename Function, typename Result>
Result ProfilerThreadRegistry::WithOffThreadRefOr(ProfilerThreadId tid, Function&& function, Result fallback) {
  const LockedRegistry registry;
  for (const OffThreadRef ref : registry) {
    if (ref.UnlockedConstReader().Info().ThreadId() == tid) return std::forward<Function>(function)(ref);
  }
  return fallback;
}

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_THREAD_REGISTRY_H_
