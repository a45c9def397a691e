#ifndef GECKOPROF_GECKOPROFILER_AUTO_PROFILER_INIT_H_
#define GECKOPROF_GECKOPROFILER_AUTO_PROFILER_INIT_H_

#include "geckoprofiler/profiler_control.h"

namespace geckoprof {

// AutoProfilerInit: owns base's recording as long as it lives. Best the first object in main.
class AutoProfilerInit {
 public:
  AutoProfilerInit() { profiler_init(this); }
  ~AutoProfilerInit() { profiler_shutdown(); }
  AutoProfilerInit(const AutoProfilerInit&) = delete;
  AutoProfilerInit& operator=(const AutoProfilerInit&) = delete;
};

}  // namespace geckoprof

#define AUTO_PROFILER_INIT const ::geckoprof::AutoProfilerInit auto_profiler_init

#endif  // GECKOPROF_GECKOPROFILER_AUTO_PROFILER_INIT_H_
