// Between what a caller asks for and the parameters that are kept.
#ifndef GECKOPROF_BASEPROFILER_CORE_WANTED_PARAMETERS_H_
#define GECKOPROF_BASEPROFILER_CORE_WANTED_PARAMETERS_H_

#include <span>

#include "geckoprof/config/start_parameters.h"
#include "geckoprof/handover/handover_table.h"

namespace geckoprof {

// Replaces everything in `parameters` but paths and what only the environment says. Values out of range are clamped, 0
// means the default; filters that are too many are left out, long ones shortened.
void TakeWanted(const HandoverParameters& wanted, StartParameters& parameters);

// The other way round. `items` takes the filters' texts, which are those of `parameters`: ThreadFilter::kMaxItems of
// them. out.size_bytes stays.
void DescribeWanted(const StartParameters& parameters, std::span<const char*> items, HandoverParameters& out);

// Whether TakeWanted would change nothing of `kept`: numbers, and filters in their order. What only the owner acts on
// does not count.
bool IsKeptAs(const HandoverParameters& wanted, const StartParameters& kept);

ThreadFilter FilterOf(const HandoverParameters& wanted);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_CORE_WANTED_PARAMETERS_H_
