#ifndef GECKOPROF_TOOLS_CONVERT_GAP_STACK_H_
#define GECKOPROF_TOOLS_CONVERT_GAP_STACK_H_

#include <cstdint>

#include "tools/profile/profile_model.h"

namespace geckoprof {

// Gives the rows of gaps (IsGap) a stack with one frame of their own. Formats with CPU times or time lines thus keep
// the time of the gaps. The rows still weigh 0, so counts of samples stay as they are. Returns the row of the stack, or
// kNoRow if there are no gaps.
int32_t AddGapStack(ProfileModel* model);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_GAP_STACK_H_
