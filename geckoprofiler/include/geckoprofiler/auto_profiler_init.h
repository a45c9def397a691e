#ifndef GECKOPROF_GECKOPROFILER_AUTO_PROFILER_INIT_H_
#define GECKOPROF_GECKOPROFILER_AUTO_PROFILER_INIT_H_

#include "geckoprofiler/profiler_control.h"

namespace geckoprof {

// AutoProfilerInit: owns base's recording as long as it lives. Best the first object in main. One that is made while
// the recording is this library's already, such as a nested one, leaves it so.
class AutoProfilerInit {
 public:
  AutoProfilerInit() : was_owner_(profiler_init(this).status == ProfilerStatus::kUnchanged) {}
  ~AutoProfilerInit() {
    if (!was_owner_) profiler_shutdown();
  }
  AutoProfilerInit(const AutoProfilerInit&) = delete;
  AutoProfilerInit& operator=(const AutoProfilerInit&) = delete;

 private:
  const bool was_owner_;
};

}  // namespace geckoprof

#define AUTO_PROFILER_INIT const ::geckoprof::AutoProfilerInit auto_profiler_init

#endif  // GECKOPROF_GECKOPROFILER_AUTO_PROFILER_INIT_H_
