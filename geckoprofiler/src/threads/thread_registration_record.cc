#include "thread_registration_record.h"

#include "geckoprofiler/thread_lock_order.h"

namespace geckoprof {

void ThreadRegistrationRecord::End() {
  std::shared_ptr<void> data, context;  // given up without the lock: what their ends do is not ours
  if (ThreadLockOrder::Holds(ThreadLockRank::kData)) {
    registered_.store(false, std::memory_order_release);
    return;
  }
  ThreadLockOrder::Take(ThreadLockRank::kData);
  lock_.Lock();
  registered_.store(false, std::memory_order_release);
  data.swap(recording_data_);
  context.swap(language_context_);
  lock_.Unlock();
  ThreadLockOrder::Release(ThreadLockRank::kData);
}

void ThreadRegistrationRecord::AdoptInForkedChild(ProfilerThreadId tid) {
  if (!ThreadLockOrder::Holds(ThreadLockRank::kData)) lock_.ResetInForkedChild();
  info_ = info_.CopyFor(tid);
}

}  // namespace geckoprof
