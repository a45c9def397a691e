#ifndef GECKOPROF_JSON_FAILURE_LATCH_H_
#define GECKOPROF_JSON_FAILURE_LATCH_H_

#include <string>
#include <string_view>

namespace geckoprof {

// FailureLatch: remembers the first thing that went wrong while a profile is written, so that the writer's hundreds of
// calls need no check each and the caller asks once at the end. It is not a log: later failures are dropped, they are
// consequences.
//
// Three forms, told apart at construction:
//   FailureLatch()              fallible: keeps the first failure
//   FailureLatch::Infallible()  never fails: for output that cannot (a string in memory), SetFailure is ignored
//   FailureLatch::ProxyOf(l)    forwards to `l`, also after `l` was assigned to; to an infallible one if `l` is null
//
// Threads: one at a time. Lifetime: a proxy's origin must outlive it.
class FailureLatch {
 public:
  FailureLatch() = default;
  static FailureLatch Infallible() { return FailureLatch(/*fallible=*/false, nullptr); }
  static FailureLatch ProxyOf(FailureLatch* origin) { return FailureLatch(origin != nullptr, origin); }

  bool fallible() const { return origin_ != nullptr ? origin_->fallible() : fallible_; }
  bool failed() const { return origin_ != nullptr ? origin_->failed() : failed_; }
  // Empty unless failed. A failure may also have an empty text.
  const std::string& failure() const { return origin_ != nullptr ? origin_->failure() : failure_; }

  // The first call wins.
  void SetFailure(std::string_view failure);
  // Takes over `other`'s failure if it has one and this latch has none. `other` may be this latch.
  void SetFailureFrom(const FailureLatch& other);

 private:
  FailureLatch(bool fallible, FailureLatch* origin) : origin_(origin), fallible_(fallible) {}

  FailureLatch* origin_ = nullptr;
  bool fallible_ = true;
  bool failed_ = false;
  std::string failure_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_JSON_FAILURE_LATCH_H_
