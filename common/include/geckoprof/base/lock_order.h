#ifndef GECKOPROF_BASE_LOCK_ORDER_H_
#define GECKOPROF_BASE_LOCK_ORDER_H_

#include <cstdint>

namespace geckoprof {

// The place of a lock in the order of docs/design/locking.md, outermost first.
enum class LockRank : uint8_t {
  kUnordered,      // not checked
  kOwner,          // OwnerLink
  kThreadCapture,  // ThreadCapture
  kLifecycle,      // ProfilerCore
  kSignal,         // SamplingSignal
  kTable,          // TableLock
};

// LockOrder: checks in debug builds that a thread takes its locks in the order of their ranks.
//
//   thread holds kLifecycle    takes kTable: fine    takes kOwner: the process is stopped by a trap
//
// RecursiveLock and TableLock call it. Threads are known by their kernel ids, since the sampler thread has no
// thread-local storage of its own. In release builds the functions are empty.
//
// Threads: any. Context: any, signal context included.
class LockOrder {
 public:
#ifdef NDEBUG
  static void Check(LockRank) {}
  static void NoteTaken(LockRank) {}
  static void NoteReleased(LockRank) {}
#else
  // Before a thread waits for a lock of `rank`. Traps if the thread holds a lock of the same or of a later rank.
  static void Check(LockRank rank);
  static void NoteTaken(LockRank rank);
  static void NoteReleased(LockRank rank);
#endif
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_LOCK_ORDER_H_
