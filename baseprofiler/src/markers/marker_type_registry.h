#ifndef GECKOPROF_BASEPROFILER_MARKERS_MARKER_TYPE_REGISTRY_H_
#define GECKOPROF_BASEPROFILER_MARKERS_MARKER_TYPE_REGISTRY_H_

#include <cstdint>

#include "baseprofiler/marker_abi.h"
#include "geckoprof/segment/segment.h"

namespace geckoprof {

// MarkerTypeRegistry: writes sites and types into the segment's pinned metadata when they are first used in a
// recording, and remembers in them under which number.
//
//   site.registered = serial of the recording << 32 | number        so one load and a compare tell that it is known
//
// Invariant: whoever reads a number of this recording finds that its entry is in the segment (release after the entry).
// No number is given twice in a recording: one that has begun is the last, whoever still marks for an earlier one.
// Threads: any. Context: not in a signal handler that interrupted a call on the same thread (MarkerWriter::Enter sees
// to that). Takes a lock while an entry is written, with signals blocked; nobody holds it while calling anything of the
// program's.
class MarkerTypeRegistry {
 public:
  // The site's word for `segment`, or 0: it could not be written (counted), or makes no sense.
  static uint64_t SiteWord(const Segment& segment, geckoprof_marker_site& site) {
    const uint64_t word = __atomic_load_n(&site.registered, __ATOMIC_ACQUIRE);
    return word >> 32 == segment.serial() ? word : Register(segment, site);
  }

  // Whether the caller knows as much of the structures as we do.
  static bool IsComplete(const geckoprof_marker_site* site);

  static void AfterForkInChild();

 private:
  static uint64_t Register(const Segment& segment, geckoprof_marker_site& site);
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_MARKER_TYPE_REGISTRY_H_
