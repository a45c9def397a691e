// Remembers the hits of scans, so that a walk can undo them.
#ifndef GECKOPROF_UNWIND_SCAN_HITS_H_
#define GECKOPROF_UNWIND_SCAN_HITS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "geckoprof/unwind/last_walks.h"
#include "geckoprof/unwind/registers.h"

namespace geckoprof {

// The state of a walk before a scan, and the place where the scan goes on, after the word that counted as a return
// address.
struct ScanHit {
  Registers registers;
  size_t frame_count = 0;
  uint32_t fallback_frames = 0;
  bool exact = false;
  bool in_unknown_code = false;
  size_t frames_after_scan = 0;
  LastWalks::Mark noted;
  uint64_t next_avma = 0;
};

// ScanHits holds the last kMax hits of the walk under way, the newest on top. Older hits are forgotten, because a false
// hit is mostly among the last.
//
// Invariant: a hit's frame_count is less than that of the hits above it. Threads: owned by the sampler thread. Context:
// no allocation.
class ScanHits {
 public:
  static constexpr size_t kMax = 16;

  void Clear() { count_ = 0; }
  bool empty() const { return count_ == 0; }
  // Makes room for one more hit. The caller fills it in.
  ScanHit& Push() {
    top_ = (top_ + 1) % kMax;
    if (count_ < kMax) ++count_;
    return hits_[top_];
  }
  ScanHit& top() { return hits_[top_]; }
  void Pop() {
    top_ = (top_ + kMax - 1) % kMax;
    --count_;
  }

 private:
  std::array<ScanHit, kMax> hits_;
  size_t top_ = 0;
  size_t count_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_SCAN_HITS_H_
