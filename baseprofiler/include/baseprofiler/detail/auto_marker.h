#ifndef GECKOPROF_BASEPROFILER_DETAIL_AUTO_MARKER_H_
#define GECKOPROF_BASEPROFILER_DETAIL_AUTO_MARKER_H_

#include <utility>

#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_options.h"

namespace geckoprof::internal {

// With payload: `add(options)` is called at the scope's end, if markers were wanted at its begin.
template <typename Add>
class AutoMarker {
 public:
  AutoMarker(const MarkerOptions& options, Add add)
      : add_(std::move(add)), options_(options), wanted_(geckoprof_base_wants_markers() != 0) {
    if (wanted_ && !options_.HasTiming()) start_ = TimeStamp::Now();
  }
  __attribute__((always_inline)) ~AutoMarker() {  // a stack that is captured begins with the scope's function
    if (!wanted_) return;
    if (!options_.HasTiming()) options_.Set(MarkerTiming::IntervalUntilNowFrom(start_));
    add_(options_);
  }
  AutoMarker(const AutoMarker&) = delete;
  AutoMarker& operator=(const AutoMarker&) = delete;

 private:
  Add add_;
  MarkerOptions options_;
  const bool wanted_;
  TimeStamp start_;
};

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_AUTO_MARKER_H_
