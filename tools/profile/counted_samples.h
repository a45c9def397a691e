#ifndef GECKOPROF_TOOLS_PROFILE_COUNTED_SAMPLES_H_
#define GECKOPROF_TOOLS_PROFILE_COUNTED_SAMPLES_H_

#include <cstdint>

#include "tools/profile/profile_model.h"

namespace geckoprof {

// IdleRule tells which rows of a thread's samples say that the thread did not run. A row is idle if the file says that
// the thread waited. It is also idle if the thread used no CPU time since the row before. In a file without CPU times,
// a row of the category "Idle" is idle.
//
// Lifetime: a view of the model.
class IdleRule {
 public:
  explicit IdleRule(const ProfileModel& model);

  bool IsIdle(const ProfileSample& sample) const;

 private:
  const ProfileModel& model_;
  int32_t idle_category_;
};

// The function "(root)", with which every recorded stack begins: it says nothing of the program.
bool IsRootFunction(const ProfileModel& model, int32_t function);

// MainMeasure: which threads' rows are what a profile is counted in. Bytes of allocations are no samples and never
// added to them. Samples or traced ms are counted if there are any, and threads that weigh bytes are told of apart.
// Bytes are counted only if there is nothing else. Lifetime:  no view of the model.
class MainMeasure {
 public:
  explicit MainMeasure(const ProfileModel& model);

  bool in_bytes() const { return in_bytes_; }
  bool Has(const ProfileThread& thread) const { return (thread.weight_unit == ProfileWeightUnit::kBytes) == in_bytes_; }

 private:
  bool in_bytes_;
};

// WholeCounts makes weights, which may have fractions, into the whole numbers that a format wants. Their sum is the sum
// of the weights, rounded. Each is less than 1 from its weight.
class WholeCounts {
 public:
  // The weight is not negative. Sums stay below 2^63.
  int64_t Next(double weight);

 private:
  long double total_ = 0;
  int64_t given_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_COUNTED_SAMPLES_H_
