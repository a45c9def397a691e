#include "geckoprofiler/thread_data_lock.h"

#include "geckoprofiler/thread_lock_order.h"
#include "thread_registration_record.h"

namespace geckoprof {

ThreadDataLock::ThreadDataLock(const ThreadRegistrationRecord& record) : lock_(record.lock()) {
  ThreadLockOrder::Take(ThreadLockRank::kData);
  lock_.Lock();
}

ThreadDataLock::~ThreadDataLock() {
  lock_.Unlock();
  ThreadLockOrder::Release(ThreadLockRank::kData);
}

}  // namespace geckoprof
