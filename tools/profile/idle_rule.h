#ifndef GECKOPROF_TOOLS_PROFILE_IDLE_RULE_H_
#define GECKOPROF_TOOLS_PROFILE_IDLE_RULE_H_

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

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_IDLE_RULE_H_
