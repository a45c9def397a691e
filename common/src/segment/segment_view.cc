#include "geckoprof/segment/segment_view.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {
namespace {

// A reader needs these members. The rest are counts, which are 0 if an earlier version does not have them.
constexpr uint32_t kSmallestHeaderBytes = offsetof(SegmentHeader, drops);

// Copies bytes that may be written meanwhile. It reads each aligned word once and as a whole. Callers detect half-made
// changes by the chunk's generation before and after. REQUIRES: `from` is aligned to 8.
//
// The thread sanitizer is off. The writers' stores are plain, because atomic stores of single bytes would slow the
// program's threads. The sanitizer does not understand the check of the generation.
__attribute__((no_sanitize("thread"))) void CopyWhileWritten(const uint8_t* from, std::span<uint8_t> to) {
  constexpr size_t kWordBytes = sizeof(uint64_t);
  uint8_t* out = to.data();
  size_t left_bytes = to.size();
  for (; left_bytes >= kWordBytes; left_bytes -= kWordBytes, from += kWordBytes, out += kWordBytes) {
    const uint64_t word = __atomic_load_n(reinterpret_cast<const uint64_t*>(from), __ATOMIC_RELAXED);
    __builtin_memcpy(out, &word, kWordBytes);
  }
  for (; left_bytes > 0; --left_bytes) *out++ = __atomic_load_n(from++, __ATOMIC_RELAXED);
}

}  // namespace

SegmentView::OpenResult SegmentView::OpenFile(const char* path) {
  return OpenDescriptor(
      Fd::Open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));  // O_NONBLOCK, because the name may belong to a FIFO
}

SegmentView::OpenResult SegmentView::OpenDescriptor(Fd file) {
  fd_ = std::move(file);
  open_error_ = fd_.error();
  if (!fd_.ok()) return OpenResult::kCannotOpen;
  struct stat info = {};
  if (IsSyscallError(RawSyscall(SYS_fstat, fd_.number(), &info)) || !S_ISREG(info.st_mode)) {
    return OpenResult::kNotASegment;
  }
  memory_ = nullptr;
  if (!Read(0, header_.bytes)) return OpenResult::kNotASegment;
  return Validate(static_cast<uint64_t>(info.st_size));
}

SegmentView::OpenResult SegmentView::OpenMapped(const Segment& segment) {
  if (!segment.IsMapped()) return OpenResult::kNotASegment;
  const auto at = [](const void* own, uint64_t offset, uint64_t* bytes) -> const void* {
    return static_cast<const Segment*>(own)->At(offset, bytes);
  };
  return OpenMapping({at, &segment});
}

SegmentView::OpenResult SegmentView::OpenMapping(const Mapping& mapping) {
  uint64_t size_bytes = 0;
  memory_ = static_cast<const uint8_t*>(mapping.at(mapping.context, 0, &size_bytes));
  if (memory_ == nullptr || size_bytes < sizeof(SegmentHeader)) return OpenResult::kNotASegment;
  mapping_ = mapping;
  CopyWhileWritten(memory_, header_.bytes);
  return Validate(size_bytes);
}

uint32_t SegmentView::chunk_count() const {
  const uint32_t count = header().chunk_count;
  return memory_ == nullptr ? count : std::min(count, header().prepared_chunks.load(std::memory_order_relaxed));
}

SegmentView::OpenResult SegmentView::Validate(uint64_t available_bytes) {
  const SegmentHeader& fields = header_.fields;
  if (memcmp(fields.magic, kSegmentMagic, sizeof(kSegmentMagic)) != 0) return OpenResult::kNotASegment;
  if (fields.version > kSegmentVersion) return OpenResult::kNewerVersion;
  const uint64_t directory_end = kPageBytes + uint64_t{fields.chunk_count} * sizeof(ChunkRow);
  const bool plausible = fields.header_bytes >= kSmallestHeaderBytes && fields.chunk_count > 0 &&
                         fields.chunk_count <= kMaxChunks && fields.chunk_bytes > 0 &&
                         fields.chunk_bytes <= kLargestChunkBytes && fields.chunks_offset >= directory_end &&
                         fields.chunks_offset <= fields.segment_bytes && directory_end <= available_bytes;
  if (!plausible) return OpenResult::kDamaged;
  // Members that an earlier version does not have are 0.
  for (size_t at = fields.header_bytes; at < sizeof(SegmentHeader); ++at) header_.bytes[at] = 0;
  return OpenResult::kOk;
}

uint64_t SegmentView::NextData(uint64_t offset) const {
  if (memory_ != nullptr) return offset;
  const long found = RawSyscall(SYS_lseek, fd_.number(), offset, SEEK_DATA);
  if (found == -ENXIO) return UINT64_MAX;
  return IsSyscallError(found) ? offset : static_cast<uint64_t>(found);
}

bool SegmentView::Read(uint64_t offset, std::span<uint8_t> out) const {
  if (memory_ != nullptr) {
    uint64_t bytes = 0;
    const void* const from = mapping_.at(mapping_.context, offset, &bytes);
    if (from == nullptr || bytes < out.size()) return false;
    CopyWhileWritten(static_cast<const uint8_t*>(from), out);
    return true;
  }
  return fd_.ReadAt(offset, out) == static_cast<int64_t>(out.size());
}

bool SegmentView::ReadRows(uint32_t first, std::span<RowCopy> out) const {
  const uint64_t offset = RowOffset(first);
  if (memory_ != nullptr) {
    const auto* const rows = reinterpret_cast<const ChunkRow*>(memory_ + offset);
    for (size_t i = 0; i < out.size(); ++i) {
      out[i].word = rows[i].word.load(std::memory_order_acquire);
      out[i].block = rows[i].block.load(std::memory_order_acquire);
      out[i].tail = rows[i].tail.load(std::memory_order_acquire);
      out[i].begin_ns = rows[i].begin_ns.load(std::memory_order_relaxed);
      out[i].last_ns = rows[i].last_ns.load(std::memory_order_relaxed);
    }
    return true;
  }
  struct RawRow {
    uint64_t word;
    uint32_t tail, reserved0;
    uint64_t block;
    int64_t begin_ns, last_ns;
    uint64_t reserved1[3];
  };
  static_assert(sizeof(RawRow) == sizeof(ChunkRow));
  RawRow raw[kRowsAtOnce];
  if (!Read(offset, {reinterpret_cast<uint8_t*>(raw), out.size() * sizeof(RawRow)})) return false;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = {raw[i].word, raw[i].block, raw[i].tail, raw[i].begin_ns, raw[i].last_ns};
  }
  return true;
}

SegmentView::CopyResult SegmentView::Describe(const RowCopy& row, ChunkCopy& out) const {
  out.state = ChunkStateIn(row.word);
  const bool is_empty = out.state == ChunkState::kFree || out.state == ChunkState::kReleased || row.tail == 0;
  if (is_empty) return CopyResult::kEmpty;
  if (out.state > ChunkState::kPinned || row.tail > header().chunk_bytes) return CopyResult::kDamaged;
  out.stream = ChunkStream(row.word);
  out.block = row.block;
  out.tail = row.tail;
  out.begin_ns = row.begin_ns;
  out.last_ns = row.last_ns;
  return CopyResult::kCopied;
}

SegmentView::CopyResult SegmentView::DescribeChunk(uint32_t index, ChunkCopy& out) const {
  RowCopy row = {};
  return ReadRow(index, row) ? Describe(row, out) : CopyResult::kDamaged;
}

SegmentView::CopyResult SegmentView::CopyChunk(uint32_t index, ChunkCopy& out) const {
  const uint64_t offset = header().chunks_offset + uint64_t{index} * header().chunk_bytes;
  for (int attempt = 0; attempt < 2; ++attempt) {
    RowCopy before = {};
    if (!ReadRow(index, before)) return CopyResult::kDamaged;
    const CopyResult described = Describe(before, out);
    if (described != CopyResult::kCopied) return described;
    if (NextData(offset) != offset) return CopyResult::kDamaged;  // a chunk's first byte is never 0
    out.bytes.resize(before.tail);
    if (!Read(offset, out.bytes)) return CopyResult::kDamaged;
    std::atomic_thread_fence(std::memory_order_acquire);
    RowCopy after = {};
    if (!ReadRow(index, after)) return CopyResult::kDamaged;
    // The block index must be equal, too. The row is partly old between the acquisition of a chunk and its first entry.
    if (ChunkGeneration(after.word) == ChunkGeneration(before.word) && after.block == before.block &&
        after.tail >= before.tail) {
      return CopyResult::kCopied;
    }
  }
  return CopyResult::kGone;
}

}  // namespace geckoprof
