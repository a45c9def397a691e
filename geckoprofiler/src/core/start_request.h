#ifndef GECKOPROF_GECKOPROFILER_CORE_START_REQUEST_H_
#define GECKOPROF_GECKOPROFILER_CORE_START_REQUEST_H_

#include <cstdint>
#include <optional>

#include "handover/base_link.h"

namespace geckoprof {

// What profiler_start was asked for, in the library's units, with defaults filled in and everything within its range:
// so two requests that mean the same are equal. `features` as they were asked for. Null pointers among the filters are
// left out. Threads and context: any, allocates.
RecordingParameters MakeStartRequest(uint32_t capacity_entries, double interval_ms, uint32_t features,
                                     const char* const* filters, uint32_t filter_count,
                                     std::optional<double> duration_s);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CORE_START_REQUEST_H_
