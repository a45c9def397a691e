// Counters of both formats.
#ifndef GECKOPROF_TOOLS_PROFILE_COUNTER_LOADER_H_
#define GECKOPROF_TOOLS_PROFILE_COUNTER_LOADER_H_

#include <cstdint>

#include "tools/json/json_document.h"
#include "tools/profile/model_builder.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// Counts the rows of "counters", of either format, as memory of the model.
absl::Status CountCounterRows(JsonView profile, ModelBuilder* builder);

// "counters" of one process's profile in the Gecko format. Whatever makes no sense is left out or taken as 0.
void LoadGeckoCounters(JsonView profile, int32_t process, ProfileModel* model, bool with_rows = false);

// "counters" of a whole profile in the processed format, after its processes; those of unknown ones are left out.
void LoadProcessedCounters(JsonView profile, ProfileModel* model, bool with_rows = false);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_COUNTER_LOADER_H_
