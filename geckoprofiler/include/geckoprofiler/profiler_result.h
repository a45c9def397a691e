// What the functions of the full library answer.
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_RESULT_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_RESULT_H_

#include <cstdint>
#include <string>
#include <utility>

#pragma GCC visibility push(default)

namespace geckoprof {

enum class ProfilerStatus : uint8_t {
  kDone,
  kUnchanged,         // it was so already
  kInactive,          // nothing is recorded
  kGenerationFailed,  // the profile could not be made
  kCannotWrite,       // ... or not be written to where it should go
  kBadArgument,
  // Why the recording is not ours to control; base goes on as it was.
  kNoBase,        // libbaseprofiler.so is not in this process, or is older than the table of the handover
  kBaseUnusable,  // its table is damaged, or too small for what this library cannot do without
  kOtherVersion,  // its table means something else
  kOldBase,       // its table lacks what this call needs
  kOwned,         // another copy of this library controls it
  kTimeout,       // the sampler did not come to the end of a tick in time
  // Asked on a thread that would have to wait for itself: after sampling, in a handler of a signal or an allocator that
  // interrupted this library; or in the child of a vfork.
  kWrongThread,
  // Why nothing could be started.
  kExcluded,   // the filters exclude this process
  kNoSegment,  // no memory or space for the segment
  kNoThread,   // the kernel allows no further thread
  kRefused,    // base answered with what this version does not know, or cannot do it
  // Why a thread could not be sampled.
  kThreadGone,  // this process has none of this id
  kThreadDeaf,  // it runs, and the profiler's signals may not be sent to it: blocked, or ignored by the program
  // There was not enough memory for the call; the recording goes on.
  kNoMemory,
};

// A sentence without a full stop: "another library controls the recording".
const char* ToText(ProfilerStatus status);

// ProfilerOutcome: a status, and where there is more to say than it, a text. True: it is now as was asked for.
struct ProfilerOutcome {
  ProfilerStatus status = ProfilerStatus::kDone;
  std::string detail = {};

  explicit operator bool() const { return status <= ProfilerStatus::kUnchanged; }
  std::string Text() const { return detail.empty() ? std::string(ToText(status)) : detail; }
};

// ProfilerResult: a value, or the outcome that says why there is none.
template <typename T>
class ProfilerResult {
 public:
  ProfilerResult(T value) : value_(std::move(value)) {}                     // NOLINT: implicit, as a return value
  ProfilerResult(ProfilerOutcome error) : error_(std::move(error)) {}       // NOLINT
  ProfilerResult(ProfilerStatus error) : error_(ProfilerOutcome{error}) {}  // NOLINT

  bool ok() const { return static_cast<bool>(error_); }
  const ProfilerOutcome& error() const { return error_; }
  T& value() { return value_; }
  const T& value() const { return value_; }

 private:
  T value_{};
  ProfilerOutcome error_;
};

}  // namespace geckoprof

#pragma GCC visibility pop

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_RESULT_H_
