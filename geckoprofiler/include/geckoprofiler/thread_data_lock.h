#ifndef GECKOPROF_GECKOPROFILER_THREAD_DATA_LOCK_H_
#define GECKOPROF_GECKOPROFILER_THREAD_DATA_LOCK_H_

namespace geckoprof {

class FutexLock;
class ThreadRegistrationRecord;

// ThreadDataLock: holds the data lock of one registered thread for as long as it lives. Rank ThreadLockRank::kData. Not
// for long: the thread waits for it when it ends. Threads: stays on the one that made it. Context: not signal context.
class [[gnu::visibility("default")]] ThreadDataLock {
 public:
  explicit ThreadDataLock(const ThreadRegistrationRecord& record);
  ~ThreadDataLock();
  ThreadDataLock(const ThreadDataLock&) = delete;
  ThreadDataLock& operator=(const ThreadDataLock&) = delete;

 private:
  FutexLock& lock_;
};

// ThreadDataLockHolder: the same, with the access that the lock allows; like a pointer.
template <typename Access>
class ThreadDataLockHolder {
 public:
  ThreadDataLockHolder(const ThreadRegistrationRecord& record, Access& access) : lock_(record), access_(access) {}
  Access& operator*() const { return access_; }
  Access* operator->() const { return &access_; }

 private:
  ThreadDataLock lock_;
  Access& access_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREAD_DATA_LOCK_H_
