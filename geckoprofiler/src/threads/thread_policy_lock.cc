#include "geckoprofiler/thread_policy_lock.h"

#include "geckoprof/base/futex.h"
#include "geckoprofiler/thread_lock_order.h"

namespace geckoprof {
namespace {

constinit FutexLock policy_lock;

}  // namespace

ThreadPolicyLock::ThreadPolicyLock() {
  ThreadLockOrder::Take(ThreadLockRank::kPolicy);
  policy_lock.Lock();
}

ThreadPolicyLock::~ThreadPolicyLock() {
  policy_lock.Unlock();
  ThreadLockOrder::Release(ThreadLockRank::kPolicy);
}

void ThreadPolicyLock::ResetInForkedChild() {
  if (!ThreadLockOrder::Holds(ThreadLockRank::kPolicy)) policy_lock.ResetInForkedChild();
}

}  // namespace geckoprof
