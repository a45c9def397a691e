#ifndef GECKOPROF_BASEPROFILER_RECORDING_TICK_SOURCE_H_
#define GECKOPROF_BASEPROFILER_RECORDING_TICK_SOURCE_H_

#include <cstdint>

namespace geckoprof {

// TickSource: something that is measured at each tick besides the stacks of threads.
//
//   a recording begins     each tick                        the recording ends
//   constructor            SampleWriter::BeginTick, Read    destructor
//
// Threads: the sampler thread.
// Context: sampler context. A source must not wait.
class TickSource {
 public:
  // Reads the values and writes those that changed. `now_ns` is the time of the tick.
  virtual void Read(int64_t now_ns) = 0;

 protected:
  ~TickSource() = default;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_RECORDING_TICK_SOURCE_H_
