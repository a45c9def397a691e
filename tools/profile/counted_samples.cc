#include "tools/profile/counted_samples.h"

#include <algorithm>
#include <cmath>

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

MainMeasure::MainMeasure(const ProfileModel& model) {
  const auto has_rows = [&model](bool of_bytes) {
    return std::any_of(model.threads.begin(), model.threads.end(), [of_bytes](const ProfileThread& thread) {
      return !thread.samples.empty() && (thread.weight_unit == ProfileWeightUnit::kBytes) == of_bytes;
    });
  };
  in_bytes_ = has_rows(true) && !has_rows(false);
}

int64_t WholeCounts::Next(double weight) {
  constexpr long double kMost = 9e18L;
  total_ = std::min(total_ + weight, kMost);
  const int64_t count = std::llround(total_) - given_;
  given_ += count;
  return count;
}

}  // namespace geckoprof
