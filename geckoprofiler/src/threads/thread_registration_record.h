#ifndef GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_RECORD_H_
#define GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_RECORD_H_

#include <cstdint>
#include <utility>

#include "geckoprofiler/thread_registration_locked.h"

namespace geckoprof {

// ThreadRegistrationRecord: the object behind all accessors, and what the registration's own code may do with it. On
// the heap; made by its thread, and freed by whoever tidies the list when nobody looks at it any more
// (ThreadRecordList).
class ThreadRegistrationRecord final : public ThreadRegistrationLockedRWOnThread {
 public:
  ThreadRegistrationRecord(ThreadRegistrationInfo info, const void* stack_top, uint64_t its_number,
                           bool ends_with_object)
      : ThreadRegistrationLockedRWOnThread(std::move(info), stack_top),
        number(its_number),
        on_stack(ends_with_object) {}

  FutexLock& lock() const { return lock_; }

  // The registration ends: afterwards nobody finds the thread, and nobody is in the locked part of its data. Waits for
  // one who is, unless the calling thread itself holds a data lock: it must not wait for itself.
  void End();

  // In the child of a fork, on the thread that forked, which has another id there.
  void AdoptInForkedChild(ProfilerThreadId tid);

  // Const.
  const uint64_t number;  // of the registration, never used again
  const bool on_stack;    // it ends with a ThreadRegistration object, not by UnregisterThread

  // The owner's alone.
  uint32_t registrations = 1;   // with the nested ones
  int64_t cpu_at_sleep_ns = 0;  // at the last sleep; 0: since the thread began, -1: not known

  // ThreadRecordList's.
  ThreadRegistrationRecord* next = nullptr;
  ThreadRegistrationRecord* previous = nullptr;
  ThreadRegistrationRecord* next_departed = nullptr;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_RECORD_H_
