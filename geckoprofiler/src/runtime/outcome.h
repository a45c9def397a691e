#ifndef GECKOPROF_GECKOPROFILER_RUNTIME_OUTCOME_H_
#define GECKOPROF_GECKOPROFILER_RUNTIME_OUTCOME_H_

#include <string>
#include <utility>

#include "geckoprofiler/profiler_values.h"

namespace geckoprof {

// A sentence without a full stop, such as "another library controls the recording". Static.
const char* StatusText(ProfilerStatus status);

// Outcome: a status, and a text where there is more to say. True: it is now as was asked for.
struct Outcome {
  ProfilerStatus status = ProfilerStatus::kDone;
  std::string detail = {};

  explicit operator bool() const { return status <= ProfilerStatus::kUnchanged; }
  std::string Text() const { return detail.empty() ? std::string(StatusText(status)) : detail; }
};

// Result: a value, or the outcome that says why there is none.
template <typename T>
class Result {
 public:
  Result(T value) : value_(std::move(value)) {}                 // NOLINT: implicit, as a return value
  Result(Outcome error) : error_(std::move(error)) {}           // NOLINT
  Result(ProfilerStatus error) : error_(Outcome{error, {}}) {}  // NOLINT

  bool ok() const { return static_cast<bool>(error_); }
  const Outcome& error() const { return error_; }
  T& value() { return value_; }
  const T& value() const { return value_; }

 private:
  T value_{};
  Outcome error_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_RUNTIME_OUTCOME_H_
