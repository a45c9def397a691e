#include "tools/profile/idle_rule.h"

#include <algorithm>

namespace geckoprof {

IdleRule::IdleRule(const ProfileModel& model) : model_(model) {
  const auto idle = std::find(model.categories.begin(), model.categories.end(), "Idle");
  idle_category_ = idle == model.categories.end() ? kNoRow : static_cast<int32_t>(idle - model.categories.begin());
}

bool IdleRule::IsIdle(const ProfileSample& sample) const {
  if (sample.state != SampleState::kRunning) return true;
  if (sample.cpu_ns >= 0) return sample.cpu_ns == 0;
  return idle_category_ != kNoRow && sample.stack != kNoRow &&
         model_.stacks[static_cast<size_t>(sample.stack)].category == idle_category_;
}

bool IsRootFunction(const ProfileModel& model, int32_t function) {
  const ProfileFunction& row = model.functions[static_cast<size_t>(function)];
  return row.library == kNoRow && model.strings[static_cast<size_t>(row.name)] == "(root)";
}

}  // namespace geckoprof
