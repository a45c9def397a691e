#include "geckoprof/modules/unwind_sections.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include "geckoprof/base/fd.h"
#include "geckoprof/modules/pointer_encoding.h"

namespace geckoprof {

namespace {

constexpr size_t kTableRowBytes = 8;
constexpr uint64_t kMaxSectionBytes = uint64_t{1} << 30;  // the largest seen (Firefox's libxul) is 25 MB

// The part of the file from `svma` to the end of its segment's file bytes; empty if no segment holds it.
ElfRange ToEndOfSegment(const ElfLayout& layout, uint64_t svma) {
  for (const ElfRange& load : layout.loads) {
    if (svma - load.svma >= load.file_bytes) continue;
    const uint64_t skipped = svma - load.svma;
    const uint64_t size_bytes = std::min(load.file_bytes - skipped, kMaxSectionBytes);
    return {svma, load.file_offset + skipped, size_bytes, size_bytes};
  }
  return {};
}

// Finds .eh_frame by the section table, for files linked without .eh_frame_hdr.
ElfRange FindEhFrameSection(const Fd& fd, const ElfLayout& layout) {
  constexpr size_t kMaxSections = 4096;
  const size_t count = std::min<size_t>(layout.section_count, kMaxSections);
  std::vector<Elf64_Shdr> sections(count);
  const auto bytes = std::span(reinterpret_cast<uint8_t*>(sections.data()), count * sizeof(Elf64_Shdr));
  if (layout.section_table_offset == 0 || layout.section_names_index >= count ||
      fd.ReadAt(layout.section_table_offset, bytes) != static_cast<int64_t>(bytes.size())) {
    return {};
  }
  const uint64_t names_offset = sections[layout.section_names_index].sh_offset;
  for (const Elf64_Shdr& section : sections) {
    constexpr std::string_view kName(".eh_frame", 10);  // with its NUL
    std::array<uint8_t, kName.size()> name{};
    if (section.sh_type == SHT_NOBITS || section.sh_size > kMaxSectionBytes) continue;
    if (fd.ReadAt(names_offset + section.sh_name, name) != static_cast<int64_t>(name.size())) continue;
    if (std::memcmp(name.data(), kName.data(), kName.size()) != 0) continue;
    return {section.sh_addr, section.sh_offset, section.sh_size, section.sh_size};
  }
  return {};
}

}  // namespace

// `map` makes a mapping of an ElfRange's file bytes.
template <typename Map>
bool UnwindSections::LoadThrough(const Map& map, const ElfLayout& layout) {
  const ElfRange header = ToEndOfSegment(layout, layout.eh_frame_hdr.svma);
  header_mapping_ = map(header);
  if (header_mapping_.data() == nullptr) return false;
  header_ = {header_mapping_.data(), header_mapping_.size_bytes(), header.svma};
  uint64_t eh_frame_svma = 0;
  if (!ReadHeader(eh_frame_svma)) return false;
  eh_frame_ = header_.From(eh_frame_svma);
  if (usable()) return true;
  const ElfRange section = ToEndOfSegment(layout, eh_frame_svma);
  eh_frame_mapping_ = map(section);
  eh_frame_ = {eh_frame_mapping_.data(), eh_frame_mapping_.size_bytes(), section.svma};
  return usable();
}

bool UnwindSections::LoadFromFile(const Fd& fd, uint64_t file_bytes, const ElfLayout& layout) {
  // Never past the end of the file, whatever the headers say: touching such a page is a SIGBUS.
  const auto map = [&](const ElfRange& range) {
    if (range.file_bytes == 0 || range.file_offset >= file_bytes) return SectionMapping();
    return SectionMapping::MapFile(fd.number(), range.file_offset,
                                   std::min(range.file_bytes, file_bytes - range.file_offset));
  };
  if (layout.eh_frame_hdr.memory_bytes != 0) return LoadThrough(map, layout);
  const ElfRange section = FindEhFrameSection(fd, layout);
  eh_frame_mapping_ = map(section);
  eh_frame_ = {eh_frame_mapping_.data(), eh_frame_mapping_.size_bytes(), section.svma};
  return usable();
}

bool UnwindSections::LoadFromMemory(const ProcessMemory& memory, uint64_t bias, const ElfLayout& layout) {
  if (layout.eh_frame_hdr.memory_bytes == 0) return false;
  const auto map = [&](const ElfRange& range) {
    if (range.file_bytes == 0) return SectionMapping();
    return SectionMapping::CopyMemory(memory, range.svma + bias, range.file_bytes);
  };
  return LoadThrough(map, layout);
}

bool UnwindSections::LoadFromBytes(const SectionBytes& header, const SectionBytes& eh_frame) {
  header_ = header;
  eh_frame_ = eh_frame;
  uint64_t ignored = 0;
  return header.size_bytes == 0 || ReadHeader(ignored);
}

// Finds .eh_frame and the table. A table of another shape than the one all linkers write is passed over: then FDEs are
// looked for one by one.
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
  return true;
}

int32_t UnwindSections::TableField(size_t index, size_t field) const {
  int32_t value;
  std::memcpy(&value, table_ + index * kTableRowBytes + field * sizeof value, sizeof value);
  return value;
}

size_t UnwindSections::UpperBound(uint64_t pc_svma) const {
  const auto wanted = static_cast<int64_t>(pc_svma - header_.svma);
  size_t first = 0;
  size_t count = table_count_;
  while (count != 0) {
    const size_t half = count / 2;
    if (TableField(first + half, 0) <= wanted) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

uint64_t UnwindSections::FindInTable(uint64_t pc_svma) const {
  const size_t above = UpperBound(pc_svma);
  if (above == 0) return kNotFound;
  const uint64_t fde_svma = header_.svma + static_cast<uint64_t>(int64_t{TableField(above - 1, 1)});
  return eh_frame_.Contains(fde_svma) ? fde_svma - eh_frame_.svma : kNotFound;
}

uint64_t UnwindSections::NextStartInTable(uint64_t pc_svma) const {
  const size_t above = UpperBound(pc_svma);
  if (above == table_count_) return 0;
  return header_.svma + static_cast<uint64_t>(int64_t{TableField(above, 0)});
}

}  // namespace geckoprof
