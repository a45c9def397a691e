// What a thread does at a sample, what it waits for, and how outputs call that.
#ifndef GECKOPROF_ENTRIES_WAIT_CAUSE_H_
#define GECKOPROF_ENTRIES_WAIT_CAUSE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "geckoprof/base/ids.h"

namespace geckoprof {

// What a thread did. The numbers are part of the profile's format.
enum class SampleState : uint8_t {
  kRunning = 0,
  kReady = 1,    // it waited for a core
  kWaiting = 2,  // it waited for something else, see WaitCause
};

// The first row of a wait has this number in the formats, in place of kWaiting.
inline constexpr int64_t kBeginsToWait = 3;

// What a thread waits for. The numbers are part of the segment's format and of the profile's. New causes go to the end.
enum class WaitCause : uint8_t {
  kNone = 0,       // the thread does not wait
  kLock = 1,       // a mutex or a read-write lock
  kCondition = 2,  // a condition variable, a semaphore, a barrier, the end of a thread
  kSleep = 3,      // a time or a signal
  kPoll = 4,       // one of several descriptors
  kFile = 5,
  kSocket = 6,
  kPipe = 7,
  kChild = 8,      // the end of a child process
  kPageFault = 9,  // a page of memory
  kOther = 10,     // another system call, or an unknown one
};

// The names that users see, by number. They are also the names of subcategories in profiles.
inline constexpr std::array<std::string_view, 11> kWaitCauseNames = {
    "", "lock", "condition", "sleep", "poll", "file", "socket", "pipe", "child", "page fault", "other"};

constexpr std::string_view NameOf(WaitCause cause) { return kWaitCauseNames[static_cast<size_t>(cause)]; }

// Returns the cause of a waiting thread that a file names by number. A later version may have written another one.
constexpr WaitCause WaitCauseFromNumber(uint64_t number) {
  return number > 0 && number < kWaitCauseNames.size() ? static_cast<WaitCause>(number) : WaitCause::kOther;
}

// Wait says what one thread waits for at one time.
struct Wait {
  WaitCause cause = WaitCause::kNone;
  uint64_t lock_address = 0;  // of kLock; 0: unknown
  ThreadIndex holder = {};    // the thread that holds the lock, if it is known
};

}  // namespace geckoprof

#endif  // GECKOPROF_ENTRIES_WAIT_CAUSE_H_
