// The two sections of a module that say how to unwind it.
#ifndef GECKOPROF_MODULES_UNWIND_SECTIONS_H_
#define GECKOPROF_MODULES_UNWIND_SECTIONS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "geckoprof/modules/elf_layout.h"
#include "geckoprof/modules/object_file.h"
#include "geckoprof/modules/process_memory.h"
#include "geckoprof/modules/section_bytes.h"
#include "geckoprof/modules/section_copy.h"

namespace geckoprof {

// UnwindSections: `.eh_frame` and the search table of `.eh_frame_hdr`, in memory of our own, copied as far as it is
// looked at.
//
//   .eh_frame_hdr: version 1 | 3 encodings | eh_frame_ptr | fde_count | table: (first pc, FDE) as int32 pairs, sorted
//                                                                      both relative to the section's start
//
// The program headers give the start of .eh_frame but not its end: it is taken to reach to the end of its segment's
// bytes in the file (in practice it is the last or last but one section there); a zero length ends the list of entries.
// Invariant: everything in eh_frame() may be read; nothing in it has been checked. The entry that FindInTable gave, and
// its CIE, are complete there, and without a table all entries are; other places may be zeros.
// Threads: owned by the sampler thread. Context: not signal context.
class UnwindSections {
 public:
  UnwindSections() = default;
  // By the program headers. False if there are no unwind sections, or they make no sense. `file` must outlive this.
  bool Load(const ProcessMemory& memory, const ObjectFile& file, uint64_t bias, const ElfLayout& layout);
  // The same for an object without .eh_frame_hdr, by the section table of its file.
  bool LoadBySectionTable(const ProcessMemory& memory, const ObjectFile& file, uint64_t bias, const ElfLayout& layout);
  // From bytes that outlive this object: for tests. `header` may be empty.
  bool LoadFromBytes(const SectionBytes& header, const SectionBytes& eh_frame);

  const SectionBytes& eh_frame() const { return eh_frame_; }
  bool usable() const { return eh_frame_.data != nullptr; }

  // Where the FDE that may cover `pc_svma` begins in eh_frame(): the last one of the table that starts at or below it.
  // kNotFound: it lies below the first one, or there is no usable table (then has_table() is false).
  static constexpr uint64_t kNotFound = ~uint64_t{0};
  uint64_t FindInTable(uint64_t pc_svma) const;
  bool has_table() const { return table_count_ != 0; }
  // The lowest start of an FDE above `pc_svma`, or 0.
  uint64_t NextStartInTable(uint64_t pc_svma) const;

 private:
  bool ReadHeader(uint64_t& eh_frame_svma);
  struct Landmark {
    int64_t start;  // relative to the section's start, as the table has it
    size_t row;
  };
  // `low` starts at or below the address that is looked for, `high` above it: also in a damaged table.
  struct RowRange {
    Landmark low, high;
    size_t count() const { return high.row - low.row; }
    // The row to be expected if the starts were spread evenly: `low` or one between it and `high`.
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
  // Rows that were found by guessing, the first and the last one: between two of them a search is short. All that it
  // needs to know of a large table lies in a few KiB.
  mutable std::vector<Landmark> landmarks_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_UNWIND_SECTIONS_H_
