// The data of a registered thread for those who hold no lock of its own. See thread_registration_data.h.
#ifndef GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_UNLOCKED_H_
#define GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_UNLOCKED_H_

#include <atomic>
#include <cstdint>

#include "geckoprofiler/thread_policy_lock.h"
#include "geckoprofiler/thread_registration_data.h"

namespace geckoprof {

// What never changes. Threads: any.
class [[gnu::visibility("default")]] ThreadRegistrationUnlockedConstReader : public ThreadRegistrationData {
 public:
  const ThreadRegistrationInfo& Info() const { return info_; }
  // The end of the thread's stack, beyond its outermost frame; null if unknown.
  const void* StackTop() const { return stack_top_; }
  // CPU time the thread has used, in ns, or -errno. A system call of 0.2 us. Of another thread once it has
  // unregistered: whatever thread has its id now.
  int64_t CpuTimeNs() const;

 protected:
  using ThreadRegistrationData::ThreadRegistrationData;
  ~ThreadRegistrationUnlockedConstReader() = default;
};

// The words that any thread may read or change at any time.
class ThreadRegistrationUnlockedConstReaderAndAtomicRW : public ThreadRegistrationUnlockedConstReader {
 public:
  // False once the thread has unregistered; true may be out of date at once, unless the data lock is held.
  bool IsRegistered() const { return registered_.load(std::memory_order_acquire); }

  ThreadProfilingFeatures ProfilingFeatures() const { return features_.load(std::memory_order_relaxed); }
  bool IsProfiledFor(ThreadProfilingFeatures features) const {
    return DoFeaturesIntersect(ProfilingFeatures(), features);
  }

  // See ThreadSleepState; SetSleeping and SetAwake are for the thread itself.
  void SetSleeping() { sleep_.SetSleeping(); }
  void SetAwake() { sleep_.SetAwake(); }
  bool IsSleeping() const { return sleep_.IsSleeping(); }
  bool CanDuplicateLastSampleDueToSleep() { return sleep_.CanDuplicateLastSampleDueToSleep(); }

 protected:
  using ThreadRegistrationUnlockedConstReader::ThreadRegistrationUnlockedConstReader;
  ~ThreadRegistrationUnlockedConstReaderAndAtomicRW() = default;
};

// What only the holder of the policy lock may change, and must show. Threads: any.
class ThreadRegistrationUnlockedRWForLockedProfiler : public ThreadRegistrationUnlockedConstReaderAndAtomicRW {
 public:
  void SetProfilingFeatures(ThreadProfilingFeatures features, const ThreadPolicyLock&) {
    features_.store(features, std::memory_order_relaxed);
  }
  void ClearProfilingFeatures(const ThreadPolicyLock& lock) {
    SetProfilingFeatures(ThreadProfilingFeatures::NotProfiled, lock);
  }
  // A recording begins or goes on: the next look at a sleeping thread must take a sample.
  void ReinitializeOnResume(const ThreadPolicyLock&) { sleep_.ReinitializeOnResume(); }

 protected:
  using ThreadRegistrationUnlockedConstReaderAndAtomicRW::ThreadRegistrationUnlockedConstReaderAndAtomicRW;
  ~ThreadRegistrationUnlockedRWForLockedProfiler() = default;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_UNLOCKED_H_
