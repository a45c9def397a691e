#ifndef GECKOPROF_TOOLS_REPORT_LOCK_WAITS_H_
#define GECKOPROF_TOOLS_REPORT_LOCK_WAITS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/profile/profile_model.h"

namespace geckoprof {

// A wait that the feature `locks` has recorded, or the sum of several short ones.
struct LockWaitFigures {
  std::string_view kind;       // "mutex", "rwlock", "condition", ...
  std::string_view address;    // "0x7f001230", or "others" if there were too many locks
  int32_t lock_wait = kNoRow;  // row of the model's lock_waits; kNoRow: it is a sum
  int32_t stack = kNoRow;      // row of the model's stacks: the waiting thread's
  double begin_ms = 0, end_ms = 0;
  int64_t waits = 1;
  int64_t total_ns = 0, longest_ns = 0;

  bool is_sum() const { return lock_wait == kNoRow; }
  // Returns whether the thread waited for a lock that another thread had. Otherwise it waited for an event.
  bool IsContention() const { return kind == "mutex" || kind == "rwlock"; }
};

// Returns the waits and the sums of a thread, in order of their ends. The result refers to the texts of the model. It
// is empty unless the model was loaded with ProfileDetail::kFull.
std::vector<LockWaitFigures> LockWaitsOf(const ProfileModel& model, const ProfileThread& thread);

// Returns whether the model has such waits or sums, in any thread.
bool HasLockWaits(const ProfileModel& model);

// Returns a sentence about the markers "LockWait" and "lock wait", which are of the same waits. It is empty if the
// model lacks one of them.
std::string LockMarkersText(const ProfileModel& model);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_LOCK_WAITS_H_
