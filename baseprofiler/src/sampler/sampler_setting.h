#ifndef GECKOPROF_BASEPROFILER_SAMPLER_SAMPLER_SETTING_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_SAMPLER_SETTING_H_

#include <cstdint>

#include "geckoprof/segment/segment.h"
#include "geckoprof/segment/segment_format.h"
#include "geckoprof/signal/capture_handler.h"
#include "recording/sampler_control.h"
#include "sampler/thread_list.h"

namespace geckoprof {

// SamplerSetting: the parameters of the sampler at its start. The objects behind the pointers live as long as the
// process.
struct SamplerSetting {
  Segment* segment;
  CaptureTable* table;
  SamplerControl* control;
  uintptr_t syscall_return;     // CaptureTable::own_syscall_return
  ThreadList::Setting threads;  // the sampler fills in sampler, metadata and header
  int64_t interval_ns;
  int64_t duration_ns;      // 0: no end
  uint32_t overhead_limit;  // OverheadLimit
  SampleClock best_clock;   // better ones are not used
  bool native_stacks;
  bool any_stacks;
  bool cpu;
  bool is_for_others;  // the process itself does not use the recording
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_SAMPLER_SETTING_H_
