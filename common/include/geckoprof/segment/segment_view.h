#ifndef GECKOPROF_SEGMENT_SEGMENT_VIEW_H_
#define GECKOPROF_SEGMENT_SEGMENT_VIEW_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "geckoprof/base/fd.h"
#include "geckoprof/segment/segment.h"
#include "geckoprof/segment/segment_format.h"

namespace geckoprof {

// SegmentView: the reading side of a segment: of another process's file, alive or dead, or of this process's own
// mapping.
//
// It never writes and never blocks a writer: a chunk is copied, and the copy counts only if the chunk's generation is
// still the same afterwards. The other side is not trusted: a file may be cut, half-written or made up. Files are read,
// not mapped, so that a file cut short meanwhile gives an error and no SIGBUS. Threads: one. Context: allocates.
class SegmentView {
 public:
  enum class OpenResult : uint8_t { kOk, kCannotOpen, kNotASegment, kNewerVersion, kDamaged };

  OpenResult OpenFile(const char* path);
  OpenResult OpenDescriptor(Fd file);
  OpenResult OpenOwn(const Segment& segment);  // the segment must stay mapped
  // Where another library of this process has mapped one: Segment::At over a C interface. It must stay mapped as
  // Segment says.
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
    int64_t last_ns = 0;         // of the newest entry
    std::vector<uint8_t> bytes;  // whole blocks, up to the tail at the time of copying
  };
  enum class CopyResult : uint8_t {
    kCopied,
    kEmpty,    // never used
    kGone,     // recycled while it was copied, twice
    kDamaged,  // out of the file, or a row that makes no sense
  };
  // Chunks that may hold something. Of the own mapping only those that were prepared: what lies behind them has no
  // pages, and reading it would ask the file system for some.
  uint32_t chunk_count() const;
  CopyResult CopyChunk(uint32_t index, ChunkCopy& out) const;
  // The same from the directory's row alone: `out.bytes` is left as it is, and whether they can be had is not known.
  CopyResult DescribeChunk(uint32_t index, ChunkCopy& out) const;
  // The same of each, in order: visit(index, result, chunk). Of a file many at a time.
  template <typename Visit>
  void DescribeChunks(const Visit& visit) const {
    RowCopy rows[kRowsAtOnce];
    const uint32_t count = chunk_count();
    for (uint32_t first = 0; first < count; first += kRowsAtOnce) {
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
  bool Read(uint64_t offset, std::span<uint8_t> out) const;
  bool ReadRow(uint32_t index, RowCopy& out) const { return ReadRows(index, {&out, 1}); }
  bool ReadRows(uint32_t first, std::span<RowCopy> out) const;  // kRowsAtOnce at most
  CopyResult Describe(const RowCopy& row, ChunkCopy& out) const;

  HeaderCopy header_;
  Fd fd_;
  const uint8_t* memory_ = nullptr;  // own mapping of the header and the directory, or null
  Mapping mapping_ = {};
  int open_error_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_SEGMENT_SEGMENT_VIEW_H_
