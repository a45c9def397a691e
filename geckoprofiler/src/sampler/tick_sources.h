#ifndef GECKOPROF_GECKOPROFILER_SAMPLER_TICK_SOURCES_H_
#define GECKOPROF_GECKOPROFILER_SAMPLER_TICK_SOURCES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "geckoprof/base/recursive_lock.h"
#include "runtime/fork_holds.h"
#include "sampler/source_thread.h"
#include "sampler/tick_source.h"

namespace geckoprof {

// TickSources: the tick sources of this library, with their threads and one lock for all.
//
// The threads are this library's own. No profile shows them, and their CPU time keeps no sampler awake (OwnerTable).
// They end with the recording. When the program's last thread ends, base ends the recording, so they keep no process
// alive.
//
// Invariant: sources are added while nothing is recorded, before the first Update.
// Threads: any, but for Tick and NoteEnded, which are the sampler's. Context: not signal context.
// Lock: its holder may start a thread and read files. It calls no function of the program.
class TickSources {
 public:
  static constexpr uint32_t kMostThreads = 5;

  // `own_threads` has kMostThreads words for OwnerTable::own_thread. The threads add their CPU time to `own_cpu_ns`.
  TickSources(std::atomic<int32_t>* own_threads, std::atomic<int64_t>* own_cpu_ns)
      : tids_(own_threads), cpu_ns_(*own_cpu_ns) {}
  TickSources(const TickSources&) = delete;
  TickSources& operator=(const TickSources&) = delete;

  void Add(TickSource* source) { sources_[source_count_++] = source; }
  // Returns one more thread, which is not started.
  SourceThread& AddThread(const SourceThread::Work& work);
  RecursiveLock& lock() { return lock_; }

  // States that a recording with this start runs and belongs to this library, or that there is none (0).
  bool IsOn(int64_t started_ns);
  void Update(int64_t started_ns, const TickSource::Recording& recording);

  // The sampler has completed a tick, in which it sampled.
  void Tick(int64_t tick_ns) {
    if (!reads_.load(std::memory_order_acquire)) return;
    for (size_t i = 0; i < source_count_; ++i) sources_[i]->Read(tick_ns);
  }
  // The recording has ended by itself. The threads end.
  void NoteEnded() {
    for (size_t i = 0; i < thread_count_; ++i) threads_[i].RequestEnd();
  }

  // From StepAside to StepBack there is no thread, unless it is in a function of the program that takes long.
  void StepAside();
  void StepBack();
  // Waits for threads that end, but not for functions of the program that take long.
  void AwaitThreads();

  bool BeforeFork() { return ForkHolds::TryLockFor(lock_); }
  // `held` is the result of BeforeFork. `is_recorded` tells if a recording goes on in a child.
  void AfterFork(bool in_child, bool held, bool is_recorded, int64_t started_ns);

 private:
  static constexpr size_t kMostSources = 4;
  static constexpr int64_t kPatienceNs = 200'000'000;

  void Begin(int64_t started_ns, const TickSource::Recording& recording);
  void End();

  RecursiveLock lock_;
  TickSource* sources_[kMostSources] = {};
  size_t source_count_ = 0;
  SourceThread threads_[kMostThreads];
  std::atomic<int32_t>* const tids_;
  size_t thread_count_ = 0;
  std::atomic<int64_t>& cpu_ns_;    // relaxed
  std::atomic<bool> reads_{false};  // release: the sources have begun
  // Guarded by lock_.
  int64_t started_ns_ = 0;  // of the recording; 0: there is none
  uint32_t aside_ = 0;      // StepAsides without their StepBack
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_SAMPLER_TICK_SOURCES_H_
