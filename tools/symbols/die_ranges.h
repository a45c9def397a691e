#ifndef GECKOPROF_TOOLS_SYMBOLS_DIE_RANGES_H_
#define GECKOPROF_TOOLS_SYMBOLS_DIE_RANGES_H_

#include "tools/symbols/die_scanner.h"
#include "tools/symbols/range_list_reader.h"

namespace geckoprof {

// Appends where a DIE lies, by its DW_AT_ranges, else DW_AT_low_pc and DW_AT_high_pc; nothing if it does not say.
// False: what it says is broken. `scanner` has read the DIE; `reader` is of its unit. libdw 0.188 gives the number of a
// list (DW_FORM_rnglistx) for its offset, so the values are read here.
bool AppendDieRanges(const DieScanner& scanner, const RangeListReader& reader, const DieScanner::Die& die,
                     RangeListReader::Ranges* ranges);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_DIE_RANGES_H_
