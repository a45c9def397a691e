#ifndef GECKOPROF_BASEPROFILER_PROCESS_TABLE_LOCK_H_
#define GECKOPROF_BASEPROFILER_PROCESS_TABLE_LOCK_H_

#include <optional>

#include "geckoprof/base/futex.h"
#include "geckoprof/base/signals_blocked.h"
#include "process/process_control.h"

namespace geckoprof {

// TableLock: a lock of something of which the process has one, and which the program's threads take.
//
//   | NoteUse | signals blocked | held | free | signals as before |
//
// No handler of the program runs on a thread that holds it: one that leaves by a jump would leave it held for good, and
// one that asks for the same would wait for itself. A fork sets it free in the child (PrepareTablesInForkedChild).
// Threads: any. Context: signal context included, but for handlers of what an instruction raises.
class TableLock {
 public:
  // Under a filter that may kill for it the kernel is asked for nothing.
  class Holder {
   public:
    explicit Holder(TableLock& table) : lock_(table.lock_) {
      NoteUse();
      if (!StoppedForGood().load(std::memory_order_relaxed)) blocked_.emplace(kEveryAsynchronousSignal);
      lock_.Lock();
    }
    ~Holder() { lock_.Unlock(); }
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
