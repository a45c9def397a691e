#include "geckoprofiler/profiler_thread_registry.h"

#include "geckoprofiler/thread_registration.h"
#include "thread_record_list.h"

namespace geckoprof {
namespace {

constinit ThreadRecordList all_records;

// Guarded by the policy lock.
constinit ThreadProfilingPolicy current_policy;
constinit bool is_profiling = false;
constinit uint64_t policy_number = 0;  // of the latest start or stop

void ApplyPolicy(ThreadRegistrationUnlockedRWForLockedProfiler& thread, const ThreadPolicyLock& lock) {
  if (is_profiling) {
    thread.SetProfilingFeatures(
        current_policy.FeaturesFor(thread.Info().NameForFilters(), thread.Info().IsMainThread()), lock);
    thread.ReinitializeOnResume(lock);
  } else {
    thread.ClearProfilingFeatures(lock);
  }
}

// The policy lock is taken for each thread anew, so that one that registers meanwhile waits for one look at a filter.
// No thread is missed: one that is added before the walk begins is in it, and one that is added later finds the new
// policy.
void ApplyPolicyToAll(uint64_t number) {
  const ProfilerThreadRegistry::LockedRegistry registry;
  for (const ProfilerThreadRegistry::OffThreadRef thread : registry) {
    const ThreadPolicyLock lock;
    if (policy_number != number) return;  // a later call does it
    ApplyPolicy(thread.UnlockedRWForLockedProfiler(lock), lock);
  }
}

}  // namespace

void ProfilerThreadRegistry::StartProfiling(const ThreadProfilingPolicy& policy) {
  ThreadRegistration::InstallHooks();  // a fork in the middle of what follows must leave the child a free lock
  uint64_t number;
  {
    const ThreadPolicyLock lock;
    current_policy = policy;
    is_profiling = true;
    number = ++policy_number;
  }
  ApplyPolicyToAll(number);
}

void ProfilerThreadRegistry::StopProfiling() {
  uint64_t number;
  {
    const ThreadPolicyLock lock;
    is_profiling = false;
    number = ++policy_number;
  }
  ApplyPolicyToAll(number);
}

void ProfilerThreadRegistry::ReinitializeOnResume() {
  const LockedRegistry registry;
  for (const OffThreadRef thread : registry) {
    const ThreadPolicyLock lock;
    thread.UnlockedRWForLockedProfiler(lock).ReinitializeOnResume(lock);
  }
}

void ProfilerThreadRegistry::Add(ThreadRegistrationRecord* record) {
  all_records.Add(record);
  const ThreadPolicyLock lock;
  ApplyPolicy(*record, lock);
}

void ProfilerThreadRegistry::Remove(ThreadRegistrationRecord* record) {
  record->End();
  all_records.Leave(record);
}

void ProfilerThreadRegistry::ResetInForkedChild(ThreadRegistrationRecord* mine) {
  ThreadPolicyLock::ResetInForkedChild();
  all_records.ResetInForkedChild(mine, ThreadLockOrder::HoldCount(ThreadLockRank::kRegistry));
}

ProfilerThreadRegistry::OffThreadRef::OffThreadRef(ThreadRegistrationRecord& record)
    : record_(record), access_(record) {}

ProfilerThreadRegistry::LockedRegistry::LockedRegistry() {
  ThreadLockOrder::Take(ThreadLockRank::kRegistry);
  all_records.Enter();
}

ProfilerThreadRegistry::LockedRegistry::~LockedRegistry() {
  all_records.Exit();
  ThreadLockOrder::Release(ThreadLockRank::kRegistry);
}

ProfilerThreadRegistry::LockedRegistry::Iterator ProfilerThreadRegistry::LockedRegistry::begin() const {
  const ThreadRecordList::Place first = all_records.First();
  return Iterator(first.record, first.settled);
}

ProfilerThreadRegistry::LockedRegistry::Iterator::Iterator(ThreadRegistrationRecord* record, bool settled)
    : record_(record), settled_(settled) {
  SkipEnded();
}

ProfilerThreadRegistry::LockedRegistry::Iterator& ProfilerThreadRegistry::LockedRegistry::Iterator::operator++() {
  const ThreadRecordList::Place next = all_records.Next({record_, settled_});
  record_ = next.record;
  settled_ = next.settled;
  SkipEnded();
  return *this;
}

void ProfilerThreadRegistry::LockedRegistry::Iterator::SkipEnded() {
  while (record_ != nullptr && !record_->IsRegistered()) {
    const ThreadRecordList::Place next = all_records.Next({record_, settled_});
    record_ = next.record;
    settled_ = next.settled;
  }
}

}  // namespace geckoprof
