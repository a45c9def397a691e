#include "tools/symbols/die_ranges.h"

#include <dwarf.h>

#include <optional>

#include "tools/symbols/byte_cursor.h"

namespace geckoprof {

std::optional<uint64_t> RangeListReader::IndexedAddress(uint64_t index) const {
  if (index > unit_.addresses.size()) return std::nullopt;
  ByteCursor cursor(unit_.addresses, unit_.addresses_base + index * unit_.address_bytes);
  const uint64_t address = cursor.Fixed(unit_.address_bytes);
  if (!cursor.is_sound()) return std::nullopt;
  return address;
}

bool RangeListReader::AppendAt(uint64_t offset, Ranges* ranges) const {
  return unit_.version >= 5 ? AppendNew(offset, ranges) : AppendOld(unit_.ranges_base + offset, ranges);
}

bool RangeListReader::AppendIndexed(uint64_t index, Ranges* ranges) const {
  if (index > unit_.rnglists.size()) return false;
  ByteCursor cursor(unit_.rnglists, unit_.rnglists_base + index * unit_.offset_bytes);
  const uint64_t offset = cursor.Fixed(unit_.offset_bytes);
  return cursor.is_sound() && AppendNew(unit_.rnglists_base + offset, ranges);
}

bool RangeListReader::AppendOld(uint64_t offset, Ranges* ranges) const {
  ByteCursor cursor(unit_.ranges, offset);
  const uint64_t all_ones = unit_.address_bytes == 8 ? UINT64_MAX : (uint64_t{1} << (8 * unit_.address_bytes)) - 1;
  uint64_t base = unit_.base_svma;
  for (size_t count = 0; count < kMaxRanges; ++count) {
    const uint64_t start = cursor.Fixed(unit_.address_bytes), end = cursor.Fixed(unit_.address_bytes);
    if (!cursor.is_sound()) return false;
    if (start == 0 && end == 0) return true;
    if (start == all_ones) {
      base = end;
    } else {
      ranges->emplace_back(base + start, base + end);
    }
  }
  return false;
}

bool RangeListReader::AppendNew(uint64_t offset, Ranges* ranges) const {
  ByteCursor cursor(unit_.rnglists, offset);
  uint64_t base = unit_.base_svma;
  const auto indexed = [&] { return IndexedAddress(cursor.Uleb()).value_or(0); };
  for (size_t count = 0; count < kMaxRanges && cursor.is_sound(); ++count) {
    const uint64_t kind = cursor.Fixed(1);
    if (!cursor.is_sound()) return false;
    uint64_t start = 0, end = 0;
    switch (kind) {
      case DW_RLE_end_of_list:
        return true;
      case DW_RLE_base_addressx:
        base = indexed();
        continue;
      case DW_RLE_base_address:
        base = cursor.Fixed(unit_.address_bytes);
        continue;
      case DW_RLE_startx_endx:
        start = indexed();
        end = indexed();
        break;
      case DW_RLE_startx_length:
        start = indexed();
        end = start + cursor.Uleb();
        break;
      case DW_RLE_offset_pair:
        start = base + cursor.Uleb();
        end = base + cursor.Uleb();
        break;
      case DW_RLE_start_end:
        start = cursor.Fixed(unit_.address_bytes);
        end = cursor.Fixed(unit_.address_bytes);
        break;
      case DW_RLE_start_length:
        start = cursor.Fixed(unit_.address_bytes);
        end = start + cursor.Uleb();
        break;
      default:
        return false;
    }
    if (!cursor.is_sound()) return false;
    if (start != 0) ranges->emplace_back(start, end);
  }
  return false;
}

namespace {

// Empty: the value is no address.
std::optional<uint64_t> AddressOf(const DieScanner& scanner, const RangeListReader& reader,
                                  const DieScanner::Value& value) {
  switch (value.form) {
    case DW_FORM_addr:
      return scanner.Address(value);
    case DW_FORM_addrx:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
    case DW_FORM_GNU_addr_index:
      return reader.IndexedAddress(scanner.Number(value).value_or(UINT64_MAX));
    default:
      return std::nullopt;
  }
}

}  // namespace

bool AppendDieRanges(const DieScanner& scanner, const RangeListReader& reader, const DieScanner::Die& die,
                     RangeListReader::Ranges* ranges) {
  const DieScanner::Value &list = die[DieScanner::kRanges], &high = die[DieScanner::kHighPc];
  if (list.form == DW_FORM_rnglistx) return reader.AppendIndexed(scanner.Number(list).value_or(UINT64_MAX), ranges);
  if (list.form != 0) {
    const std::optional<uint64_t> offset = scanner.Offset(list);
    return offset.has_value() && reader.AppendAt(*offset, ranges);
  }
  const std::optional<uint64_t> start = AddressOf(scanner, reader, die[DieScanner::kLowPc]);
  if (!start.has_value() || high.form == 0) return true;
  std::optional<uint64_t> end = AddressOf(scanner, reader, high);
  if (!end.has_value()) {
    end = scanner.Number(high);
    if (!end.has_value()) return false;
    *end += *start;
  }
  ranges->emplace_back(*start, *end);
  return true;
}

}  // namespace geckoprof
