#ifndef GECKOPROF_BASEPROFILER_SAMPLER_SAMPLER_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_SAMPLER_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/base/clock.h"
#include "geckoprof/entries/look_writer.h"
#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/entries/sample_writer.h"
#include "geckoprof/segment/segment.h"
#include "recording/sampler_control.h"
#include "sampler/cycle_clock.h"
#include "sampler/marker_stack_sampler.h"
#include "sampler/module_recorder.h"
#include "sampler/overhead_limit.h"
#include "sampler/sampler_setting.h"
#include "sampler/stack_builder.h"
#include "sampler/thread_list.h"
#include "sampler/thread_sampler.h"

namespace geckoprof {

// Sampler takes samples of all threads until it is told to leave, or must.
//
//   each look:    command -> tick sources -> samples of the threads (ThreadSampler)
//   now and then: lists of threads and of modules, names, another chunk in advance
//   in between:   copies of markers' stacks, tasks of other threads at a tick boundary
//
//   a thread must be asked, or is new   the next look is due after one interval
//   the kernel delivers all samples     after kBatchNs; the look takes them together
//   nothing runs                        after an eighth of the idle time less kShortIdleNs, at most
//                                       kLongestSleepNs; a tick, a new thread or a command wakes the sampler before
//
// Ticks divide the time evenly, whether the sampler is awake at each or not. A look has an absolute deadline at a tick.
// A tick that it misses is skipped and counted. The sampler holds no lock of the process at any time. It never stops a
// thread. The handler copies the thread's stack, and the thread goes on. The recording has what each look has cost
// (LookWriter). A limit of this cost makes the interval longer (OverheadLimit).
//
// Threads: the sampler thread constructs the object and runs it.
// Context: not signal context.
class Sampler {
 public:
  explicit Sampler(const SamplerSetting& setting);

  // Returns when it has to leave, with the reason. After kSingleThreadCall a new thread may call it again.
  StopReason Run();

  MetadataWriter& metadata() { return metadata_; }
  SampleWriter& samples() { return samples_; }

  // Reads `source` at each tick from now on. REQUIRES: at most kMaxSources, and before Run. The source must outlive
  // this object.
  void AddSource(TickSource* source) { sources_[source_count_++] = source; }

  // Takes in threads that announced themselves, late answers, names and the stacks of markers. Then it reads the
  // counters. The caller is at a tick boundary, often the last one.
  void CollectLast();

  // Changes the interval, the duration, the filter, and the recorded features. The duration may count from now on. The
  // rest of the setting must be as it was. The caller is at a tick boundary.
  void Change(const SamplerSetting& setting, bool restarts_duration);

 private:
  static constexpr size_t kMaxSources = 4;
  static constexpr int64_t kScanPauseNs = 10'000'000;
  // While nothing runs, threads are listed again after this time.
  static constexpr int64_t kIdleScanNs = 12 * kNsPerSecond;
  // During this time the sampler puts off work that a short-lived process never profits from.
  static constexpr int64_t kStartUpNs = 3'000'000;

  // The sampler looks for late answers after this time. It waits twice as long before each further look, until it has
  // all. At shorter intervals the next tick collects them.
  static constexpr int64_t kCollectAfterNs = 1'000'000;

  // The sampler takes the samples that the kernel delivers together.
  static constexpr int64_t kBatchNs = 10'000'000;
  // The stack of a new wait is read within so many looks.
  static constexpr uint64_t kLooksAtWait = 6;
  // Idle time that does not make pauses longer. The ends of usual waits are therefore seen within kBatchNs.
  static constexpr int64_t kShortIdleNs = 80'000'000;
  static constexpr int64_t kLongestSleepNs = 4 * kNsPerSecond;
  // Without ticks of the kernel nothing wakes the sampler when a thread begins to run.
  static constexpr int64_t kLongestBlindSleepNs = 100'000'000;

  bool Enter();
  void StartClock();
  int64_t ReadClock();
  // Publishes that the sampler lives, and its CPU time, which is returned.
  int64_t ShowLife(int64_t now_ns);
  int Sleep(uint32_t word, int64_t& deadline_ns);
  // Returns whether the process has slept on, so that a look would find nothing.
  bool HasSleptOn();
  void NoteCommand(SamplerControl::Command command) {
    if (command == SamplerControl::kLeave || command == SamplerControl::kStop) return;
    paused_ = command != SamplerControl::kRun;
    if (paused_) samples_.EndRun();
  }
  // Begins the tick of the deadline, unless it has begun already. Returns whether it did. The first tick of a run
  // begins now, and the deadlines count from there.
  bool BeginTick(int64_t now_ns, int64_t& deadline_ns);
  void ReadSources(int64_t now_ns) {
    for (size_t i = 0; i < source_count_; ++i) sources_[i]->Read(now_ns);
  }
  // Returns the time since the last call, or since the begin of the look.
  int64_t LapNs() {
    const int64_t before_ns = lap_ns_;
    lap_ns_ = MonotonicNs();
    return lap_ns_ - before_ns;
  }
  // Returns the CPU time of all sampler threads of the recording, as of the last ShowLife.
  int64_t OwnCpuNs() const { return static_cast<int64_t>(header_.sampler_cpu_ns.load(std::memory_order_relaxed)); }
  // Returns whether there is a new interval.
  bool ObeyLimit(int64_t now_ns);
  // Ends the interval so far, unless it is the same. `limited_share` is that of MetadataWriter::Interval.
  bool BeginInterval(int64_t interval_ns, int64_t now_ns, int64_t limited_share);
  StopReason RunTicks();
  // Returns whether a tick began.
  bool Tick(int64_t now_ns, int64_t& deadline_ns);
  // Returns whether the recorder has gone and has taken the session directory with it.
  bool IsUnread() const {
    return setting_.is_for_others && !setting_.control->IsSteeredByOwner() && segment_.IsUnlinked();
  }
  void ReleaseAsked();
  StopReason Maintain(int64_t now_ns);
  int64_t PauseBeforeLook(int64_t now_ns) const;
  int64_t NextDeadline(int64_t deadline_ns);
  void SkipMissed(int64_t now_ns, int64_t& deadline_ns);
  void WriteMarkerStacks();
  // Returns the CPU time that the program has used since it was last seen to run, or 0.
  int64_t UnseenCpuNs(int64_t own_cpu_ns) const;
  // Returns whether each thread was looked at since the program last ran, and there was no news.
  bool IsQuiet() const;

  SamplerSetting setting_;
  Segment& segment_;
  SegmentHeader& header_;
  MetadataWriter metadata_;
  SampleWriter samples_;
  LookWriter looks_;
  Look look_;
  int64_t lap_ns_ = 0;
  int64_t samples_ns_ = 0;  // of all looks
  OverheadLimit limit_;
  TickSource* sources_[kMaxSources] = {};
  size_t source_count_ = 0;
  ModuleRecorder modules_;
  ThreadList threads_;
  StackBuilder stacks_;
  CycleClock cycles_;
  ThreadSampler thread_sampler_;
  MarkerStackSampler marker_stacks_;
  int64_t started_ns_ = 0, duration_from_ns_ = 0;
  int64_t next_scan_ns_ = 0;
  uint64_t cpu_before_ns_ = 0;  // CPU time of the threads on which it ran before
  int64_t program_cpu_ns_ = 0;  // of all threads but this one
  int64_t ran_ns_ = 0;          // the last look at which the program had run
  uint64_t quiet_looks_ = 0;    // in a row
  uint64_t threads_seen_ = 0;   // ThreadList::added() at the last look
  int64_t last_look_ns_ = 0;
  int64_t release_before_ns_ = 0;  // the recorder's last request
  bool is_releasing_ = false;      // the request is not finished
  int64_t scanned_ns_ = 0;         // when the threads were last listed
  int64_t ticked_ns_ = 0;          // the deadline of the last tick
  bool paused_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_SAMPLER_H_
