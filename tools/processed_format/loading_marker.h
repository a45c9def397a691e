#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_LOADING_MARKER_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_LOADING_MARKER_H_

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// Adds the marker of the time from exec to our constructor to the main thread. There are no samples of this time.
//
//   exec_ns            the recorder's program: it knows the time
//   before_exec_ns     another program: the last sign of life of the program before it, or its fork
//
// A process without either time gets no marker.
void AddLoadingMarker(ProcessProfile& process);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_LOADING_MARKER_H_
