// A private copy of a range of an object's bytes.
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

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_SECTION_COPY_H_
