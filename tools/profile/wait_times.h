#ifndef GECKOPROF_TOOLS_PROFILE_WAIT_TIMES_H_
#define GECKOPROF_TOOLS_PROFILE_WAIT_TIMES_H_

#include <cstdint>

#include "tools/profile/profile_model.h"

namespace geckoprof {

// Returns whether the times of a thread are known: how long it ran, waited for a core, and waited.
bool HasWaitTimes(const ProfileThread& thread);

// Gives each sample its time of waiting, and each wait for a lock the holder's name and stack. These waits are those of
// samples, and the markers "LockWait", which get a row of the model's lock_waits here. It must be called once for a
// model that was read, before anything is taken out of it.
//
// The holder of a sample's wait has the stack of its sample that is nearest to the middle of the wait. The times of a
// marker are exact. Its holder has the stack of its first sample in the wait, or that at which it waited itself.
//
// The time between two samples of a thread is what it ran, what it waited for a core, and what it waited. The last is
// the rest. It belongs to the earlier sample if the thread waited then. Otherwise the waits had no stack, and they have
// the cause of the thread's next wait.
//
//   running      waiting: lock                  running      running      waiting: poll
//      |            |                              |            |              |
//      |-- short ---|------------ wait ------------|-- short ---|--- short ----|
//       lock                                        poll         poll
//
// A waiting sample has no CPU time, so a later one may have more than the time that has passed. The waits just before
// it are then shorter. The parts of each thread therefore add up to the time from its first sample to its last.
void CompleteWaits(ProfileModel* model);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_WAIT_TIMES_H_
