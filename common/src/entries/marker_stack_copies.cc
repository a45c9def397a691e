#include "geckoprof/entries/marker_stack_copies.h"

#include <utility>

namespace geckoprof {

void MarkerStackCopies::Add(uint64_t id, const ChunkUse& marker, const ChunkUse& written,
                            std::span<const StackFrame> frames) {
  copies_.push_back({id, marker, written, {}});
  copies_.back().stack.Keep(frames);
  used_bytes_ += SizeOf(copies_.back());
  while (used_bytes_ > kMaxBytes) RemoveOldest();
}

bool MarkerStackCopies::RemoveDue(const ChunkUse& current, uint64_t begun_bytes, uint64_t half_bytes, Copy& copy) {
  if (first_ == copies_.size()) return false;
  const ChunkUse& written = copies_[first_].written;
  if (written.block == current.block || begun_bytes - written.block < half_bytes) return false;
  copy = RemoveOldest();
  return true;
}

MarkerStackCopies::Copy MarkerStackCopies::RemoveOldest() {
  Copy oldest = std::move(copies_[first_++]);
  used_bytes_ -= SizeOf(oldest);
  if (2 * first_ >= copies_.size()) {
    copies_.erase(copies_.begin(), copies_.begin() + static_cast<ptrdiff_t>(first_));
    first_ = 0;
  }
  return oldest;
}

void MarkerStackCopies::ForgetCode(const AddressRange& range) {
  for (size_t i = first_; i < copies_.size(); ++i) copies_[i].stack.Forget(range);
}

}  // namespace geckoprof
