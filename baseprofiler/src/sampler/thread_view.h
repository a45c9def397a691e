#ifndef GECKOPROF_BASEPROFILER_SAMPLER_THREAD_VIEW_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_THREAD_VIEW_H_

#include <cstdint>

#include "geckoprof/base/ids.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/entries/wait_cause.h"
#include "sampler/blocked_thread_reader.h"

namespace geckoprof {

struct SampledThread;

// CpuAtTime: a reading of a thread's CPU clock and its time.
struct CpuAtTime {
  int64_t cpu_ns;  // negative: the thread has ended
  int64_t time_ns;
};

// ThreadView: the clocks, and what the kernel shows of a thread without the thread's help. The sampler sees threads
// through it alone. KernelThreadView is the real one. Tests have views of threads that do not exist.
//
// Threads: one, the sampler's.
class ThreadView {
 public:
  virtual int64_t NowNs() = 0;
  // Returns the thread's CPU clock. It is negative if the thread has ended.
  virtual int64_t CpuNs(ThreadId tid) = 0;
  // Tells if the thread runs. If it is blocked, `place` receives where.
  virtual BlockedThreadReader::State ReadPlace(const SampledThread& thread, BlockedThreadReader::Place& place) = 0;
  // Returns the time for which the thread has waited for a core since its begin, or -1 if the kernel does not count it.
  // `has_run` says that the thread has used CPU time.
  virtual int64_t ReadyNs(const SampledThread& thread, bool has_run) = 0;
  // Returns what a thread that is blocked at `place` waits for.
  virtual WaitCause CauseAt(const SampledThread& thread, const BlockedThreadReader::Place& place) = 0;
  // Returns the same, with the lock and the thread that holds it.
  virtual Wait WaitAt(const SampledThread& thread, const BlockedThreadReader::Place& place) = 0;
  // Returns the thread's signal mask.
  virtual KernelSignalSet BlockedSignals(ThreadId tid) = 0;
  // Returns the signals that are pending for the thread alone.
  virtual KernelSignalSet PendingSignals(ThreadId tid) = 0;

  // Reads both clocks within a few microseconds, if the sampler keeps its core at least now and then.
  CpuAtTime ReadCpu(ThreadId tid) { return CompleteCpu(tid, CpuNs(tid)); }
  // Completes a reading of the thread's CPU clock that was made after the last reading of the time.
  CpuAtTime CompleteCpu(ThreadId tid, int64_t cpu_ns);
  // Notes that the time was read by other means.
  void NoteTime(int64_t now_ns) { read_ns_ = now_ns; }

 protected:
  ~ThreadView() = default;

 private:
  int64_t read_ns_ = 0;  // the last reading of the time
};

inline CpuAtTime ThreadView::CompleteCpu(ThreadId tid, int64_t cpu_ns) {
  constexpr int kTries = 4;  // the first reading of the time may be old
  constexpr int64_t kAtOnceNs = 5'000;
  for (int i = 1;; ++i) {
    const int64_t before_ns = read_ns_;
    read_ns_ = NowNs();
    if (read_ns_ - before_ns < kAtOnceNs || i == kTries) return {cpu_ns, read_ns_};
    cpu_ns = CpuNs(tid);
  }
}

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_THREAD_VIEW_H_
