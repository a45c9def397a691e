#ifndef GECKOPROF_BASEPROFILER_PROCESS_FORK_RECORD_H_
#define GECKOPROF_BASEPROFILER_PROCESS_FORK_RECORD_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/base/ids.h"

namespace geckoprof {

// ForkRecord: says in the session directory that there is this forked child, from the fork until it has a segment
// (session_format.h). The segment is made by the child's sampler thread, which on a busy machine may not get a core
// before the child is over; then the mark is all that is known of it.
//
//   Leave (the fork)  ---> Remove (its segment is there)
//                     ---> End (it ends first): the name then says when
//
// A process leaves kMost of its children's at most: one that forks without end must not fill the directory with names.
// One system call each, of 2 to 4 us; no memory, no data: a full file system takes it.
// Threads: CountFork: one at a time; Leave before there are others; Remove and End: any, whichever comes first counts.
// Context: signal context.
class ForkRecord {
 public:
  static constexpr uint32_t kMost = 4096;

  // In the parent, before each fork. False: that child leaves none.
  bool CountFork() { return ++forks_ <= kMost; }

  // In the child, where what there was is its parent's.
  void Forget() { is_left_.store(false, std::memory_order_relaxed); }
  void Leave(const char* directory, ProcessId pid, ProcessId parent, int64_t begin_ns);
  void Remove();
  void End(int64_t end_ns);

  bool is_left() const { return is_left_.load(std::memory_order_relaxed); }

 private:
  bool Take() { return is_left() && is_left_.exchange(false, std::memory_order_acquire); }

  std::atomic<bool> is_left_{false};  // release: path_ is complete
  char path_[256] = {};               // written by Leave only
  uint32_t forks_ = 0;                // of this process
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PROCESS_FORK_RECORD_H_
