#ifndef GECKOPROF_ENTRIES_KEPT_STACK_H_
#define GECKOPROF_ENTRIES_KEPT_STACK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "geckoprof/entries/chunk_stacks.h"
#include "geckoprof/modules/memory_map.h"
#include "geckoprof/segment/chunk_directory.h"

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

// MarkerStackCopies keeps stacks of markers that the sampler unwound, because a marker and its stack lie in different
// chunks. The chunk with the stack may be recycled while the marker is still there. A thread that rarely makes markers
// keeps its chunk for a long time.
//
//   the thread's chunk:   | marker 7 | ...                              not recycled yet
//   the sampler's chunks: | stack of 7 | ... half of all chunks were begun since ... | stack of 7 |
//
// A stack is due when half as many chunks were begun as there are since the stack's chunk was begun. It is then written
// once more, unless its marker was recycled. The copies take at most kMaxBytes. The oldest copies are dropped first,
// and a reader counts their markers when it misses the stacks.
//
// Threads: owned by the sampler. Context: not signal context. It allocates.
class MarkerStackCopies {
 public:
  static constexpr size_t kMaxBytes = size_t{1} << 20;

  struct Copy {
    uint64_t id;
    ChunkUse marker;   // the chunk with the marker
    ChunkUse written;  // the chunk with the stack
    KeptStack stack;
  };

  void Add(uint64_t id, const ChunkUse& marker, const ChunkUse& written, std::span<const StackFrame> frames);

  // Removes the oldest copy and returns true if a stack is due. `current` is the sampler's current chunk, which is not
  // recycled. `begun_bytes` is SegmentHeader::next_block. `half_bytes` is half of the size of all chunks.
  bool RemoveDue(const ChunkUse& current, uint64_t begun_bytes, uint64_t half_bytes, Copy& copy);

  // The code at `range` has changed, so addresses there mean something else from now on.
  void ForgetCode(const AddressRange& range);

 private:
  static size_t SizeOf(const Copy& copy) { return sizeof(Copy) + copy.stack.size_bytes(); }
  Copy RemoveOldest();

  std::vector<Copy> copies_;  // in the order in which they were written, from copies_[first_] on
  size_t first_ = 0;
  size_t used_bytes_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_ENTRIES_KEPT_STACK_H_
