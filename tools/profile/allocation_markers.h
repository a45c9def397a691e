#ifndef GECKOPROF_TOOLS_PROFILE_ALLOCATION_MARKERS_H_
#define GECKOPROF_TOOLS_PROFILE_ALLOCATION_MARKERS_H_

#include "tools/profile/profile_model.h"

namespace geckoprof {

// Moves the markers of native allocations into ProfileThread::allocations. Gecko's format has such markers, and the
// processed format has a table. A marker without an address stays.
void TakeAllocationMarkers(ProfileModel* model);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_ALLOCATION_MARKERS_H_
