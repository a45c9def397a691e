// The answers of the full library's functions.
//
// The C++ API of the full library is inline code over its C functions (geckoprofiler/c). No type of the standard
// library crosses the library's boundary, so a program may use another standard library, or other settings of it. The
// functions are hidden, so that two shared objects with different settings do not share one function's code.
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_RESULT_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_RESULT_H_

#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "geckoprofiler/c/geckoprof_full.h"
#include "geckoprofiler/profiler_values.h"

namespace geckoprof {

// A sentence without a full stop, such as "another library controls the recording".
inline const char* ToText(ProfilerStatus status) { return geckoprof_status_text(static_cast<int>(status)); }

// ProfilerOutcome: a status, and a text where there is more to say. True: it is now as was asked for.
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
  ProfilerResult(T value) : value_(std::move(value)) {}                         // NOLINT: implicit, as a return value
  ProfilerResult(ProfilerOutcome error) : error_(std::move(error)) {}           // NOLINT
  ProfilerResult(ProfilerStatus error) : error_(ProfilerOutcome{error, {}}) {}  // NOLINT

  bool ok() const { return static_cast<bool>(error_); }
  const ProfilerOutcome& error() const { return error_; }
  T& value() { return value_; }
  const T& value() const { return value_; }

 private:
  T value_{};
  ProfilerOutcome error_;
};

namespace detail {

GECKOPROF_BEGIN_HIDDEN_

// Calls `function`, which allocates in the program. False: memory ran out, and the program catches exceptions.
template <typename Function>
bool RunUnlessOutOfMemory(const Function& function) {
#if defined(__cpp_exceptions)
  try {
    function();
  } catch (const std::bad_alloc&) {
    return false;
  }
#else
  function();
#endif
  return true;
}

// Returns true for an empty std::function and for a null pointer.
template <typename Callback>
bool IsEmptyCallback(const Callback& callback) {
  if constexpr (std::is_pointer_v<Callback>) {
    return callback == nullptr;
  } else if constexpr (std::is_constructible_v<bool, const Callback&> &&
                       !std::is_convertible_v<const Callback&, bool>) {
    return !static_cast<bool>(callback);
  } else {
    return false;
  }
}

// Calls `call(text, bytes)`, which answers a geckoprof_status and writes its detail there.
template <typename Call>
ProfilerOutcome AskForOutcome(const Call& call) {
  char text[4608];  // the longest path, and what is said of it
  text[0] = '\0';
  ProfilerOutcome outcome;
  outcome.status = static_cast<ProfilerStatus>(call(text, sizeof text));
  if (text[0] == '\0' || std::strcmp(text, ToText(outcome.status)) == 0) return outcome;
  (void)RunUnlessOutOfMemory([&] { outcome.detail = text; });
  return outcome;
}

GECKOPROF_END_VISIBILITY_

}  // namespace detail
}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_RESULT_H_
