#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_tracepoints.h"
// First: it looks whether it is told what to define.
#include "tests/bench/markers/lttng_peer.h"

namespace geckoprof {

LttngState LttngPeerState() {
  const bool traced =
      lttng_ust_tracepoint_enabled(geckoprof_bench, scope) && lttng_ust_tracepoint_enabled(geckoprof_bench, text);
  return traced ? LttngState::kTraced : LttngState::kNobodyTraces;
}

void LttngScope(uint64_t begin) { lttng_ust_tracepoint(geckoprof_bench, scope, begin); }

void LttngText(const char* text) { lttng_ust_tracepoint(geckoprof_bench, text, text); }

}  // namespace geckoprof
