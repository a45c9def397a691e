#ifndef GECKOPROF_BASE_LOCK_ORDER_H_
#define GECKOPROF_BASE_LOCK_ORDER_H_

#include <cstdint>

namespace geckoprof {

// The rank of a lock in the order of docs/design/locking.md, outermost first.
enum class LockRank : uint8_t {
  kUnordered,      // not checked
  kOwner,          // OwnerLink
  kThreadCapture,  // ThreadCapture
  kLifecycle,      // ProfilerCore
  kSignal,         // SamplingSignal
  kTable,          // TableLock
};

// LockOrder checks in debug builds that each thread acquires its locks in the order of their ranks.
//
//   thread holds kLifecycle    acquires kTable: fine    acquires kOwner: a trap stops the process
//
// RecursiveLock and TableLock call it. It identifies threads by kernel id, because the sampler thread has no
// thread-local storage of its own. In release builds the functions are empty.
//
// Threads: any.
// Context: any, including signal context.
class LockOrder {
 public:
#ifdef NDEBUG
  static void Check(LockRank) {}
  static void NoteAcquired(LockRank) {}
  static void NoteReleased(LockRank) {}
#else
  // Call Check before a thread waits for a lock of `rank`. It traps if the thread holds a lock of the same or a later
  // rank.
  static void Check(LockRank rank);
  static void NoteAcquired(LockRank rank);
  static void NoteReleased(LockRank rank);
#endif
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_LOCK_ORDER_H_
