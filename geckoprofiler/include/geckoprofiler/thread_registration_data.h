#ifndef GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_DATA_H_
#define GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_DATA_H_

#include <atomic>
#include <memory>
#include <utility>

#include "geckoprof/base/futex.h"
#include "geckoprofiler/thread_profiling_features.h"
#include "geckoprofiler/thread_registration_info.h"
#include "geckoprofiler/thread_sleep_state.h"

namespace geckoprof {

// ThreadRegistrationData: what is known of one registered thread. Nobody can do anything with it as such; each class
// derived from it, in the two headers beside, allows more than the one before, and one is handed a reference to the
// class that fits where one stands:
//
//   ThreadRegistrationData
//    <- ThreadRegistrationUnlockedConstReader               anybody who keeps the thread's data from going away
//     <- ThreadRegistrationUnlockedConstReaderAndAtomicRW    the same, for words that are atomic
//      <- ThreadRegistrationUnlockedRWForLockedProfiler       the same, with the proof that the policy lock is held
//       <- ThreadRegistrationUnlockedReaderAndAtomicRWOnThread  the thread itself, without a lock
//        <- ThreadRegistrationLockedRWFromAnyThread              any thread that holds the data lock
//         <- ThreadRegistrationLockedRWOnThread                   the thread itself, holding the data lock
//
// The open labels are not here: they lie in the base tier, one stack for the labels of both APIs.
class ThreadRegistrationData {
 public:
  ThreadRegistrationData(const ThreadRegistrationData&) = delete;
  ThreadRegistrationData& operator=(const ThreadRegistrationData&) = delete;

 protected:
  ThreadRegistrationData(ThreadRegistrationInfo info, const void* stack_top)
      : info_(std::move(info)), stack_top_(stack_top) {}
  ~ThreadRegistrationData() = default;

  // Const from registration on (but for the child of a fork, before anybody looks).
  ThreadRegistrationInfo info_;
  const void* const stack_top_;

  // Guarded by lock_, which the thread takes when it unregisters: who holds it keeps the thread from ending.
  mutable FutexLock lock_;
  std::shared_ptr<void> recording_data_;
  std::shared_ptr<void> language_context_;  // written by the owner only, which therefore reads it without

  // Atomic. registered_: the owner clears it under lock_; release, so that who still sees it set, holding lock_, sees
  // all that the owner did before. features_: under the policy lock, relaxed: a marker more or less at the moment of a
  // start.
  std::atomic<bool> registered_{true};
  std::atomic<ThreadProfilingFeatures> features_{ThreadProfilingFeatures::NotProfiled};
  ThreadSleepState sleep_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_DATA_H_
