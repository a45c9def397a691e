#ifndef GECKOPROF_BASEPROFILER_RECORDING_PAUSE_LOG_H_
#define GECKOPROF_BASEPROFILER_RECORDING_PAUSE_LOG_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/segment/segment.h"
#include "geckoprof/segment/stream_writer.h"
#include "process/table_lock.h"

namespace geckoprof {

// A pause stops samples and markers, or samples alone. Both kinds may hold at the same time.
enum class PauseKind : uint32_t { kAll = 1, kSampling = 2 };

// PauseLog: records when and why the recording is paused. The times are the times of the calls. The sampler learns of a
// pause later, and it may miss a short one. An open pause is in the segment's header. A finished pause is in the
// metadata.
//
// Threads: any, under a lock that is held only for copying.
// Context: not signal context.
// Lifetime: static. All bits zero is the initial state.
class PauseLog {
 public:
  // Bits of PauseKind.
  uint32_t kinds() const { return kinds_.load(std::memory_order_relaxed); }
  // Sets the kinds of pause that hold from now on. 0 means that the recording is not paused. `segment` is the
  // recording's segment, or null if there is none yet.
  void Note(uint32_t kinds, const Segment* segment);
  // A new recording begins, and it is not paused.
  void Forget() {
    kinds_.store(0, std::memory_order_relaxed);
    const TableLock::Holder holder(lock_);
    reason_ = PauseReason::kNotPaused;
  }
  // A forked child has made its segment, while the pause goes on.
  void WriteTo(const Segment& segment);
  void AfterForkInChild();

 private:
  void WriteOpenLocked(const Segment& segment) const;

  std::atomic<uint32_t> kinds_{0};
  TableLock lock_;
  // lock_ guards the members below.
  PauseReason reason_ = PauseReason::kNotPaused;
  int64_t since_ns_ = 0;
  StreamWriter stream_;
  uint32_t serial_ = 0;  // identifies the recording that stream_ writes to
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_RECORDING_PAUSE_LOG_H_
