#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_LOCK_WAITS_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_LOCK_WAITS_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// A long wait for a lock.
struct LockWait {
  int64_t start_ns = 0, end_ns = 0;
  uint64_t address = 0;  // 0: unknown
  // The thread that held the lock when the wait began, and its first sample in the wait, or else its last one before.
  // Later in the wait another thread may hold it.
  const ThreadRow* holder = nullptr;  // null: unknown
  int32_t holder_stack = kNone;
  int64_t holder_time_ns = 0;
};

// The marker type of LockWait.
MarkerTypeRow LockWaitMarkerType();

// LockWaits finds the long waits of a process's threads for locks. They become markers, because the viewer has no other
// place for the lock and the thread that held it.
//
// The waits follow from samples. Where the feature `locks` has recorded a wait, its marker replaces the estimate.
//
// Lifetime: a view of the process.
class LockWaits {
 public:
  // Shorter waits have no marker.
  static constexpr int64_t kShortestNs = 1'000'000;

  explicit LockWaits(const ProcessProfile* process) : process_(*process) {}

  // Returns the waits of a thread of the process, in order of time.
  std::vector<LockWait> Find(const ThreadRow& thread);

 private:
  // The samples of one thread that have a stack.
  struct Stack {
    int64_t time_ns;
    int32_t stack;
  };
  std::vector<LockWait> FindInSamples(const ThreadRow& thread);
  // The second list has all recorded waits, the first one those for a lock whose holder is known.
  std::pair<std::vector<LockWait>, std::vector<LockWait>> FindRecorded(const ThreadRow& thread);
  void FindHolder(int32_t tid, LockWait& wait);
  const std::vector<Stack>& StacksOf(size_t thread);

  const ProcessProfile& process_;
  std::unordered_map<size_t, std::vector<Stack>> stacks_;  // by row of the process's threads
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_LOCK_WAITS_H_
