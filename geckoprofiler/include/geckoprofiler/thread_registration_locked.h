// The data of a registered thread for that thread, and for those who hold its lock. See thread_registration_data.h.
#ifndef GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_LOCKED_H_
#define GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_LOCKED_H_

#include <memory>

#include "geckoprofiler/thread_registration_unlocked.h"

namespace geckoprof {

// What the thread itself may do without a lock: read what nobody else writes.
class ThreadRegistrationUnlockedReaderAndAtomicRWOnThread : public ThreadRegistrationUnlockedRWForLockedProfiler {
 public:
  // What a managed language keeps for the thread, for readers of its frames; may be null.
  const std::shared_ptr<void>& LanguageContext() const { return language_context_; }

 protected:
  using ThreadRegistrationUnlockedRWForLockedProfiler::ThreadRegistrationUnlockedRWForLockedProfiler;
  ~ThreadRegistrationUnlockedReaderAndAtomicRWOnThread() = default;
};

// What any thread may do while it holds the data lock. The thread cannot unregister meanwhile.
class ThreadRegistrationLockedRWFromAnyThread : public ThreadRegistrationUnlockedReaderAndAtomicRWOnThread {
 public:
  // What a recording keeps for the thread; may be null.
  const std::shared_ptr<void>& RecordingData() const { return recording_data_; }
  // Returns what was there, to be given up once the lock is released. The registration's end gives up the last one.
  std::shared_ptr<void> SetRecordingData(std::shared_ptr<void> data) {
    recording_data_.swap(data);
    return data;
  }

 protected:
  using ThreadRegistrationUnlockedReaderAndAtomicRWOnThread::ThreadRegistrationUnlockedReaderAndAtomicRWOnThread;
  ~ThreadRegistrationLockedRWFromAnyThread() = default;
};

// What only the thread itself may do, holding the data lock.
class ThreadRegistrationLockedRWOnThread : public ThreadRegistrationLockedRWFromAnyThread {
 public:
  // Returns what was there, as SetRecordingData.
  std::shared_ptr<void> SetLanguageContext(std::shared_ptr<void> context) {
    language_context_.swap(context);
    return context;
  }

 protected:
  using ThreadRegistrationLockedRWFromAnyThread::ThreadRegistrationLockedRWFromAnyThread;
  ~ThreadRegistrationLockedRWOnThread() = default;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_LOCKED_H_
