#include "tools/symbols/split_name_reader.h"

#include <dwarf.h>

#include <optional>

#include "tools/symbols/byte_cursor.h"

namespace geckoprof {
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
