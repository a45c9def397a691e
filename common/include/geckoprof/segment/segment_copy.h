#ifndef GECKOPROF_SEGMENT_SEGMENT_COPY_H_
#define GECKOPROF_SEGMENT_SEGMENT_COPY_H_

#include <cstddef>
#include <cstdint>

#include "geckoprof/segment/segment.h"

namespace geckoprof {

// SegmentCopy: writes the used part of a segment as a file that every reader takes for a segment.
//
//   segment:  | header | rows, up to 32768 .......... | chunk 0 | chunk 1 | ... | unused chunks |
//   copy:     | header | rows of its chunks ......... | chunk 0 | chunk 1 | ... |
//
// The copy ends behind the last chunk that was ever used, and has no rows for a growth of the segment. Its header says
// how many chunks there are, and that a file exists.
// The bytes are written in order, so the copy can go to anything that takes bytes.
//
// Threads: one. Writers may still write to the segment. The rows go first, so each row describes bytes that are there.
// Context: raw system calls only, no memory. Lifetime: the segment must stay mapped.
class SegmentCopy {
 public:
  // Takes the bytes, or returns what errno(3) says of it.
  using Write = int (*)(void* context, const void* bytes, size_t size_bytes);

  explicit SegmentCopy(const Segment& segment);

  uint64_t size_bytes() const { return chunks_offset_ + uint64_t{used_chunks_} * segment_.chunk_bytes(); }
  // Returns 0, or the first error of `write`.
  int WriteTo(Write write, void* context) const;

 private:
  int WriteHeader(Write write, void* context) const;

  const Segment& segment_;
  uint32_t chunk_count_ = 0, used_chunks_ = 0;
  uint64_t chunks_offset_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_SEGMENT_SEGMENT_COPY_H_
