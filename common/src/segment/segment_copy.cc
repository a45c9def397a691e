#include "geckoprof/segment/segment_copy.h"

#include <algorithm>

#include "geckoprof/base/page_memory.h"

namespace geckoprof {
namespace {

const uint8_t* Bytes(const void* from) { return static_cast<const uint8_t*>(from); }

// The header as it is now, a word at a time. Threads of the program may still count drops in it.
__attribute__((no_sanitize("thread"))) void CopyHeader(const SegmentHeader& from, uint8_t* to) {
  static_assert(sizeof(SegmentHeader) % sizeof(uint64_t) == 0);
  for (size_t at = 0; at < sizeof(SegmentHeader); at += sizeof(uint64_t)) {
    const auto* const place = reinterpret_cast<const uint64_t*>(Bytes(&from) + at);
    const uint64_t word = __atomic_load_n(place, __ATOMIC_RELAXED);
    __builtin_memcpy(to + at, &word, sizeof(word));
  }
}

}  // namespace

SegmentCopy::SegmentCopy(const Segment& segment) : segment_(segment) {
  chunk_count_ = std::min(segment.header().chunk_count.load(std::memory_order_acquire), segment.mapped_chunks());
  const uint32_t prepared = std::min(segment.directory().prepared(), chunk_count_);
  used_chunks_ = prepared - segment.directory().CountFreeAtEnd(prepared);
  chunks_offset_ = RoundUpTo(kPageBytes + uint64_t{chunk_count_} * sizeof(ChunkRow), kPageBytes);
}

int SegmentCopy::WriteHeader(Write write, void* context) const {
  union Page {
    Page() : bytes{} {}
    uint8_t bytes[kPageBytes];
    SegmentHeader header;
  } page;
  CopyHeader(segment_.header(), page.bytes);
  page.header.segment_bytes.store(chunks_offset_ + uint64_t{chunk_count_} * segment_.chunk_bytes(),
                                  std::memory_order_relaxed);
  page.header.chunk_count.store(chunk_count_, std::memory_order_relaxed);
  page.header.prepared_chunks.store(used_chunks_, std::memory_order_relaxed);
  page.header.chunks_offset = chunks_offset_;
  page.header.anonymous = 0;
  return write(context, page.bytes, sizeof(page.bytes));
}

int SegmentCopy::WriteTo(Write write, void* context) const {
  if (const int error = WriteHeader(write, context); error != 0) return error;
  const uint64_t rows_bytes = uint64_t{used_chunks_} * sizeof(ChunkRow);
  if (const int error = write(context, segment_.At(kPageBytes), rows_bytes); error != 0) return error;
  const uint8_t zeros[kPageBytes] = {};
  // Zeros for the others, which may have been taken since.
  for (uint64_t at = kPageBytes + rows_bytes, bytes = 0; at < chunks_offset_; at += bytes) {
    bytes = std::min<uint64_t>(chunks_offset_ - at, sizeof(zeros));
    if (const int error = write(context, zeros, bytes); error != 0) return error;
  }
  for (uint32_t i = 0; i < used_chunks_; ++i) {
    const void* const chunk = segment_.chunk(ChunkId::FromNumber(i));
    if (const int error = write(context, chunk, segment_.chunk_bytes()); error != 0) return error;
  }
  return 0;
}

}  // namespace geckoprof
