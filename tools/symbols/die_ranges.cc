#include "tools/symbols/die_ranges.h"

#include <dwarf.h>

#include <optional>

namespace geckoprof {
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
