#ifndef GECKOPROF_GECKOPROFILER_THREAD_POLICY_LOCK_H_
#define GECKOPROF_GECKOPROFILER_THREAD_POLICY_LOCK_H_

namespace geckoprof {

// ThreadPolicyLock: holds the lock that guards which threads are profiled, for as long as it lives; and is the proof of
// that where one is asked for.
//
// It is held for one thread at a time, never for a walk over all of them: a thread that registers takes it, and must
// not wait for more than one look at a filter. Rank: ThreadLockRank::kPolicy. Threads: any. Context: not signal
// context.
class [[gnu::visibility("default")]] ThreadPolicyLock {
 public:
  ThreadPolicyLock();
  ~ThreadPolicyLock();
  ThreadPolicyLock(const ThreadPolicyLock&) = delete;
  ThreadPolicyLock& operator=(const ThreadPolicyLock&) = delete;

  // In the child of a fork: frees it, unless the thread that forked is its holder.
  static void ResetInForkedChild();
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREAD_POLICY_LOCK_H_
