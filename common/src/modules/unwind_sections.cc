#include "geckoprof/modules/unwind_sections.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "geckoprof/modules/cfi_reader.h"

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

namespace {

constexpr size_t kTableRowBytes = 8;
constexpr size_t kNearRows = SectionCopy::kPieceBytes / kTableRowBytes / 4;  // on either side of a guess
constexpr size_t kMaxHeadBytes = 64;             // four bytes and two pointers of .eh_frame_hdr before the table
constexpr uint64_t kMaxEntryBytes = 256 * 1024;  // far above the size of any entry of a compiler
constexpr uint64_t kMaxSectionBytes = uint64_t{1} << 30;  // about 40 times the section of Firefox's libxul

// Returns the part of the file from `svma` to the end of its segment's file bytes. The result is empty if no segment
// holds `svma`.
ElfRange ToEndOfSegment(const ElfLayout& layout, uint64_t svma) {
  for (const ElfRange& load : layout.loads) {
    if (svma - load.svma >= load.file_bytes) continue;
    const uint64_t skipped = svma - load.svma;
    const uint64_t size_bytes = std::min(load.file_bytes - skipped, kMaxSectionBytes);
    return {svma, load.file_offset + skipped, size_bytes, size_bytes, load.writable};
  }
  return {};
}

// Finds a section by the section table. `name` includes its NUL. A compressed section does not count.
ElfRange FindSection(const ObjectFile& file, const ElfLayout& layout, std::string_view name) {
  constexpr size_t kMaxSections = 4096;
  constexpr size_t kMaxNameBytes = 16;
  const size_t count = std::min<size_t>(layout.section_count, kMaxSections);
  std::vector<Elf64_Shdr> sections(count);
  const auto bytes = std::span(reinterpret_cast<uint8_t*>(sections.data()), count * sizeof(Elf64_Shdr));
  if (layout.section_table_offset == 0 || layout.section_names_index >= count ||
      !file.ReadAt(layout.section_table_offset, bytes)) {
    return {};
  }
  const uint64_t names_offset = sections[layout.section_names_index].sh_offset;
  for (const Elf64_Shdr& section : sections) {
    std::array<uint8_t, kMaxNameBytes> buffer;
    const std::span<uint8_t> found = std::span(buffer).first(name.size());
    if (section.sh_type == SHT_NOBITS || section.sh_size > kMaxSectionBytes) continue;
    if ((section.sh_flags & SHF_COMPRESSED) != 0 || !file.ReadAt(names_offset + section.sh_name, found)) continue;
    if (std::memcmp(found.data(), name.data(), name.size()) != 0) continue;
    return {section.sh_addr, section.sh_offset, section.sh_size, section.sh_size};
  }
  return {};
}

SectionCopy::Source SourceOf(const ElfRange& range, const ProcessMemory& memory, const ObjectFile& file,
                             uint64_t bias) {
  return {memory, range.svma + bias, range.writable ? nullptr : &file, range.file_offset};
}

}  // namespace

bool UnwindSections::Load(const ProcessMemory& memory, const ObjectFile& file, uint64_t bias, const ElfLayout& layout) {
  if (layout.eh_frame_hdr.memory_bytes == 0) return false;
  const auto copy_of = [&](const ElfRange& range) {
    return SectionCopy(SourceOf(range, memory, file, bias), range.file_bytes);
  };
  const ElfRange header = ToEndOfSegment(layout, layout.eh_frame_hdr.svma);
  header_copy_ = copy_of(header);
  if (header_copy_.data() == nullptr) return false;
  header_ = {header_copy_.data(), header_copy_.size_bytes(), header.svma};
  header_copy_.Need(0, kMaxHeadBytes);
  uint64_t eh_frame_svma = 0;
  if (!ReadHeader(eh_frame_svma)) return false;
  eh_frame_ = header_.From(eh_frame_svma);
  eh_frame_offset_ = eh_frame_svma - header_.svma;
  // The section lies in another segment than .eh_frame_hdr.
  if (!usable()) {
    const ElfRange section = ToEndOfSegment(layout, eh_frame_svma);
    eh_frame_copy_ = copy_of(section);
    eh_frame_ = {eh_frame_copy_.data(), eh_frame_copy_.size_bytes(), section.svma};
    eh_frame_offset_ = 0;
  }
  if (!has_table()) EhFrameCopy().NeedAll();
  return usable();
}

bool UnwindSections::LoadBySectionTable(const ProcessMemory& memory, const ObjectFile& file, uint64_t bias,
                                        const ElfLayout& layout) {
  if (layout.eh_frame_hdr.memory_bytes != 0) return false;
  const ElfRange section = FindSection(file, layout, std::string_view(".eh_frame\0", 10));
  const ElfRange loaded = ToEndOfSegment(layout, section.svma);
  eh_frame_copy_ = SectionCopy(SourceOf(loaded, memory, file, bias), std::min(section.file_bytes, loaded.file_bytes));
  eh_frame_copy_.NeedAll();
  eh_frame_ = {eh_frame_copy_.data(), eh_frame_copy_.size_bytes(), section.svma};
  return usable();
}

void UnwindSections::LoadDebugFrame(const ProcessMemory& memory, const ObjectFile& file, const ElfLayout& layout) {
  // No address of the process. A read from memory fails there.
  constexpr uint64_t kNotLoaded = uint64_t{1} << 62;
  if (!file.HasMappedBytes()) return;
  const ElfRange section = FindSection(file, layout, std::string_view(".debug_frame\0", 13));
  if (section.file_bytes > kMaxDebugFrameBytes) return;
  eh_frame_copy_ = SectionCopy({memory, kNotLoaded, &file, section.file_offset}, section.file_bytes);
  eh_frame_copy_.NeedAll();
  eh_frame_ = {eh_frame_copy_.data(), eh_frame_copy_.size_bytes(), 0, true};
}

bool UnwindSections::LoadFromBytes(const SectionBytes& header, const SectionBytes& eh_frame) {
  header_ = header;
  eh_frame_ = eh_frame;
  uint64_t ignored = 0;
  return header.size_bytes == 0 || ReadHeader(ignored);
}

// Finds .eh_frame and the table. All linkers write a table of the same format. A table of another format is ignored,
// and FDEs are then searched one by one.
bool UnwindSections::ReadHeader(uint64_t& eh_frame_svma) {
  CfiReader reader(header_.data, header_.size_bytes);
  const auto svma = [&] { return header_.svma + (header_.size_bytes - reader.remaining()); };
  const uint8_t version = reader.U8();
  const uint8_t eh_frame_encoding = reader.U8();
  const uint8_t count_encoding = reader.U8();
  const uint8_t table_encoding = reader.U8();
  if (!reader.ok() || version != 1) return false;
  if (!ReadPointer(reader, eh_frame_encoding, {svma(), header_.svma}, eh_frame_svma)) return false;
  uint64_t count = 0;
  if (table_encoding != (kPointerDataRelative | kPointerSdata4)) return true;
  if (!ReadPointer(reader, count_encoding, {svma(), header_.svma}, count)) return true;
  table_ = reader.position();
  table_count_ = std::min<uint64_t>(count, reader.remaining() / kTableRowBytes);
  if (table_count_ == 0) return true;
  landmarks_.reserve(2 + 2 * table_count_ / kNearRows);
  landmarks_.assign({RowAt(0), RowAt(table_count_ - 1)});
  return true;
}

int32_t UnwindSections::TableField(size_t index, size_t field) const {
  int32_t value;
  const uint8_t* const place = table_ + index * kTableRowBytes + field * sizeof value;
  header_copy_.Need(static_cast<size_t>(place - header_.data), sizeof value);
  std::memcpy(&value, place, sizeof value);
  return value;
}

// Copies an FDE and its CIE, which may lie anywhere before it.
void UnwindSections::NeedEntry(uint64_t offset) const {
  const uint64_t cie_distance_offset = NeedOneEntry(offset);
  if (cie_distance_offset > eh_frame_.size_bytes || eh_frame_.size_bytes - cie_distance_offset < sizeof(uint32_t)) {
    return;
  }
  // The distance counts back from the distance field itself. In a CIE the field is 0.
  uint32_t cie_distance;
  std::memcpy(&cie_distance, eh_frame_.data + cie_distance_offset, sizeof cie_distance);
  if (cie_distance != 0 && cie_distance <= cie_distance_offset) NeedOneEntry(cie_distance_offset - cie_distance);
}

// Copies one entry. Returns the offset after its length field, which may lie beyond the section's end.
uint64_t UnwindSections::NeedOneEntry(uint64_t offset) const {
  const SectionCopy& copy = EhFrameCopy();
  CfiReader reader(eh_frame_.data + offset, eh_frame_.size_bytes - offset);
  copy.Need(eh_frame_offset_ + offset, 2 * sizeof(uint64_t));
  uint64_t length = reader.Fixed<uint32_t>();
  if (length == 0xffffffff) length = reader.Fixed<uint64_t>();
  const uint64_t body_offset = eh_frame_.size_bytes - reader.remaining();
  copy.Need(eh_frame_offset_ + body_offset, std::min(length, kMaxEntryBytes));
  return body_offset;
}

UnwindSections::RowRange UnwindSections::BetweenLandmarks(int64_t wanted) const {
  const auto above = std::upper_bound(landmarks_.begin(), landmarks_.end(), wanted,
                                      [](int64_t start, const Landmark& landmark) { return start < landmark.start; });
  return {above[-1], *above};
}

// Keeps the landmarks in order of start and of row. The rows of a damaged table may be out of order.
void UnwindSections::AddLandmark(const Landmark& landmark) const {
  const auto above = std::upper_bound(landmarks_.begin(), landmarks_.end(), landmark.start,
                                      [](int64_t start, const Landmark& other) { return start < other.start; });
  if (above == landmarks_.begin() || above == landmarks_.end()) return;
  const bool is_between = above[-1].row < landmark.row && landmark.row < above->row;
  if (is_between && landmarks_.size() != landmarks_.capacity()) landmarks_.insert(above, landmark);
}

// Narrows the range by guesses, as if the starts were spread evenly. Each access may copy a piece. A bisection of a
// large table makes many accesses.
void UnwindSections::GuessRows(int64_t wanted, RowRange& rows) const {
  constexpr int kMaxGuesses = 6;
  for (int guess = 0; guess < kMaxGuesses && rows.count() > 2 * kNearRows; ++guess) {
    const size_t place = rows.Guess(wanted);
    const Landmark before = RowAt(place - std::min(place - rows.low.row, kNearRows));
    if (before.start > wanted) {
      rows.high = before;
      continue;
    }
    rows.low = before;
    const Landmark behind = RowAt(std::min(place + kNearRows, rows.high.row));
    (behind.start > wanted ? rows.high : rows.low) = behind;
  }
}

size_t UnwindSections::UpperBound(uint64_t pc_svma) const {
  constexpr int kMaxGuesses = 3;
  const auto wanted = static_cast<int64_t>(pc_svma - header_.svma);
  if (table_count_ == 0 || wanted < landmarks_.front().start) return 0;
  if (wanted >= landmarks_.back().start) return table_count_;
  RowRange rows = BetweenLandmarks(wanted);
  if (rows.count() > 2 * kNearRows) {
    GuessRows(wanted, rows);
    AddLandmark(rows.low);
    AddLandmark(rows.high);
  }
  for (int step = 0; rows.count() > 1; ++step) {
    const size_t middle = rows.low.row + rows.count() / 2;
    const Landmark row =
        RowAt(step < kMaxGuesses ? std::clamp(rows.Guess(wanted), rows.low.row + 1, rows.high.row - 1) : middle);
    (row.start <= wanted ? rows.low : rows.high) = row;
  }
  return rows.high.row;
}

uint64_t UnwindSections::FindInTable(uint64_t pc_svma) const {
  const size_t above = UpperBound(pc_svma);
  if (above == 0) return kNotFound;
  const uint64_t fde_svma = header_.svma + static_cast<uint64_t>(int64_t{TableField(above - 1, 1)});
  if (!eh_frame_.Contains(fde_svma)) return kNotFound;
  NeedEntry(fde_svma - eh_frame_.svma);
  return fde_svma - eh_frame_.svma;
}

uint64_t UnwindSections::NextStartInTable(uint64_t pc_svma) const {
  const size_t above = UpperBound(pc_svma);
  if (above == table_count_) return 0;
  return header_.svma + static_cast<uint64_t>(int64_t{TableField(above, 0)});
}

}  // namespace geckoprof
