#include "tools/symbols/split_file.h"

#include <dwarf.h>

#include <optional>
#include <utility>

#include "tools/symbols/byte_cursor.h"
#include "tools/symbols/elf_image.h"

namespace geckoprof {
namespace {

// What the header of a unit says.
struct UnitHeader {
  uint64_t end = 0;  // of the unit
  uint64_t first_offset = 0;
  uint64_t abbrev_offset = 0;
  int version = 0;
  size_t address_bytes = 0, offset_bytes = 4;
  std::optional<uint64_t> dwo_id;  // in the header from DWARF 5 on
  bool is_code = true;             // no type unit
};

std::optional<UnitHeader> ReadHeader(std::span<const uint8_t> info, uint64_t start) {
  UnitHeader header;
  ByteCursor cursor(info, start);
  uint64_t length = cursor.Fixed(4);
  if (length == 0xffffffff) {
    header.offset_bytes = 8;
    length = cursor.Fixed(8);
  }
  if (!cursor.is_sound() || length > info.size() - cursor.at()) return std::nullopt;
  header.end = cursor.at() + length;
  header.version = static_cast<int>(cursor.Fixed(2));
  if (header.version >= 5) {
    const uint64_t type = cursor.Fixed(1);
    header.address_bytes = static_cast<size_t>(cursor.Fixed(1));
    header.abbrev_offset = cursor.Fixed(header.offset_bytes);
    header.is_code = type == DW_UT_split_compile;
    if (header.is_code) header.dwo_id = cursor.Fixed(8);
  } else {
    header.abbrev_offset = cursor.Fixed(header.offset_bytes);
    header.address_bytes = static_cast<size_t>(cursor.Fixed(1));
  }
  header.first_offset = cursor.at();
  if (!cursor.is_sound() || header.version < 4 || header.version > 5) return std::nullopt;
  return header;
}

std::span<const uint8_t> Slice(std::span<const uint8_t> bytes, uint64_t offset, uint64_t size_bytes) {
  if (offset > bytes.size() || size_bytes > bytes.size() - offset) return {};
  return bytes.subspan(static_cast<size_t>(offset), static_cast<size_t>(size_bytes));
}

}  // namespace

absl::StatusOr<std::unique_ptr<SplitFile>> SplitFile::Open(const std::string& path) {
  absl::StatusOr<std::unique_ptr<ElfImage>> image = ElfImage::Open(path);
  if (!image.ok()) return image.status();
  return std::unique_ptr<SplitFile>(new SplitFile(WithUnpackedSections(*std::move(image))));
}

SplitFile::SplitFile(std::unique_ptr<ElfImage> image) : image_(std::move(image)) {
  sections_ = {image_->SectionBytes(".debug_info.dwo"), image_->SectionBytes(".debug_abbrev.dwo"),
               image_->SectionBytes(".debug_str_offsets.dwo"), image_->SectionBytes(".debug_rnglists.dwo")};
  strings_ = image_->SectionBytes(".debug_str.dwo");
  index_ = image_->SectionBytes(".debug_cu_index");
}

std::optional<SplitUnit> SplitFile::Find(uint64_t dwo_id) const {
  if (index_.empty()) return FindInParts(sections_, dwo_id);
  const std::optional<Parts> parts = FindInIndex(dwo_id);
  std::optional<SplitUnit> unit = parts.has_value() ? FindInParts(*parts, dwo_id) : std::nullopt;
  // Older packers put units of DWARF 5 into an index that has no place for all of their sections.
  const bool is_new_index = (ByteCursor(index_, 0).Fixed(4) & 0xffff) >= 5;
  if (unit.has_value() && (unit->scan.version >= 5) != is_new_index) return std::nullopt;
  return unit;
}

// .debug_cu_index: header; ids; rows of the ids; the columns' sections; rows of offsets; rows of sizes.
std::optional<SplitFile::Parts> SplitFile::FindInIndex(uint64_t dwo_id) const {
  ByteCursor cursor(index_, 0);
  const uint64_t version = cursor.Fixed(4) & 0xffff;
  const uint64_t columns = cursor.Fixed(4), units = cursor.Fixed(4), slots = cursor.Fixed(4);
  if (!cursor.is_sound() || (version != 2 && version != 5) || columns > 16) return std::nullopt;
  const uint64_t ids = cursor.at(), rows = ids + slots * 8, kinds = rows + slots * 4;
  const uint64_t offsets = kinds + columns * 4, sizes = offsets + units * columns * 4;
  if (sizes + units * columns * 4 > index_.size()) return std::nullopt;
  const auto word = [&](uint64_t at) { return ByteCursor(index_, at).Fixed(4); };
  uint64_t row = 0;
  for (uint64_t slot = 0; slot < slots && row == 0; ++slot) {
    if (ByteCursor(index_, ids + slot * 8).Fixed(8) == dwo_id) row = word(rows + slot * 4);
  }
  if (row == 0 || row > units) return std::nullopt;
  Parts parts;
  for (uint64_t column = 0; column < columns; ++column) {
    Part part = kParts;
    switch (word(kinds + column * 4)) {
      case 1:
        part = kInfo;
        break;
      case 3:
        part = kAbbrev;
        break;
      case 6:
        part = kStringOffsets;
        break;
      case 8:
        part = version == 5 ? kRnglists : kParts;
        break;
      default:
        break;
    }
    if (part == kParts) continue;
    const uint64_t cell = ((row - 1) * columns + column) * 4;
    parts[part] = Slice(sections_[part], word(offsets + cell), word(sizes + cell));
  }
  return parts;
}

std::optional<SplitUnit> SplitFile::FindInParts(const Parts& parts, uint64_t dwo_id) const {
  for (uint64_t start = 0; start < parts[kInfo].size();) {
    const std::optional<UnitHeader> header = ReadHeader(parts[kInfo], start);
    if (!header.has_value()) break;
    SplitUnit unit;
    unit.scan = {parts[kInfo].first(static_cast<size_t>(header->end)),
                 parts[kAbbrev],
                 header->abbrev_offset,
                 header->first_offset,
                 header->version,
                 header->address_bytes,
                 header->offset_bytes,
                 &abbrev_cache_};
    unit.unit_start = start;
    unit.rnglists = parts[kRnglists];
    unit.string_offsets = parts[kStringOffsets];
    unit.strings = strings_;
    std::optional<uint64_t> id = header->dwo_id;
    if (header->is_code && !id.has_value()) {
      DieScanner scanner(unit.scan);
      DieScanner::Die die;
      if (scanner.Next(&die)) id = scanner.Number(die[DieScanner::kDwoId]);
    }
    if (header->is_code && id == dwo_id) return unit;
    start = header->end;
  }
  return std::nullopt;
}

namespace {

constexpr int kMaxSteps = 16;  // a reference may lead back to where it came from

}  // namespace

std::string_view SplitNameReader::Text(const DieScanner::Value& value) const {
  uint64_t number = 0;
  switch (value.form) {
    case DW_FORM_string:
      return ByteCursor(unit_.scan.info, static_cast<uint64_t>(value.bytes - unit_.scan.info.data())).Text();
    case DW_FORM_strp:
      return ByteCursor(unit_.strings,
                        ByteCursor(unit_.scan.info, static_cast<uint64_t>(value.bytes - unit_.scan.info.data()))
                            .Fixed(unit_.scan.offset_bytes))
          .Text();
    case DW_FORM_strx:
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
    case DW_FORM_GNU_str_index:
      number = scanner_.Number(value).value_or(UINT64_MAX);
      break;
    default:
      return {};
  }
  if (number > unit_.string_offsets.size()) return {};
  // From DWARF 5 on the table has a header: its length, the version, padding.
  const uint64_t header_bytes = unit_.scan.version >= 5 ? (unit_.scan.offset_bytes == 8 ? 16 : 8) : 0;
  ByteCursor cursor(unit_.string_offsets, header_bytes + number * unit_.scan.offset_bytes);
  const uint64_t offset = cursor.Fixed(unit_.scan.offset_bytes);
  return cursor.is_sound() ? ByteCursor(unit_.strings, offset).Text() : std::string_view();
}

std::string_view SplitNameReader::NameOf(uint64_t die_offset) {
  std::string_view plain;
  DieScanner::Die die;
  for (int step = 0; step < kMaxSteps && scanner_.ReadAt(die_offset, &die); ++step) {
    if (const std::string_view name = Text(die[DieScanner::kLinkageName]); !name.empty()) return name;
    if (plain.empty()) plain = Text(die[DieScanner::kName]);
    std::optional<uint64_t> next = scanner_.Reference(die[DieScanner::kOrigin], unit_.unit_start);
    if (!next.has_value()) next = scanner_.Reference(die[DieScanner::kSpecification], unit_.unit_start);
    if (!next.has_value()) break;
    die_offset = *next;
  }
  return plain;
}

}  // namespace geckoprof
