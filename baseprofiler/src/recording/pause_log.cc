#include "recording/pause_log.h"

#include "geckoprof/base/clock.h"
#include "geckoprof/entries/entry_builder.h"

namespace geckoprof {

void PauseLog::Note(uint32_t kinds, const Segment* segment) {
  kinds_.store(kinds, std::memory_order_relaxed);
  const TableLock::Holder holder(lock_);
  const int64_t now_ns = MonotonicNs();
  // A pause ends here, so its interval goes into the metadata.
  if (segment != nullptr && reason_ != PauseReason::kNotPaused) {
    if (serial_ != segment->serial()) {
      stream_ = StreamWriter(segment, StreamId::FromNumber(kMetadataStream), StreamWriter::Supply::kPinned);
      serial_ = segment->serial();
    }
    uint8_t bytes[64];
    EntryBuilder entry(EntryType::kPause, bytes);
    entry.U(static_cast<uint64_t>(since_ns_)).U(static_cast<uint64_t>(now_ns)).T(PauseReasonText(reason_));
    (void)stream_.Append(entry.bytes(), now_ns);
  }
  reason_ = (kinds & 1) != 0 ? PauseReason::kProfiler : kinds != 0 ? PauseReason::kSampling : PauseReason::kNotPaused;
  since_ns_ = now_ns;
  if (segment != nullptr) WriteOpenLocked(*segment);
}

void PauseLog::WriteTo(const Segment& segment) {
  const TableLock::Holder holder(lock_);
  if (reason_ == PauseReason::kNotPaused) return;
  // The child's own part of the pause begins with its segment.
  since_ns_ = MonotonicNs();
  WriteOpenLocked(segment);
}

void PauseLog::WriteOpenLocked(const Segment& segment) const {
  segment.header().pause_reason.store(static_cast<uint32_t>(reason_), std::memory_order_relaxed);
  segment.header().paused_since_ns.store(reason_ == PauseReason::kNotPaused ? 0 : since_ns_, std::memory_order_relaxed);
}

void PauseLog::AfterForkInChild() {
  lock_.ResetInForkedChild();
  serial_ = 0;
}

}  // namespace geckoprof
