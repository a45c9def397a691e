#ifndef GECKOPROF_TESTS_BENCH_MARKERS_LTTNG_PEER_H_
#define GECKOPROF_TESTS_BENCH_MARKERS_LTTNG_PEER_H_

#include <cstdint>

namespace geckoprof {

// LTTng-UST beside our markers, where it was there when the benchmark was built.
enum class LttngState : uint8_t { kNotInstalled, kNobodyTraces, kTraced };
LttngState LttngPeerState();

// A scope that ends now, and a text.
void LttngScope(uint64_t begin);
void LttngText(const char* text);

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_BENCH_MARKERS_LTTNG_PEER_H_
