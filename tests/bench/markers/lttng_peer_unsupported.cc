#include "tests/bench/markers/lttng_peer.h"

namespace geckoprof {

LttngState LttngPeerState() { return LttngState::kNotInstalled; }
void LttngScope(uint64_t) {}
void LttngText(const char*) {}

}  // namespace geckoprof
