#ifndef GECKOPROF_SEGMENT_SEGMENT_VIEW_H_
#define GECKOPROF_SEGMENT_SEGMENT_VIEW_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "geckoprof/base/fd.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/segment/segment.h"
#include "geckoprof/segment/segment_format.h"

namespace geckoprof {

// SegmentView reads a segment. The segment is the file of another process, alive or dead, or a mapping of this process.
//
// A view never writes and never blocks a writer. It copies a chunk, and the copy is valid only if the chunk's
// generation is still the same afterwards. The other side is not trusted. A file may be truncated, half-written or
// forged. Files are read and not mapped, so a file that is truncated meanwhile causes an error and no SIGBUS.
//
// Threads: one thread.
// Context: not signal context, because it allocates.
class SegmentView {
 public:
  enum class OpenResult : uint8_t { kOk, kCannotOpen, kNotASegment, kNewerVersion, kDamaged };

  OpenResult OpenFile(const char* path);
  OpenResult OpenDescriptor(Fd file);
  OpenResult OpenMapped(const Segment& segment);  // the segment must stay mapped
  // Opens a segment that another library of this process has mapped. The functions mirror Segment::At as a C interface.
  // The mapping must live as long as that of a Segment.
  struct Mapping {
    const void* (*at)(const void* context, uint64_t offset, uint64_t* bytes);
    const void* context;
  };
  OpenResult OpenMapping(const Mapping& mapping);

  int open_error() const { return open_error_; }  // errno of kCannotOpen
  const SegmentHeader& header() const { return header_.fields; }

  struct ChunkCopy {
    uint16_t stream = 0;
    ChunkState state = ChunkState::kFree;
    uint64_t block = 0;
    uint32_t tail = 0;  // bytes of whole blocks
    int64_t begin_ns = 0;
    int64_t last_ns = 0;         // time of the newest entry
    std::vector<uint8_t> bytes;  // whole blocks up to the tail at the time of the copy
  };
  enum class CopyResult : uint8_t {
    kCopied,
    kEmpty,    // never used, or released
    kGone,     // recycled twice while it was copied
    kDamaged,  // beyond the end of the file, in a hole, or a row that is not valid
  };
  // Returns the number of chunks that may hold data. In a mapping of this process, only prepared chunks count. Later
  // chunks have no pages, and a read would make the file system allocate some.
  uint32_t chunk_count() const;
  CopyResult CopyChunk(uint32_t index, ChunkCopy& out) const;
  // Fills in the same members from the directory's row alone. `out.bytes` stays unchanged, and the bytes may be
  // unreadable.
  CopyResult DescribeChunk(uint32_t index, ChunkCopy& out) const;
  // Calls visit(index, result, chunk) with the same members for each chunk, in order. Many rows of a file are read at
  // once. A row in a hole of the file is that of a free chunk, and is not visited.
  template <typename Visit>
  void DescribeChunks(const Visit& visit) const {
    RowCopy rows[kRowsAtOnce];
    const uint32_t count = chunk_count();
    for (uint32_t first = 0; first < count; first += kRowsAtOnce) {
      const uint64_t skipped_bytes = NextData(RowOffset(first)) - RowOffset(first);
      if (skipped_bytes / sizeof(ChunkRow) >= count - first) return;
      first += static_cast<uint32_t>(skipped_bytes / sizeof(ChunkRow));
      const std::span<RowCopy> some = std::span(rows).first(std::min(count - first, kRowsAtOnce));
      const bool has_all = ReadRows(first, some);
      for (uint32_t i = 0; i < some.size(); ++i) {
        ChunkCopy chunk;
        const bool has_row = has_all || ReadRows(first + i, some.subspan(i, 1));
        const CopyResult result = has_row ? Describe(some[i], chunk) : CopyResult::kDamaged;
        visit(first + i, result, chunk);
      }
    }
  }

 private:
  static constexpr uint32_t kRowsAtOnce = 64;
  struct RowCopy {
    uint64_t word, block;
    uint32_t tail;
    int64_t begin_ns, last_ns;
  };
  union HeaderCopy {
    HeaderCopy() : bytes{} {}
    uint8_t bytes[sizeof(SegmentHeader)];
    SegmentHeader fields;
  };
  OpenResult Validate(uint64_t available_bytes);
  static constexpr uint64_t RowOffset(uint32_t index) { return kPageBytes + uint64_t{index} * sizeof(ChunkRow); }
  // Returns the first offset from `offset` on that is not in a hole of the file, or UINT64_MAX if only a hole follows.
  // A sparse file may claim 2 GiB, and only what it really takes is read. Without knowledge of holes it is `offset`.
  uint64_t NextData(uint64_t offset) const;
  bool Read(uint64_t offset, std::span<uint8_t> out) const;
  bool ReadRow(uint32_t index, RowCopy& out) const { return ReadRows(index, {&out, 1}); }
  bool ReadRows(uint32_t first, std::span<RowCopy> out) const;  // at most kRowsAtOnce
  CopyResult Describe(const RowCopy& row, ChunkCopy& out) const;

  HeaderCopy header_;
  Fd fd_;
  const uint8_t* memory_ = nullptr;  // mapping of the header and the directory, or null for a file
  Mapping mapping_ = {};
  int open_error_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_SEGMENT_SEGMENT_VIEW_H_
