#include "tools/convert/deep_stacks.h"

#include <algorithm>
#include <vector>

namespace geckoprof {
namespace {

constexpr char kCutFunction[] = "(deeper frames are left out)";
constexpr uint32_t kLeastDepth = 64;
constexpr uint64_t kFramesPerPath = 128;  // of large models

// Returns the number of frames of each stack. A caller has a lower row than what it calls.
std::vector<uint32_t> Depths(const ProfileModel& model) {
  std::vector<uint32_t> depths;
  depths.reserve(model.stacks.size());
  for (const ProfileStack& stack : model.stacks) {
    depths.push_back(stack.prefix == kNoRow ? 1 : depths[static_cast<size_t>(stack.prefix)] + 1);
  }
  return depths;
}

// Returns the depths of the stacks that samples have, each stack once, in order.
std::vector<uint32_t> SampledDepths(const ProfileModel& model, const std::vector<uint32_t>& depths) {
  std::vector<bool> is_sampled(model.stacks.size());
  for (const ProfileThread& thread : model.threads) {
    for (const auto* samples : {&thread.samples, &thread.frees}) {
      for (const ProfileSample& sample : *samples) {
        if (sample.stack != kNoRow) is_sampled[static_cast<size_t>(sample.stack)] = true;
      }
    }
  }
  std::vector<uint32_t> sampled;
  for (size_t row = 0; row < depths.size(); ++row) {
    if (is_sampled[row]) sampled.push_back(depths[row]);
  }
  std::ranges::sort(sampled);
  return sampled;
}

// Returns the largest depth at which all stacks together have no more frames, or 0 if they have no more anyway.
uint32_t DepthFor(uint64_t most_frames, const std::vector<uint32_t>& sampled) {
  uint64_t left_frames = most_frames;
  for (size_t i = 0; i < sampled.size(); ++i) {
    const uint64_t share = left_frames / (sampled.size() - i);
    if (sampled[i] > share) return std::max(static_cast<uint32_t>(share), kLeastDepth);
    left_frames -= sampled[i];
  }
  return 0;
}

}  // namespace

uint32_t CutDeepStacks(ProfileModel* model, uint64_t most_frames) {
  const std::vector<uint32_t> depths = Depths(*model);
  most_frames = std::max(most_frames, kFramesPerPath * depths.size());
  const uint32_t depth = DepthFor(most_frames, SampledDepths(*model, depths));
  if (depth == 0) return 0;
  model->strings.emplace_back(kCutFunction);
  ProfileFunction function;
  function.name = static_cast<int32_t>(model->strings.size()) - 1;
  model->functions.push_back(function);
  // The last outer frame of stacks that are cut stands for all that are left out. Other stacks keep theirs.
  std::vector<size_t> last_outer(model->stacks.size());
  for (size_t row = 0; row < model->stacks.size(); ++row) {
    ProfileStack& stack = model->stacks[row];
    if (depths[row] < depth) {
      last_outer[row] = row;
      continue;
    }
    last_outer[row] = last_outer[static_cast<size_t>(stack.prefix)];
    if (depths[row] == depth) continue;
    stack.prefix = static_cast<int32_t>(last_outer[row]);
    ProfileStack& outer = model->stacks[last_outer[row]];
    outer.function = static_cast<int32_t>(model->functions.size()) - 1;
    outer.frame = kNoRow;
  }
  return depth;
}

}  // namespace geckoprof
