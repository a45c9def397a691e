#ifndef GECKOPROF_BASEPROFILER_SAMPLER_LOCK_OWNER_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_LOCK_OWNER_H_

#include <cstdint>

#include "geckoprof/base/ids.h"
#include "geckoprof/modules/process_memory.h"
#include "sampler/wait_cause.h"

namespace geckoprof {

// LockOwner finds out which thread holds the lock that another thread waits for. It reads the lock's memory through the
// kernel, because the program may free the lock at any time.
//
//   glibc's pthread_mutex_t    | lock | count | owner | ...        the futex is `lock`
//   priority inheriting,
//   robust, and musl's         | owner and flags |                 the futex is the word itself
//   glibc's pthread_rwlock_t   | readers | writers | phase | writers' futex | - | - | writer |
//                                                    the futex is `phase` or the writers' one
//
// Rust's and Go's locks have no owner. The memory behind them may have any value, so a caller must check that the owner
// is a thread of the process.
//
// Threads: the sampler's thread.
// Context: not signal context.
struct LockOwner {
  uint64_t lock_address = 0;  // 0: the thread does not wait for a lock
  ThreadId candidate;         // unspecified if the lock does not name an owner

  static LockOwner Find(const SystemCall& call, const ProcessMemory& memory);
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_LOCK_OWNER_H_
