#ifndef GECKOPROF_TOOLS_PROFILE_OVERHEAD_COPY_H_
#define GECKOPROF_TOOLS_PROFILE_OVERHEAD_COPY_H_

#include <cstddef>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "geckoprof/json/json_writer.h"
#include "tools/json/json_document.h"

namespace geckoprof {

// Writes a table "profilerOverhead", which may be one of either format, as an element of the list of the processed
// format. `main_thread` is the number of the process's main thread in the new file. `write_samples` writes the value of
// "samples". All other members are copied: they are durations, and do not depend on the time line.
void CopyOverhead(JsonView overhead, std::string_view pid, size_t main_thread,
                  absl::FunctionRef<void(JsonView samples)> write_samples, JsonWriter& writer);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_OVERHEAD_COPY_H_
