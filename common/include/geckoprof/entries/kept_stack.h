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
//   bytes:  | frame | frame | ...      outermost first, encoded as in kStack, with the texts of labels
//
// A usual stack takes 50 to 300 bytes. A copy takes at most kMaxBytes. A larger stack loses its
// outermost frames, and a frame tells the reason (StackProblem::kCopyLimit).
//
// Threads: owned by the sampler. Context: not signal context. It allocates.
class KeptStack {
 public:
  static constexpr size_t kMaxBytes = 8 * 1024;

  void Keep(std::span<const StackFrame> frames);

  // Replaces `frames` by the frames of this stack. Their texts point into this object.
  void CopyTo(std::vector<StackFrame>& frames) const;

  // Replaces the frames with an address in `range` by a frame with the reason (StackProblem::kCodeUnloaded). `room` is
  // for temporary use.
  void Forget(const AddressRange& range, std::vector<StackFrame>& room);

  size_t size_bytes() const { return bytes_.size(); }

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_ENTRIES_KEPT_STACK_H_
