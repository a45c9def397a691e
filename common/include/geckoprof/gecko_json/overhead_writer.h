#ifndef GECKOPROF_GECKO_JSON_OVERHEAD_WRITER_H_
#define GECKOPROF_GECKO_JSON_OVERHEAD_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "geckoprof/json/json_writer.h"
#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// The table "profilerOverhead" has the looks of a process's sampler, with the columns of Firefox and two more.
// Durations are in µs. `time` is in µs in Gecko's format, as viewers read it, and in ms in the processed one.
//
//   locking 0 | expiredMarkerCleaning: upkeep | counters: sources | threads | lateness | samplerCPU
//
// The sampler takes no lock of the process. Viewers show "statistics" alone, which are of the first five columns.
// "recordingTime", "samplerCPUTime" and "handlerTime" are sums in ms, which hold also if looks were lost.
//
// Context: cold code, as the writer's.

// Returns whether the recording has anything for the table.
bool HasOverhead(const ProcessProfile& process);
// Writes the member of a process's profile, or nothing if HasOverhead is false.
void WriteGeckoOverhead(const ProcessProfile& process, JsonWriter& writer);
// Writes the element of the list, or nothing. Times count from `zero_ns`. `main_thread`
// is the number of the process's main thread.
void WriteProcessedOverhead(const ProcessProfile& process, int64_t zero_ns, std::string_view pid, size_t main_thread,
                            JsonWriter& writer);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKO_JSON_OVERHEAD_WRITER_H_
