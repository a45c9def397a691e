#ifndef GECKOPROF_ENTRIES_KEPT_STACK_H_
#define GECKOPROF_ENTRIES_KEPT_STACK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "geckoprof/entries/chunk_stacks.h"
#include "geckoprof/modules/memory_map.h"

namespace geckoprof {

// KeptStack is a copy of one stack outside the segment, so that the stack can be written again into a later chunk.
//
//   words:  | frame | frame | label, category, text | frame | ...      outermost first, 8 bytes for a native frame
//
// A copy takes at most kMaxBytes. A larger stack loses its outermost frames, and a frame tells the reason
// (StackProblem::kCopyLimit).
//
// Threads: owned by the sampler. Context: not signal context. It allocates.
class KeptStack {
 public:
  static constexpr size_t kMaxBytes = 8 * 1024;

  void Keep(std::span<const StackFrame> frames);

  // Replaces `frames` by the frames of this stack. Their texts point into this object.
  void CopyTo(std::vector<StackFrame>& frames) const;

  // Replaces the frames with an address in `range` by a frame with the reason (StackProblem::kCodeUnloaded).
  void Forget(const AddressRange& range);

  size_t size_bytes() const { return words_.size() * sizeof(uint64_t); }

 private:
  std::vector<uint64_t> words_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_ENTRIES_KEPT_STACK_H_
