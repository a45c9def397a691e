// Converts between a caller's parameters and the stored parameters.
#ifndef GECKOPROF_BASEPROFILER_CORE_WANTED_PARAMETERS_H_
#define GECKOPROF_BASEPROFILER_CORE_WANTED_PARAMETERS_H_

#include <span>

#include "geckoprof/config/start_parameters.h"
#include "geckoprof/handover/handover_table.h"

namespace geckoprof {

// Replaces everything in `parameters` except paths and values that only the environment has. Values out of range are
// clamped, and 0 means the default. Too many filters are left out, and long ones are cut.
void ApplyWanted(const HandoverParameters& wanted, StartParameters& parameters);

// The reverse of ApplyWanted. `items` has room for ThreadFilter::kMaxItems texts and receives the filters, which point
// into `parameters`. out.size_bytes is unchanged.
void DescribeWanted(const StartParameters& parameters, std::span<const char*> items, HandoverParameters& out);

// Returns true if ApplyWanted would change nothing in `kept`. It compares numbers, and filters in their order. Features
// that only the owner uses do not count.
bool MatchesWanted(const HandoverParameters& wanted, const StartParameters& kept);

ThreadFilter WantedFilter(const HandoverParameters& wanted);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_CORE_WANTED_PARAMETERS_H_
