#ifndef GECKOPROF_TOOLS_SYMBOLS_DIE_RANGES_H_
#define GECKOPROF_TOOLS_SYMBOLS_DIE_RANGES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tools/symbols/die_scanner.h"

namespace geckoprof {

// RangeListReader reads the addresses of DIEs that lie in several pieces, and addresses by number, of one compile unit.
// They stand in .debug_ranges of DWARF up to 4, .debug_rnglists of 5, and .debug_addr. libdw's own reader does not know
// where the lists of a unit lie that came out of a .dwp file. Lifetime: a view of the sections. Threads: one at a time.
class RangeListReader {
 public:
  struct Unit {
    int version = 0;
    size_t address_bytes = 8;
    size_t offset_bytes = 4;
    uint64_t base_svma = 0;  // the unit's own DW_AT_low_pc
    std::span<const uint8_t> ranges, rnglists, addresses;
    uint64_t ranges_base = 0;     // DW_AT_GNU_ranges_base
    uint64_t rnglists_base = 0;   // where the table of offsets begins
    uint64_t addresses_base = 0;  // DW_AT_addr_base
  };
  using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;  // start and end

  // A list of more is left: honest ones have hundreds.
  static constexpr size_t kMaxRanges = 1 << 20;

  explicit RangeListReader(const Unit& unit) : unit_(unit) {}

  // The address with this number (DW_FORM_addrx).
  std::optional<uint64_t> IndexedAddress(uint64_t index) const;
  // Appends the ranges of the list at this offset of its section. Returns false if it is broken.
  bool AppendAt(uint64_t offset, Ranges* ranges) const;
  // Likewise of the list with this number (DW_FORM_rnglistx).
  bool AppendIndexed(uint64_t index, Ranges* ranges) const;

 private:
  bool AppendOld(uint64_t offset, Ranges* ranges) const;
  bool AppendNew(uint64_t offset, Ranges* ranges) const;

  const Unit unit_;
};

// Appends where a DIE lies, by its DW_AT_ranges, else DW_AT_low_pc and DW_AT_high_pc; nothing if it does not say.
// False: what it says is broken. `scanner` has read the DIE; `reader` is of its unit. libdw 0.188 gives the number of a
// list (DW_FORM_rnglistx) for its offset, so the values are read here.
bool AppendDieRanges(const DieScanner& scanner, const RangeListReader& reader, const DieScanner::Die& die,
                     RangeListReader::Ranges* ranges);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_DIE_RANGES_H_
