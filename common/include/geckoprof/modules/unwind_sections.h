// The two sections of a module that hold its unwind rules.
#ifndef GECKOPROF_MODULES_UNWIND_SECTIONS_H_
#define GECKOPROF_MODULES_UNWIND_SECTIONS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "geckoprof/base/page_memory.h"
#include "geckoprof/modules/elf_layout.h"
#include "geckoprof/modules/object_file.h"
#include "geckoprof/modules/process_memory.h"

namespace geckoprof {

// SectionCopy holds the bytes of a section in anonymous memory. It copies a piece when the piece is first needed.
//
//   the object's bytes:   | piece 0 | piece 1 | piece 2 | ... |
//                              v                   v              Need()
//   our pages:            | copied  |  zeros  | copied  | ... |
//
// The program may call dlclose, truncate the file or overwrite it in place. None of this may make us fault. Therefore
// the kernel copies the bytes, because it returns an error where a load would raise a signal. A mapping of the file
// would raise SIGBUS.
//
// The copy comes from the file if possible, and else from the memory of the process. Memory takes about twice as long,
// because the program's page tables must be filled first. The pieces that are not used cost no time and no memory. The
// stacks of a program usually need a small part of its unwind data. Bytes that cannot be read stay zero, which ends a
// list of unwind entries.
//
// Threads: one thread.
// Context: not signal context.
class SectionCopy {
 public:
  static constexpr size_t kPieceBytes = 4 * 1024;

  SectionCopy() = default;
  // The origin of the bytes.
  struct Source {
    ProcessMemory memory;
    uint64_t avma = 0;
    const ObjectFile* file = nullptr;  // Null means memory alone. The file must outlive the copy.
    uint64_t file_offset = 0;
  };
  // Reserves the memory. The object is empty if the kernel refused the memory or the size is 0.
  SectionCopy(const Source& source, size_t size_bytes);

  // Copies the readable bytes of [offset, offset + size_bytes), unless that was done before. A repeated call costs two
  // loads.
  void Need(size_t offset, size_t size_bytes) const {
    const bool is_short = offset < size_bytes_ && size_bytes - 1 < std::min(size_bytes_ - offset, kPieceBytes);
    if (is_short && tried_[offset / kPieceBytes] != 0 && tried_[(offset + size_bytes - 1) / kPieceBytes] != 0) return;
    CopyPieces(offset, size_bytes);
  }
  // Copies all bytes from the beginning to the first piece that cannot be read.
  void NeedAll() const;

  const uint8_t* data() const { return pages_.data(); }
  size_t size_bytes() const { return size_bytes_; }

 private:
  void CopyPieces(size_t offset, size_t size_bytes) const;
  bool CopyPiece(size_t piece) const;

  Source source_;
  size_t size_bytes_ = 0;
  PageMemory pages_;
  mutable std::vector<uint8_t> tried_;  // by piece; 1 after an attempt to copy
};

// Borrowed bytes that the file places at `svma`.
struct SectionBytes {
  const uint8_t* data = nullptr;
  size_t size_bytes = 0;
  uint64_t svma = 0;
  bool is_debug_frame = false;  // The entries have the form of .debug_frame, and the section is not loaded.

  bool Contains(uint64_t address_svma) const { return address_svma - svma < size_bytes; }
  // Returns the bytes from `address_svma` to the end. The result is empty if the address lies outside.
  SectionBytes From(uint64_t address_svma) const {
    if (!Contains(address_svma)) return {};
    const size_t offset = address_svma - svma;
    return {data + offset, size_bytes - offset, address_svma};
  }
};

// UnwindSections holds a private copy of `.eh_frame` and of the search table of `.eh_frame_hdr`. It copies only the
// used parts.
//
//   .eh_frame_hdr: version 1 | 3 encodings | eh_frame_ptr | fde_count | table: (first pc, FDE) as int32 pairs, sorted
//                                                                      both relative to the section's start
//
// The program headers give the start of .eh_frame but not its end. We assume that it reaches to the end of its
// segment's bytes in the file. In practice it is the last or last but one section there. An entry of length zero ends
// the list of entries.
//
// Invariant: every byte of eh_frame() may be read, but no byte has been checked. The entry that FindInTable returns and
// its CIE are complete. If there is no table, all entries are complete. Other places may hold zeros.
//
// Threads: the sampler thread owns the object.
// Context: not signal context.
class UnwindSections {
 public:
  UnwindSections() = default;
  // Locates the sections by the program headers. Returns false if they are missing or not valid. `file` must outlive
  // this object.
  bool Load(const ProcessMemory& memory, const ObjectFile& file, uint64_t bias, const ElfLayout& layout);
  // Locates .eh_frame by the section table of the file. This is for objects without .eh_frame_hdr.
  bool LoadBySectionTable(const ProcessMemory& memory, const ObjectFile& file, uint64_t bias, const ElfLayout& layout);
  // Reads .debug_frame from the file, for code that .eh_frame does not describe. It stays unusable if the section is
  // missing, compressed or larger than kMaxDebugFrameBytes.
  void LoadDebugFrame(const ProcessMemory& memory, const ObjectFile& file, const ElfLayout& layout);
  static constexpr uint64_t kMaxDebugFrameBytes = 16 * 1024 * 1024;
  // Uses bytes that outlive this object, for tests. `header` may be empty.
  bool LoadFromBytes(const SectionBytes& header, const SectionBytes& eh_frame);

  const SectionBytes& eh_frame() const { return eh_frame_; }
  bool usable() const { return eh_frame_.data != nullptr; }

  // Returns the offset in eh_frame() of the FDE that may cover `pc_svma`. It is the last FDE of the table that starts
  // at or below `pc_svma`. The result is kNotFound if there is no such FDE or no usable table. In the latter case
  // has_table() returns false.
  static constexpr uint64_t kNotFound = ~uint64_t{0};
  uint64_t FindInTable(uint64_t pc_svma) const;
  bool has_table() const { return table_count_ != 0; }
  // Returns the lowest start of an FDE above `pc_svma`, or 0.
  uint64_t NextStartInTable(uint64_t pc_svma) const;

 private:
  bool ReadHeader(uint64_t& eh_frame_svma);
  struct Landmark {
    int64_t start;  // relative to the section's start, as in the table
    size_t row;
  };
  // `low` starts at or below the wanted address, and `high` starts above it. This holds in a damaged table, too.
  struct RowRange {
    Landmark low, high;
    size_t count() const { return high.row - low.row; }
    // Returns the expected row if the starts are spread evenly. It is `low` or a row between `low` and `high`.
    size_t Guess(int64_t wanted) const {
      const double share = static_cast<double>(wanted - low.start) / static_cast<double>(high.start - low.start);
      return low.row + static_cast<size_t>(share * static_cast<double>(count()));
    }
  };
  Landmark RowAt(size_t row) const { return {TableField(row, 0), row}; }
  RowRange BetweenLandmarks(int64_t wanted) const;
  void AddLandmark(const Landmark& landmark) const;
  void GuessRows(int64_t wanted, RowRange& rows) const;
  size_t UpperBound(uint64_t pc_svma) const;
  int32_t TableField(size_t index, size_t field) const;
  void NeedEntry(uint64_t offset) const;
  uint64_t NeedOneEntry(uint64_t offset) const;
  const SectionCopy& EhFrameCopy() const { return eh_frame_copy_.data() != nullptr ? eh_frame_copy_ : header_copy_; }

  SectionCopy header_copy_;
  SectionCopy eh_frame_copy_;     // empty if the section lies in header_copy_ ...
  uint64_t eh_frame_offset_ = 0;  // ... at this offset
  SectionBytes header_;
  SectionBytes eh_frame_;
  const uint8_t* table_ = nullptr;
  size_t table_count_ = 0;
  // The first row, the last row, and rows that earlier searches found. A search between two of them is short. All
  // landmarks of a large table take a few KiB.
  mutable std::vector<Landmark> landmarks_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_UNWIND_SECTIONS_H_
