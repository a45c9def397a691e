#include "geckoprof/json/failure_latch.h"

namespace geckoprof {

void FailureLatch::SetFailure(std::string_view failure) {
  if (origin_ != nullptr) {
    origin_->SetFailure(failure);
    return;
  }
  if (!fallible_ || failed_) return;
  failed_ = true;
  failure_ = failure;
}

void FailureLatch::SetFailureFrom(const FailureLatch& other) {
  if (&other != this && other.failed()) SetFailure(other.failure());
}

}  // namespace geckoprof
