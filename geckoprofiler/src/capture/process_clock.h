#ifndef GECKOPROF_GECKOPROFILER_CAPTURE_PROCESS_CLOCK_H_
#define GECKOPROF_GECKOPROFILER_CAPTURE_PROCESS_CLOCK_H_

#include <cstdint>

#include "handover/base_link.h"

namespace geckoprof {

// When this process began, in ns on CLOCK_MONOTONIC. Decided when first asked and the same from then on, so that times
// never go backwards: the time zero of the recording's profile, if there is one by then; else base's word, which a
// recording will go by; of a base that cannot tell, what the kernel says, in steps of 10 ms (proc(5), "starttime");
// else that first moment itself. In the child of a fork: its parent's.
int64_t ProcessStartNs(const BaseLink& base);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CAPTURE_PROCESS_CLOCK_H_
