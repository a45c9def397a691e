#ifndef GECKOPROF_CONTROL_PROCESS_COUNTERS_H_
#define GECKOPROF_CONTROL_PROCESS_COUNTERS_H_

#include <cstddef>
#include <cstdint>

#include "geckoprof/control/process_usage.h"

namespace geckoprof {

// ProcessCounter is a counter of a process that profiles have, whether the recorder or the full library reads it.
struct ProcessCounter {
  uint64_t ProcessUsage::*value;
  bool is_rate;   // a count since the start of the process; otherwise a level
  int64_t parts;  // of the unit, that the value counts
  const char* name;
  const char* category;
  const char* unit;
  const char* description;
};

inline constexpr size_t kProcessCounterCount = 8;
extern const ProcessCounter kProcessCounters[kProcessCounterCount];

}  // namespace geckoprof

#endif  // GECKOPROF_CONTROL_PROCESS_COUNTERS_H_
