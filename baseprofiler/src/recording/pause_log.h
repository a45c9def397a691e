#ifndef GECKOPROF_BASEPROFILER_RECORDING_PAUSE_LOG_H_
#define GECKOPROF_BASEPROFILER_RECORDING_PAUSE_LOG_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/segment/segment.h"
#include "geckoprof/segment/stream_writer.h"
#include "process/table_lock.h"

namespace geckoprof {

// What a pause stops: samples and markers, or samples alone. Both may hold at a time.
enum class PauseKind : uint32_t { kAll = 1, kSampling = 2 };

// PauseLog: whether the recording is paused, and when it was and why, by the times of the calls, which the sampler
// learns of later, or never if the pause is a short one. A pause that goes on is in the segment's header, one that is
// over in the metadata.
//
// Threads: any, under a lock that is held for copying alone. Context: not signal context. Zero is the state before the
// first.
class PauseLog {
 public:
  // Bits of PauseKind.
  uint32_t kinds() const { return kinds_.load(std::memory_order_relaxed); }
  // From now on these hold; 0: the recording is not paused. `segment`: where it goes to; null: there is none yet.
  void Note(uint32_t kinds, const Segment* segment);
  // Another recording begins: it is not paused.
  void Forget() {
    kinds_.store(0, std::memory_order_relaxed);
    reason_ = PauseReason::kNotPaused;
  }
  // A recording that goes on has got its segment: a forked child's.
  void WriteTo(const Segment& segment);
  void AfterForkInChild();

 private:
  void WriteOpenLocked(const Segment& segment) const;

  std::atomic<uint32_t> kinds_{0};
  TableLock lock_;
  // Guarded by lock_.
  PauseReason reason_ = PauseReason::kNotPaused;
  int64_t since_ns_ = 0;
  StreamWriter stream_;
  uint32_t serial_ = 0;  // of the recording that stream_ writes to
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_RECORDING_PAUSE_LOG_H_
