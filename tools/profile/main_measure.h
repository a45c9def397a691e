#ifndef GECKOPROF_TOOLS_PROFILE_MAIN_MEASURE_H_
#define GECKOPROF_TOOLS_PROFILE_MAIN_MEASURE_H_

#include "tools/profile/profile_model.h"

namespace geckoprof {

// MainMeasure: which threads' rows are what a profile is counted in. Bytes of allocations are no samples and never
// added to them: where there are samples (or traced ms), those are counted, and threads that weigh bytes are told of
// apart; only where there is nothing but bytes, they are counted. Lifetime:  no view of the model.
class MainMeasure {
 public:
  explicit MainMeasure(const ProfileModel& model);

  bool in_bytes() const { return in_bytes_; }
  bool Has(const ProfileThread& thread) const { return (thread.weight_unit == ProfileWeightUnit::kBytes) == in_bytes_; }

 private:
  bool in_bytes_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_MAIN_MEASURE_H_
