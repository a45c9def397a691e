// Between what a caller asks for and the parameters that are kept.
#ifndef GECKOPROF_BASEPROFILER_HANDOVER_WANTED_PARAMETERS_H_
#define GECKOPROF_BASEPROFILER_HANDOVER_WANTED_PARAMETERS_H_

#include <span>

#include "geckoprof/config/start_parameters.h"
#include "geckoprof/handover/handover_table.h"

namespace geckoprof {

// Replaces everything in `parameters` but paths and what only the environment says. Values out of range are clamped, 0
// means the default; filters that are too many or too long are left out.
void TakeWanted(const HandoverParameters& wanted, StartParameters& parameters);

// The other way round. `items` takes the filters' texts, which are those of `parameters`: ThreadFilter::kMaxItems of
// them. out.size_bytes stays.
void DescribeWanted(const StartParameters& parameters, std::span<const char*> items, HandoverParameters& out);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_HANDOVER_WANTED_PARAMETERS_H_
