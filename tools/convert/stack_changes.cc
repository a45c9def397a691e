#include "tools/convert/stack_changes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tools/profile/model_builder.h"

namespace geckoprof {
namespace {

constexpr char kCutFunction[] = "(deeper frames are left out)";
constexpr uint32_t kLeastDepth = 64;
constexpr uint64_t kFramesPerList = 128;  // of large models

int32_t AddFunction(ProfileModel* model, const char* name) {
  model->strings.emplace_back(name);
  ProfileFunction function;
  function.name = static_cast<int32_t>(model->strings.size()) - 1;
  model->functions.push_back(function);
  return static_cast<int32_t>(model->functions.size()) - 1;
}

// Returns the number of frames of each stack. A caller has a lower row than what it calls.
std::vector<uint32_t> Depths(const ProfileModel& model) {
  std::vector<uint32_t> depths;
  depths.reserve(model.stacks.size());
  for (const ProfileStack& stack : model.stacks) {
    depths.push_back(stack.prefix == kNoRow ? 1 : depths[static_cast<size_t>(stack.prefix)] + 1);
  }
  return depths;
}

// Returns the depths of the lists, in order.
std::vector<uint32_t> ListedDepths(const ProfileModel& model, StackLists lists, const std::vector<uint32_t>& depths) {
  std::vector<bool> is_listed(model.stacks.size());
  std::vector<uint32_t> listed;
  for (const ProfileThread& thread : model.threads) {
    for (const auto* samples : {&thread.samples, &thread.frees}) {
      for (const ProfileSample& sample : *samples) {
        if (sample.stack == kNoRow) continue;
        const auto row = static_cast<size_t>(sample.stack);
        if (lists == StackLists::kEachSample || !is_listed[row]) listed.push_back(depths[row]);
        is_listed[row] = true;
      }
    }
  }
  std::ranges::sort(listed);
  return listed;
}

// Returns the largest depth at which all lists together have no more frames, or 0 if they have no more anyway.
uint32_t DepthFor(uint64_t most_frames, const std::vector<uint32_t>& listed) {
  uint64_t left_frames = most_frames;
  for (size_t i = 0; i < listed.size(); ++i) {
    const uint64_t share = left_frames / (listed.size() - i);
    if (listed[i] > share) return std::max(static_cast<uint32_t>(share), kLeastDepth);
    left_frames -= listed[i];
  }
  return 0;
}

}  // namespace

uint32_t CutDeepStacks(ProfileModel* model, StackLists lists, uint64_t most_frames) {
  const std::vector<uint32_t> depths = Depths(*model);
  const std::vector<uint32_t> listed = ListedDepths(*model, lists, depths);
  const uint64_t usual_lists = lists == StackLists::kOnce ? depths.size() : listed.size();
  const uint32_t depth = DepthFor(std::max(most_frames, kFramesPerList * usual_lists), listed);
  if (depth == 0) return 0;
  const int32_t cut_function = AddFunction(model, kCutFunction);
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
    outer.function = cut_function;
    outer.frame = kNoRow;
  }
  return depth;
}

namespace {

// NameSums has the names in the call paths of threads.
struct NameSums {
  uint64_t names = 0, bytes = 0;
};

NameSums SumListedNames(const ProfileModel& model) {
  std::vector<NameSums> paths;  // by stack
  paths.reserve(model.stacks.size());
  for (const ProfileStack& stack : model.stacks) {
    const NameSums caller = stack.prefix == kNoRow ? NameSums() : paths[static_cast<size_t>(stack.prefix)];
    const size_t bytes = model.Text(model.functions[static_cast<size_t>(stack.function)].name).size();
    paths.push_back({caller.names + 1, caller.bytes + bytes});
  }
  NameSums sums;
  std::vector<const ProfileThread*> last_listed(paths.size());
  for (const ProfileThread& thread : model.threads) {
    const size_t bytes = thread.name.size() + model.processes[static_cast<size_t>(thread.process)].name.size();
    for (const ProfileSample& sample : thread.samples) {
      if (sample.stack == kNoRow) continue;
      const auto row = static_cast<size_t>(sample.stack);
      if (std::exchange(last_listed[row], &thread) == &thread) continue;
      sums.names += paths[row].names + 2;
      sums.bytes += paths[row].bytes + bytes;
    }
  }
  return sums;
}

}  // namespace

size_t CutListedNames(ProfileModel* model, uint64_t most_bytes) {
  constexpr uint64_t kNameBytes = 128;
  const NameSums sums = SumListedNames(*model);
  most_bytes = std::max(most_bytes, kNameBytes * sums.names);
  if (sums.bytes <= most_bytes) return 0;
  const size_t length = most_bytes / sums.names;
  for (const ProfileFunction& function : model->functions) {
    std::string& name = model->strings[static_cast<size_t>(function.name)];
    if (name.size() > length) name = CutName(name, length);
  }
  for (ProfileProcess& process : model->processes) process.name = CutName(process.name, length);
  for (ProfileThread& thread : model->threads) thread.name = CutName(thread.name, length);
  return length;
}

namespace {

constexpr char kGapFunction[] = "(gap: ran without samples)";

int32_t NewStack(ProfileModel* model) {
  ProfileStack stack;
  stack.function = AddFunction(model, kGapFunction);
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
