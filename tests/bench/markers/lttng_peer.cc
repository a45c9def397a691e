// LTTng reads its events several times, from a file that includes tracepoint-event.h at its end: this one.
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER geckoprof_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_peer.cc"

#ifndef LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ
#include "tests/bench/markers/lttng_peer.h"
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include <lttng/tracepoint.h>
#endif

// A scope in one event, with the time of its begin; the event's own time is its end.
LTTNG_UST_TRACEPOINT_EVENT(geckoprof_bench, scope, LTTNG_UST_TP_ARGS(uint64_t, begin),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, begin, begin)))
LTTNG_UST_TRACEPOINT_EVENT(geckoprof_bench, text, LTTNG_UST_TP_ARGS(const char*, text),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_string(text, text)))

#ifndef LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ
#include <lttng/tracepoint-event.h>

namespace geckoprof {

LttngState LttngPeerState() {
  const bool traced =
      lttng_ust_tracepoint_enabled(geckoprof_bench, scope) && lttng_ust_tracepoint_enabled(geckoprof_bench, text);
  return traced ? LttngState::kTraced : LttngState::kNobodyTraces;
}

void LttngScope(uint64_t begin) { lttng_ust_tracepoint(geckoprof_bench, scope, begin); }

void LttngText(const char* text) { lttng_ust_tracepoint(geckoprof_bench, text, text); }

}  // namespace geckoprof
#endif
