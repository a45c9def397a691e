#include "tools/convert/gap_stack.h"

namespace geckoprof {
namespace {

constexpr char kGapFunction[] = "(gap: ran without samples)";

int32_t NewStack(ProfileModel* model) {
  model->strings.emplace_back(kGapFunction);
  ProfileFunction function;
  function.name = static_cast<int32_t>(model->strings.size()) - 1;
  model->functions.push_back(function);
  ProfileStack stack;
  stack.function = static_cast<int32_t>(model->functions.size()) - 1;
  model->stacks.push_back(stack);
  return static_cast<int32_t>(model->stacks.size()) - 1;
}

}  // namespace

int32_t AddGapStack(ProfileModel* model) {
  int32_t gap_stack = kNoRow;
  for (ProfileThread& thread : model->threads) {
    for (ProfileSample& sample : thread.samples) {
      if (!IsGap(thread, sample)) continue;
      if (gap_stack == kNoRow) gap_stack = NewStack(model);
      sample.stack = gap_stack;
    }
  }
  return gap_stack;
}

}  // namespace geckoprof
