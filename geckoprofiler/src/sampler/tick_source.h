#ifndef GECKOPROF_GECKOPROFILER_SAMPLER_TICK_SOURCE_H_
#define GECKOPROF_GECKOPROFILER_SAMPLER_TICK_SOURCE_H_

#include <cstdint>

namespace geckoprof {

// TickSource: something that this library measures at ticks of base's sampler. A source is one folder of src, and has
// its threads from TickSources.
//
//   this library owns a recording      each tick that samples       it ends, or is handed back
//   Begin                              Read --> SourceThread        End
//
// Values become counters (WrittenCounter). Base writes them into the segment at the next tick, so they survive SIGKILL.
//
// Threads: the sampler calls Read. The other functions are called with the lock of TickSources held.
class TickSource {
 public:
  // The facts about a recording.
  struct Recording {
    bool is_counted_by_recorder = false;  // `geckoprof record` reads what this process uses
  };

  virtual void Begin(const Recording& recording) = 0;
  // Takes at most a microsecond. Work that may take longer belongs on a SourceThread.
  // Context: the sampler's. No libc, no memory, no lock, no thread_local.
  virtual void Read(int64_t tick_ns) = 0;
  // It does not wait for functions of the program.
  virtual void End() = 0;
  // Only the forking thread is in this process. If the lock was not `held`, another thread was changing the members.
  virtual void AfterForkInChild(bool held) = 0;

 protected:
  ~TickSource() = default;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_SAMPLER_TICK_SOURCE_H_
