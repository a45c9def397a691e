#include "threads/thread_directory.h"

#include "geckoprof/base/futex.h"
#include "runtime/api_call.h"
#include "threads/current_thread.h"

namespace geckoprof {
namespace {

constinit ThreadRecordList all_threads;

// Guards the words below. It is held for one thread at a time, and never for a whole walk. A thread that registers
// takes it, and must not wait for more than one evaluation of a filter.
constinit FutexLock policy_lock;
constinit ThreadFilter current_filter;
constinit bool is_profiling = false;
constinit uint64_t policy_number = 0;  // the number of the latest start or stop

class PolicyLock {
 private:
  const ApiLocks::Scope order_{ApiLockRank::kPolicy};
  const FutexLockHolder holder_{policy_lock};
};

// REQUIRES: policy_lock.
void ApplyPolicy(RegisteredThread& thread) {
  bool selected = false;
  if (is_profiling) {
    const ProcessId pid = LibraryProcess::Current();
    const char* const name = thread.name_for_filters();
    selected = thread.facts().is_main ? current_filter.MatchesMain(name, pid) : current_filter.Matches(name, pid);
  }
  thread.set_selected(selected);
}

// No thread is missed. The walk has every thread that was added before it began. A thread that is added later finds the
// new policy.
void ApplyPolicyToAll(uint64_t number) {
  ThreadDirectory::Walk walk;
  while (RegisteredThread* const thread = walk.Next()) {
    const PolicyLock lock;
    if (policy_number != number) return;  // a later call does it
    ApplyPolicy(*thread);
  }
}

}  // namespace

void ThreadDirectory::StartProfiling(const ThreadFilter& filter) {
  CurrentThread::InstallHooks();  // a fork during the following lines must leave the child a free lock
  uint64_t number;
  {
    const PolicyLock lock;
    current_filter = filter;
    is_profiling = true;
    number = ++policy_number;
  }
  ApplyPolicyToAll(number);
}

void ThreadDirectory::StopProfiling() {
  uint64_t number;
  {
    const PolicyLock lock;
    is_profiling = false;
    number = ++policy_number;
  }
  ApplyPolicyToAll(number);
}

void ThreadDirectory::Add(RegisteredThread* thread) {
  all_threads.Add(thread);
  const PolicyLock lock;
  ApplyPolicy(*thread);
}

void ThreadDirectory::Remove(RegisteredThread* thread) {
  thread->End();
  all_threads.Remove(thread);
}

void ThreadDirectory::ResetInForkedChild(RegisteredThread* mine) {
  if (!ApiLocks::Holds(ApiLockRank::kPolicy)) policy_lock.ResetInForkedChild();
  all_threads.ResetInForkedChild(mine, ApiLocks::HoldCount(ApiLockRank::kRegistry));
}

ThreadDirectory::Walk::Walk() {
  all_threads.Enter();
  next_ = all_threads.First();
}

ThreadDirectory::Walk::~Walk() { all_threads.Exit(); }

RegisteredThread* ThreadDirectory::Walk::Next() {
  while (RegisteredThread* const thread = next_.record) {
    next_ = all_threads.Next(next_);
    if (thread->is_registered()) return thread;
  }
  return nullptr;
}

}  // namespace geckoprof
