#ifndef GECKOPROF_TOOLS_PROFILE_IDLE_RULE_H_
#define GECKOPROF_TOOLS_PROFILE_IDLE_RULE_H_

#include <cstdint>

#include "tools/profile/profile_model.h"

namespace geckoprof {

// IdleRule: which rows of a thread's samples say that it did not run. A row is idle if the thread used no CPU time
// since the row before; without CPU times, if its category is "Idle". Lifetime:  a view of the model.
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

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_IDLE_RULE_H_
