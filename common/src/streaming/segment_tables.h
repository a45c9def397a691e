#ifndef GECKOPROF_STREAMING_SEGMENT_TABLES_H_
#define GECKOPROF_STREAMING_SEGMENT_TABLES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "geckoprof/streaming/process_profile.h"

namespace geckoprof {

// IndexMap: 64-bit keys to rows, open addressing. Keys are hashes of what the row holds; the caller compares.
class IndexMap {
 public:
  // Calls matches(row) for each row stored under `key`; the first that matches is returned, else kNone.
  template <typename Matches>
  int32_t Find(uint64_t key, const Matches& matches) const {
    if (slots_.empty()) return kNone;
    for (size_t at = key & (slots_.size() - 1); slots_[at].row != kNone; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].key == key && matches(slots_[at].row)) return slots_[at].row;
    }
    return kNone;
  }
  void Insert(uint64_t key, int32_t row);

 private:
  struct Slot {
    uint64_t key = 0;
    int32_t row = kNone;
  };
  void Grow();
  std::vector<Slot> slots_;
  size_t used_ = 0;
};

// SegmentTables: fills the tables of a ProcessProfile that are shared by all threads, each row once: strings, frames,
// stacks. Threads: one. Context: allocates.
class SegmentTables {
 public:
  explicit SegmentTables(ProcessProfile* profile);

  int32_t String(std::string_view text);
  // The row of an equal frame, or a new one.
  int32_t Frame(const FrameRow& frame);
  int32_t Stack(int32_t prefix, int32_t frame);

 private:
  ProcessProfile& profile_;
  IndexMap strings_, frames_, stacks_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_STREAMING_SEGMENT_TABLES_H_
