#ifndef GECKOPROF_BASEPROFILER_SAMPLER_SAMPLER_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_SAMPLER_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/entries/sample_writer.h"
#include "geckoprof/segment/segment.h"
#include "recording/sampler_control.h"
#include "recording/tick_source.h"
#include "sampler/cycle_clock.h"
#include "sampler/marker_stack_sampler.h"
#include "sampler/module_recorder.h"
#include "sampler/sampler_setting.h"
#include "sampler/stack_builder.h"
#include "sampler/thread_list.h"
#include "sampler/thread_sampler.h"

namespace geckoprof {

// Sampler: takes samples of all threads until it is told to leave or has to.
//
//   each tick:    command -> tick sources -> samples of the threads (ThreadSampler)
//   now and then: lists of threads and of modules, names, another chunk in advance
//   in between:   copies of markers' stacks, tasks of other threads at a tick boundary
//
// Invariants: each tick has an absolute deadline. A missed tick is skipped and counted. The sampler never holds a lock
// of the process, and it never stops a thread. The handler copies and returns.
// Threads: the sampler thread constructs it and calls Run.
// Context: not signal context.
class Sampler {
 public:
  explicit Sampler(const SamplerSetting& setting);

  // Runs until it has to leave, and returns the reason. After kSingleThreadCall it may be called again on a new thread.
  StopReason Run();

  MetadataWriter& metadata() { return metadata_; }
  SampleWriter& samples() { return samples_; }

  // Reads `source` at each tick from now on. REQUIRES: at most kMostSources, and before Run. The source must outlive
  // this object.
  void AddSource(TickSource* source) { sources_[source_count_++] = source; }

  // Takes in announced threads, late answers, names and the stacks of markers, and reads the tick sources, between two
  // ticks. A stop calls it for the last time. REQUIRES: a tick boundary.
  void TakeLast();

  // Changes the interval, the filter, the recorded data, and the duration, which counts from now on. All other members
  // must be unchanged. REQUIRES: a tick boundary.
  void Change(const SamplerSetting& setting);

 private:
  static constexpr size_t kMostSources = 4;
  static constexpr int64_t kScanPauseNs = 10'000'000;
  // During the start-up, work is put off from which a short process would not profit.
  static constexpr int64_t kStartUpNs = 3'000'000;

  // After this time late answers are collected. At a shorter interval the next tick collects them.
  static constexpr int64_t kCollectAfterNs = 1'000'000;

  bool Enter();
  void StartClock();
  int64_t ReadClock();
  int Sleep(uint32_t word, int64_t& deadline_ns);
  void NoteCommand(SamplerControl::Command command) {
    if (command == SamplerControl::kLeave || command == SamplerControl::kStop) return;
    paused_ = command != SamplerControl::kRun;
    if (paused_) samples_.EndRun();
  }
  void BeginTick(int64_t now_ns);
  void ReadSources(int64_t now_ns) {
    for (size_t i = 0; i < source_count_; ++i) sources_[i]->Read(now_ns);
  }
  StopReason RunTicks();
  void Tick(int64_t now_ns);
  // Returns true if the recorder has gone and its session directory is removed.
  bool IsUnread() const {
    return setting_.is_for_others && setting_.control->owner.load(std::memory_order_relaxed) == nullptr &&
           segment_.IsUnlinked();
  }
  StopReason Maintain(int64_t now_ns);
  int64_t NextDeadline(int64_t deadline_ns);

  SamplerSetting setting_;
  Segment& segment_;
  SegmentHeader& header_;
  MetadataWriter metadata_;
  SampleWriter samples_;
  TickSource* sources_[kMostSources] = {};
  size_t source_count_ = 0;
  ModuleRecorder modules_;
  ThreadList threads_;
  StackBuilder stacks_;
  CycleClock cycles_;
  ThreadSampler thread_sampler_;
  MarkerStackSampler marker_stacks_;
  int64_t started_ns_ = 0, duration_from_ns_ = 0;
  int64_t next_scan_ns_ = 0;
  uint64_t cpu_before_ns_ = 0;  // of the threads on which the sampler ran before
  bool paused_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_SAMPLER_H_
