#ifndef GECKOPROF_BASEPROFILER_PROCESS_TABLE_LOCK_H_
#define GECKOPROF_BASEPROFILER_PROCESS_TABLE_LOCK_H_

#include <optional>

#include "geckoprof/base/futex.h"
#include "geckoprof/base/lock_order.h"
#include "geckoprof/base/signals_blocked.h"
#include "process/process_control.h"

namespace geckoprof {

// TableLock: the lock of a table of the process. The program's threads take it.
//
//   | NoteUse | signals blocked | held | free | signals as before |
//
// No handler of the program runs on a thread that holds the lock. A handler that left by longjmp would leave it
// held for ever. A handler that took it would wait for its own thread. A fork frees it in the child
// (PrepareTablesInForkedChild). The holder takes no other lock.
//
// Threads: any.
// Context: any, signal context included, except in handlers of faults.
class TableLock {
 public:
  // Under a seccomp filter, which may kill for a system call, signals stay as they are.
  class Holder {
   public:
    explicit Holder(TableLock& table) : lock_(table.lock_) {
      NoteUse();
      if (!StoppedForGood().load(std::memory_order_relaxed)) blocked_.emplace(kEveryAsynchronousSignal);
      LockOrder::Check(LockRank::kTable);
      lock_.Lock();
      LockOrder::NoteAcquired(LockRank::kTable);
    }
    ~Holder() {
      LockOrder::NoteReleased(LockRank::kTable);
      lock_.Unlock();
    }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

   private:
    FutexLock& lock_;
    std::optional<SignalsBlocked> blocked_;
  };

  constexpr TableLock() = default;
  void ResetInForkedChild() { lock_.ResetInForkedChild(); }

 private:
  FutexLock lock_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PROCESS_TABLE_LOCK_H_
