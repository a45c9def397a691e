// What marker_bench has LTTng-UST trace. LTTng reads this file several times: that is what the odd guard is for.
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER geckoprof_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_tracepoints.h"

#if !defined(GECKOPROF_TESTS_BENCH_MARKERS_LTTNG_TRACEPOINTS_H_) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define GECKOPROF_TESTS_BENCH_MARKERS_LTTNG_TRACEPOINTS_H_

#include <lttng/tracepoint.h>
#include <stdint.h>

// A scope in one event, with the time of its begin; the event's own time is its end.
LTTNG_UST_TRACEPOINT_EVENT(geckoprof_bench, scope, LTTNG_UST_TP_ARGS(uint64_t, begin),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, begin, begin)))
LTTNG_UST_TRACEPOINT_EVENT(geckoprof_bench, text, LTTNG_UST_TP_ARGS(const char*, text),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_string(text, text)))

#endif  // GECKOPROF_TESTS_BENCH_MARKERS_LTTNG_TRACEPOINTS_H_

#include <lttng/tracepoint-event.h>
