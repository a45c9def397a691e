// "profilerOverhead" of both formats.
#ifndef GECKOPROF_TOOLS_PROFILE_OVERHEAD_LOADER_H_
#define GECKOPROF_TOOLS_PROFILE_OVERHEAD_LOADER_H_

#include <cstdint>

#include "tools/json/json_document.h"
#include "tools/profile/model_builder.h"

namespace geckoprof {

// Reads that of one process's profile in the Gecko format. Numbers that make no sense count as 0.
absl::Status LoadGeckoOverhead(JsonView profile, int32_t process, ModelBuilder* builder);

// Reads that of a whole profile in the processed format, after its processes. Tables of unknown processes are left out.
absl::Status LoadProcessedOverhead(JsonView profile, ModelBuilder* builder);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_OVERHEAD_LOADER_H_
