#ifndef GECKOPROF_BASEPROFILER_MARKERS_MARKER_TYPE_REGISTRY_H_
#define GECKOPROF_BASEPROFILER_MARKERS_MARKER_TYPE_REGISTRY_H_

#include <cstdint>

#include "baseprofiler/marker_abi.h"
#include "geckoprof/segment/segment.h"

namespace geckoprof {

// MarkerTypeRegistry writes a site and its type into the segment's pinned metadata when they are first used in a
// recording. It stores their numbers in the site and the type.
//
//   site.registered = serial of the recording << 32 | number        one load and a comparison suffice for a known site
//
// Invariants: a thread that reads a number of this recording can rely on its entry in the segment (release after the
// entry). A recording never uses a number twice. Late markers of an earlier recording do not bring that recording back.
//
// Threads: any. Context: not in a signal handler that interrupted a call on the same thread. MarkerWriter::Enter
// prevents that. A lock is held while an entry is written, with signals blocked. No code of the program runs under the
// lock.
class MarkerTypeRegistry {
 public:
  // Returns the site's word for `segment`. Returns 0 if the site is invalid, or if it could not be written, which is
  // counted.
  static uint64_t SiteWord(const Segment& segment, geckoprof_marker_site& site) {
    const uint64_t word = __atomic_load_n(&site.registered, __ATOMIC_ACQUIRE);
    return word >> 32 == segment.serial() ? word : Register(segment, site);
  }

  // Returns true if the caller's structures have all members that base knows.
  static bool IsComplete(const geckoprof_marker_site* site);

  static void AfterForkInChild();

 private:
  static uint64_t Register(const Segment& segment, geckoprof_marker_site& site);
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_MARKER_TYPE_REGISTRY_H_
