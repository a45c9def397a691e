#include "geckoprof/modules/section_copy.h"

#include <algorithm>
#include <span>

namespace geckoprof {

SectionCopy::SectionCopy(const Source& source, size_t size_bytes) : source_(source) {
  if (size_bytes == 0) return;
  pages_ = PageMemory::Map(size_bytes);
  if (!pages_) return;
  size_bytes_ = size_bytes;
  tried_.assign((size_bytes + kPieceBytes - 1) / kPieceBytes, 0);
}

void SectionCopy::CopyPieces(size_t offset, size_t size_bytes) const {
  if (size_bytes == 0 || offset >= size_bytes_) return;
  const size_t last = offset + std::min(size_bytes, size_bytes_ - offset) - 1;
  for (size_t piece = offset / kPieceBytes; piece <= last / kPieceBytes; ++piece) {
    if (tried_[piece] == 0) CopyPiece(piece);
  }
}

void SectionCopy::NeedAll() const {
  for (size_t piece = 0; piece < tried_.size(); ++piece) {
    if (tried_[piece] == 0 && !CopyPiece(piece)) return;
  }
}

bool SectionCopy::CopyPiece(size_t piece) const {
  // A piece that cannot be read is not tried again.
  tried_[piece] = 1;

  const size_t offset = piece * kPieceBytes;
  const std::span<uint8_t> place(pages_.data() + offset, std::min(kPieceBytes, size_bytes_ - offset));
  return (source_.file != nullptr && source_.file->HasMappedBytes() &&
          source_.file->ReadAt(source_.file_offset + offset, place)) ||
         source_.memory.Read(source_.avma + offset, place);
}

}  // namespace geckoprof
