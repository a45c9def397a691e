#include "tools/profile/main_measure.h"

#include <algorithm>

namespace geckoprof {

MainMeasure::MainMeasure(const ProfileModel& model) {
  const auto has_rows = [&model](bool of_bytes) {
    return std::any_of(model.threads.begin(), model.threads.end(), [of_bytes](const ProfileThread& thread) {
      return !thread.samples.empty() && (thread.weight_unit == ProfileWeightUnit::kBytes) == of_bytes;
    });
  };
  in_bytes_ = has_rows(true) && !has_rows(false);
}

}  // namespace geckoprof
