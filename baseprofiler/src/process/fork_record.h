#ifndef GECKOPROF_BASEPROFILER_PROCESS_FORK_RECORD_H_
#define GECKOPROF_BASEPROFILER_PROCESS_FORK_RECORD_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/base/ids.h"
#include "process/process_control.h"

namespace geckoprof {

// ForkRecord: a mark in the session directory for a forked child, from the fork until the child has a segment
// (session_format.h). The child's sampler thread makes the segment. On a busy machine that thread may not get a core
// before the child ends. Then the mark is the only trace of the child.
//
//   Create (the fork) ---> Remove (its segment is there)
//                     ---> End (the child ends first): the name then has the time, status and resources
//
// Each function makes one system call of a few microseconds. A mark needs no memory and no data blocks, so a full file
// system accepts it. A process leaves marks for at most kMax children, so that a fork loop cannot fill the directory.
//
// Threads: one thread at a time calls CountFork. Create runs while the child has one thread. Any thread may call Remove
// and End, and the first call counts.
// Context: signal context.
class ForkRecord {
 public:
  static constexpr uint32_t kMax = 4096;

  // Called in the parent before each fork. Returns false if this child leaves no mark.
  bool CountFork() { return ++forks_ <= kMax; }

  // Called in the child, because the mark in its memory belongs to the parent.
  void Forget() { exists_.store(false, std::memory_order_relaxed); }
  void Create(const char* directory, ProcessId pid, ProcessId parent, int64_t begin_ns);
  void Remove();
  void End(int64_t end_ns, const ProcessEnd& end);

  bool exists() const { return exists_.load(std::memory_order_relaxed); }

 private:
  bool Claim() { return exists() && exists_.exchange(false, std::memory_order_acquire); }

  std::atomic<bool> exists_{false};  // release: path_ is complete
  char path_[256] = {};              // written only by Create
  uint32_t forks_ = 0;               // counted in this process
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PROCESS_FORK_RECORD_H_
