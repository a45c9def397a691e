// What a scan found, to be taken back.
#ifndef GECKOPROF_UNWIND_SCAN_HITS_H_
#define GECKOPROF_UNWIND_SCAN_HITS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "geckoprof/unwind/last_walks.h"
#include "geckoprof/unwind/registers.h"

namespace geckoprof {

// A walk as it was before a scan, and where that scan goes on: behind the word that was taken for a return address.
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

// ScanHits: the last kMax hits of the walk under way, the newest on top. An older one is forgotten: what led a walk
// astray is mostly among the last. Invariant: a hit's frame_count is less than that of those above it. Threads: owned
// by the sampler thread. Context: no allocation.
class ScanHits {
 public:
  static constexpr size_t kMax = 16;

  void Clear() { count_ = 0; }
  bool empty() const { return count_ == 0; }
  // Makes room for one more, to be filled by the caller.
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
