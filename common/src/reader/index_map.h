#ifndef GECKOPROF_READER_INDEX_MAP_H_
#define GECKOPROF_READER_INDEX_MAP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// IndexMap maps 64-bit keys to rows, with open addressing. A key is a hash of the row's contents, so the caller
// compares the rows. A key of MixBits(number) is unique, so any row with it is the right one.
//
// Threads: one. Context: allocates.
class IndexMap {
 public:
  // Calls matches(row) for each row with this `key`. Returns the first row that matches, or kNone.
  template <typename Matches>
  int32_t Find(uint64_t key, const Matches& matches) const {
    if (slots_.empty()) return kNone;
    for (size_t at = key & (slots_.size() - 1); slots_[at].row != kNone; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].key == key && matches(slots_[at].row)) return slots_[at].row;
    }
    return kNone;
  }
  int32_t Find(uint64_t key) const {
    return Find(key, [](int32_t) { return true; });
  }
  // REQUIRES: row >= 0.
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

inline void IndexMap::Insert(uint64_t key, int32_t row) {
  if (slots_.size() < 2 * (used_ + 1)) Grow();
  size_t at = key & (slots_.size() - 1);
  while (slots_[at].row != kNone) at = (at + 1) & (slots_.size() - 1);
  slots_[at] = {key, row};
  ++used_;
}

inline void IndexMap::Grow() {
  std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
  old.swap(slots_);
  used_ = 0;
  for (const Slot& slot : old) {
    if (slot.row != kNone) Insert(slot.key, slot.row);
  }
}

}  // namespace geckoprof

#endif  // GECKOPROF_READER_INDEX_MAP_H_
