#ifndef GECKOPROF_BASEPROFILER_DETAIL_AUTO_SCOPE_H_
#define GECKOPROF_BASEPROFILER_DETAIL_AUTO_SCOPE_H_

#include "baseprofiler/marker_abi.h"

namespace geckoprof::internal {

// AutoScope records the interval of a scope, without a payload.
class AutoScope {
 public:
  explicit AutoScope(geckoprof_marker_site& site)
      : site_(site), start_(geckoprof_base_wants_markers() != 0 ? geckoprof_base_time() : 0) {}
  ~AutoScope() {
    if (start_ == 0) return;
    geckoprof_base_begin_in_place(&site_, GECKOPROF_MARKER_INTERVAL | GECKOPROF_MARKER_NOW, start_, 0, 0);
  }
  AutoScope(const AutoScope&) = delete;
  AutoScope& operator=(const AutoScope&) = delete;

 private:
  geckoprof_marker_site& site_;
  const geckoprof_time start_;
};

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_AUTO_SCOPE_H_
