// Our own copy of a stretch of an object's bytes.
#ifndef GECKOPROF_MODULES_SECTION_COPY_H_
#define GECKOPROF_MODULES_SECTION_COPY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "geckoprof/base/page_memory.h"
#include "geckoprof/modules/object_file.h"
#include "geckoprof/modules/process_memory.h"

namespace geckoprof {

// SectionCopy: bytes of a section in anonymous memory, copied piece by piece when they are first needed.
//
//   the object's bytes:   | piece 0 | piece 1 | piece 2 | ... |
//                              v                   v              Need()
//   our pages:            | copied  |  zeros  | copied  | ... |
//
// Requirement: nothing that the program does to the file or to its mapping may fault us: dlclose, a file cut short or
// written anew in place. Choice: the kernel copies, which answers with an error where a load would be a signal; a
// mapping of the file would be one with a SIGBUS in it. It copies from the file while that is to be had (2.0 us a
// piece, of which 1.4 are the fresh page), else from the process's memory (4.7 us: the program's own page tables have
// to be filled first). Only pieces that are looked at cost time and memory: of 10 MB of unwind data a program's stacks
// touch some 100 KB to 3 MB. Bytes that could not be read stay zero, which is the end of a list of unwind entries.
// Threads: one. Context: not signal context.
class SectionCopy {
 public:
  static constexpr size_t kPieceBytes = 4 * 1024;

  SectionCopy() = default;
  // Where the bytes are.
  struct Source {
    ProcessMemory memory;
    uint64_t avma = 0;
    const ObjectFile* file = nullptr;  // null: memory alone; else it outlives the copy
    uint64_t file_offset = 0;
  };
  // Reserves the addresses. Empty if the kernel refused, or for a size of 0.
  SectionCopy(const Source& source, size_t size_bytes);

  // Makes sure that what can be read of [offset, offset + size_bytes) was copied. Costs two loads when it was.
  void Need(size_t offset, size_t size_bytes) const {
    const bool is_short = offset < size_bytes_ && size_bytes - 1 < std::min(size_bytes_ - offset, kPieceBytes);
    if (is_short && tried_[offset / kPieceBytes] != 0 && tried_[(offset + size_bytes - 1) / kPieceBytes] != 0) return;
    CopyPieces(offset, size_bytes);
  }
  // All that can be read from the beginning on: ends where reading fails.
  void NeedAll() const;

  const uint8_t* data() const { return pages_.data(); }
  size_t size_bytes() const { return size_bytes_; }

 private:
  void CopyPieces(size_t offset, size_t size_bytes) const;
  bool CopyPiece(size_t piece) const;

  Source source_;
  size_t size_bytes_ = 0;
  PageMemory pages_;
  mutable std::vector<uint8_t> tried_;  // by piece: 1 if it was copied, or could not be
};

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_SECTION_COPY_H_
