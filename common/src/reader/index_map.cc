#include "index_map.h"

namespace geckoprof {

void IndexMap::Insert(uint64_t key, int32_t row) {
  if (slots_.size() < 2 * (used_ + 1)) Grow();
  size_t at = key & (slots_.size() - 1);
  while (slots_[at].row != kNone) at = (at + 1) & (slots_.size() - 1);
  slots_[at] = {key, row};
  ++used_;
}

void IndexMap::Grow() {
  std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
  old.swap(slots_);
  used_ = 0;
  for (const Slot& slot : old) {
    if (slot.row != kNone) Insert(slot.key, slot.row);
  }
}

}  // namespace geckoprof
