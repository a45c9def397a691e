// The full library's whole API, with labels, markers and counters, which are base's. Link with libgeckoprofiler.so;
// libbaseprofiler.so comes with it, or was preloaded, and is to be named to the linker, too, where there are labels,
// markers or counters. Beside base_profiler.h and a using directive for geckoprof::baseprofiler all macros work, but
// profiler_start and others are there twice: ::profiler_start is this library's.
#ifndef GECKOPROF_GECKOPROFILER_GECKO_PROFILER_H_
#define GECKOPROF_GECKOPROFILER_GECKO_PROFILER_H_

#include "baseprofiler/counters.h"
#include "baseprofiler/labels.h"
#include "baseprofiler/markers.h"
#include "geckoprofiler/auto_profiler_init.h"
#include "geckoprofiler/profiler_backtrace.h"
#include "geckoprofiler/profiler_control.h"
#include "geckoprofiler/profiler_features.h"
#include "geckoprofiler/profiler_output.h"
#include "geckoprofiler/profiler_result.h"
#include "geckoprofiler/profiler_stack_collector.h"
#include "geckoprofiler/profiler_state.h"
#include "geckoprofiler/profiler_threads.h"
#include "geckoprofiler/profiling_state_set.h"

#endif  // GECKOPROF_GECKOPROFILER_GECKO_PROFILER_H_
