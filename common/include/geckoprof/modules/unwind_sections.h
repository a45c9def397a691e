// The two sections of a module that say how to unwind it.
#ifndef GECKOPROF_MODULES_UNWIND_SECTIONS_H_
#define GECKOPROF_MODULES_UNWIND_SECTIONS_H_

#include <cstddef>
#include <cstdint>

#include "geckoprof/base/fd.h"
#include "geckoprof/modules/elf_layout.h"
#include "geckoprof/modules/section_bytes.h"

namespace geckoprof {

// UnwindSections: `.eh_frame` and the search table of `.eh_frame_hdr`, in memory of our own.
//
//   .eh_frame_hdr: version 1 | 3 encodings | eh_frame_ptr | fde_count | table: (first pc, FDE) as int32 pairs, sorted
//                                                                      both relative to the section's start
//
// The program headers give the start of .eh_frame but not its end: it is taken to reach to the end of its segment's
// bytes in the file (in practice it is the last or last but one section there); a zero length ends the list of entries.
// Invariant: everything in eh_frame() and table() may be read; nothing in them has been checked.
// Threads: owned by the sampler thread. Context: not signal context.
class UnwindSections {
 public:
  UnwindSections() = default;
  // From a file known to be the one mapped. False if the file has no unwind sections or they cannot be mapped.
  bool LoadFromFile(const Fd& fd, uint64_t file_bytes, const ElfLayout& layout);
  // From the process's memory.
  bool LoadFromMemory(const ProcessMemory& memory, uint64_t bias, const ElfLayout& layout);
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
  template <typename Map>
  bool LoadThrough(const Map& map, const ElfLayout& layout);
  bool ReadHeader(uint64_t& eh_frame_svma);
  size_t UpperBound(uint64_t pc_svma) const;
  int32_t TableField(size_t index, size_t field) const;

  SectionMapping header_mapping_;
  SectionMapping eh_frame_mapping_;  // empty if the section lies in header_mapping_
  SectionBytes header_;
  SectionBytes eh_frame_;
  const uint8_t* table_ = nullptr;
  size_t table_count_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_UNWIND_SECTIONS_H_
