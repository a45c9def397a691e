// The full library's whole API, with labels, markers and counters, which are base's. Link with libgeckoprofiler.so.
// libbaseprofiler.so comes with it, or was preloaded. A program that has labels, markers or counters names it to the
// linker, too. base_profiler.h may be included as well, with a using directive for geckoprof::baseprofiler. A function
// that both APIs have, and that is called without a namespace, is then this library's.
#ifndef GECKOPROF_GECKOPROFILER_GECKO_PROFILER_H_
#define GECKOPROF_GECKOPROFILER_GECKO_PROFILER_H_

#include "baseprofiler/counters.h"
#include "baseprofiler/labels.h"
#include "baseprofiler/markers.h"
#include "geckoprofiler/profiler_asked_counters.h"
#include "geckoprofiler/profiler_backtrace.h"
#include "geckoprofiler/profiler_control.h"
#include "geckoprofiler/profiler_output.h"
#include "geckoprofiler/profiler_result.h"
#include "geckoprofiler/profiler_screenshots.h"
#include "geckoprofiler/profiler_state.h"
#include "geckoprofiler/profiler_threads.h"
#include "geckoprofiler/profiler_values.h"

#endif  // GECKOPROF_GECKOPROFILER_GECKO_PROFILER_H_
