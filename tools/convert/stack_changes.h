// Changes to the stacks of a model, before it is written in the format of another profiler.
#ifndef GECKOPROF_TOOLS_CONVERT_STACK_CHANGES_H_
#define GECKOPROF_TOOLS_CONVERT_STACK_CHANGES_H_

#include <cstdint>

#include "tools/profile/profile_model.h"

namespace geckoprof {

// How often a format writes a stack as a list of frames.
enum class StackLists {
  kOnce,        // each call path once
  kEachSample,  // once for each of its samples
};

// Cuts the deepest stacks of a model if the lists together have too many frames. These are more than `most_frames`, and
// more than 128 for each call path of the model, or for each sample. Otherwise a small file with one long chain of
// callers would fill the disk.
//
//   main > f1 > f2 > ... > f99998 > f99999    becomes    main > f1 > ... > f799 > (deeper frames are left out) > f99999
//
// The outer frames and the innermost one stay. Returns the number of frames that stay in a stack, or 0 if nothing was
// cut.
uint32_t CutDeepStacks(ProfileModel* model, StackLists lists, uint64_t most_frames = uint64_t{1} << 24);

// Cuts long names of functions, threads and processes if folded stacks would take too much room. The names in all
// lists then have more than `most_bytes`, and more than 128 bytes each. Otherwise a small file with one long name in
// many stacks would fill the disk. Returns the length of the names that are cut, or 0 if none is.
size_t CutListedNames(ProfileModel* model, uint64_t most_bytes = uint64_t{512} << 20);

// Gives the rows of gaps (IsGap) a stack with one frame of their own. Formats with CPU times or time lines thus keep
// the time of the gaps. The rows still weigh 0, so counts of samples stay as they are. Returns the row of the stack, or
// kNoRow if there are no gaps.
int32_t AddGapStack(ProfileModel* model);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_STACK_CHANGES_H_
