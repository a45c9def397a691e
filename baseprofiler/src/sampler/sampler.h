#ifndef GECKOPROF_BASEPROFILER_SAMPLER_SAMPLER_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_SAMPLER_H_

#include <atomic>
#include <cstdint>
#include <span>

#include "counters/counter_sampler.h"
#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/entries/sample_writer.h"
#include "geckoprof/segment/segment.h"
#include "markers/marker_stack_sampler.h"
#include "sampler/blocked_thread_reader.h"
#include "sampler/capture_pool.h"
#include "sampler/cycle_clock.h"
#include "sampler/module_recorder.h"
#include "sampler/sampler_control.h"
#include "sampler/signal_choice.h"
#include "sampler/stack_builder.h"
#include "sampler/thread_list.h"

namespace geckoprof {

// Everything the sampler is told at its start. The pointees live as long as the process.
struct SamplerSetting {
  Segment* segment;
  CaptureTable* table;
  SamplerControl* control;
  ThreadList::Setting threads;  // sampler, metadata and header are filled in by the sampler
  int64_t interval_ns;
  int64_t duration_ns;  // 0: no end
  bool native_stacks;
  bool any_stacks;
  bool cpu;
  bool is_for_others;  // the process itself does nothing with what is recorded
};

// Sampler: takes samples of all threads until it is told to leave, or must.
//
//   each tick:   late answers -> who ran? -> blocked ones read, running ones signalled -> answers -> write
//   now and then: list of threads, of modules, names, another chunk ahead
//
// A tick is at an absolute deadline; one that is missed is skipped and counted. Threads are signalled all at once and
// answer whenever they can: an answer that is not there after a few microseconds is collected at the next tick. It
// holds no lock of the process at any time, and no thread is ever stopped: the handler copies and goes on. Threads: Run
// on the sampler thread; constructed there too. Context: not signal context.
class Sampler {
 public:
  explicit Sampler(const SamplerSetting& setting);

  // Returns when it has to leave, with the reason. May be called again, on a new thread, after kSingleThreadCall.
  StopReason Run();

  MetadataWriter& metadata() { return metadata_; }

  // Takes in threads that announced themselves, names, the stacks of markers, and reads the counters, between two
  // ticks: for the last time, say. At a tick boundary.
  void TakeLast();

  // Another interval, duration (from now on), filter, and what is recorded; the rest must be as it was. At a tick
  // boundary.
  void Change(const SamplerSetting& setting);

 private:
  // How long to spin for the answers of threads that run right now: delivery and a copy of 16 KiB take 5 to 8 us.
  static constexpr int64_t kSpinNs = 25'000;
  // Less CPU than this since the baseline is our own handler's, or noise (preload-facts: an idle thread was sampled for
  // ever).
  static constexpr int64_t kRanThresholdNs = 20'000;
  static constexpr int64_t kScanPauseNs = 10'000'000;
  // Until then work is put off that a short-lived process would never profit from.
  static constexpr int64_t kStartUpNs = 3'000'000;
  static constexpr int64_t kDeafAfterNs = 5'000'000;

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
  StopReason RunTicks();
  void Tick(int64_t now_ns);
  void LookAt(SampledThread& thread, int64_t now_ns);
  // Its filter or its name has changed: what it was asked for is thrown away, and the profile says so where it had
  // rows.
  void LeaveOut(SampledThread& thread) {
    if (thread.pending != nullptr && CapturePool::IsAnswered(thread.pending)) Collect(thread);
    if (!thread.cpu.has_row() || samples_.AddLeftOut(thread.index)) thread.cpu = {};
  }
  void LookAtRunning(SampledThread& thread, int64_t cpu_ns, int64_t now_ns);
  // Whether it has a slot that has not been taken in yet, and that may say that it must not be sent signals: asked at
  // the next tick instead, which is counted.
  bool HasUnknownSlot(const SampledThread& thread) {
    if (thread.slot != nullptr || !HasSlotByNow(thread)) return false;
    segment_.CountDrop(DropReason::kAnswerPending);
    return true;
  }
  void WriteUnreadable(SampledThread& thread, const CpuAtTime& seen);
  // The recorder has gone, and what it gathered with it.
  bool IsUnread() const {
    return setting_.is_for_others && setting_.control->owner.load(std::memory_order_relaxed) == nullptr &&
           segment_.IsUnlinked();
  }
  // A clock costs 0.15 us to read: of many threads, those that have been idle for long are asked every fourth tick, in
  // turn.
  bool IsDue(const SampledThread& thread, size_t position, size_t count) const {
    constexpr size_t kFew = 32;
    constexpr uint32_t kLongIdleTicks = 8;
    return count <= kFew || thread.idle_ticks < kLongIdleTicks || (tick_count_ + position) % 4 == 0;
  }
  void Ask(SampledThread& thread, int64_t cpu_ns, int64_t now_ns);
  void CheckDeaf(SampledThread& thread, int64_t now_ns);
  void SendAgain(SampledThread& thread, int signal, int64_t now_ns) {
    thread.resend_ns = now_ns + 4 * kDeafAfterNs;
    thread.pending_signal = signal;
    pool_.SendAgain(thread.pending, setting_.threads.pid, thread.tid, signal);
  }
  void WriteDeaf(SampledThread& thread);
  void ReadBlocked(SampledThread& thread, const Fd& syscall_file, const BlockedThreadReader::Place& place,
                   const CpuAtTime& seen);
  // The thread's stack, which `build` makes: once more where it goes through a library that was loaded since the list
  // was read.
  template <typename Build>
  std::span<const StackFrame> WithLibraries(const SampledThread& thread, int64_t now_ns, const Build& build) {
    const std::span<const StackFrame> stack = build();
    if (!modules_.is_wanted() || collecting_ != nullptr) return stack;
    collecting_ = &thread;
    const bool is_read = modules_.RefreshIfDue(now_ns);
    collecting_ = nullptr;
    return is_read ? build() : stack;
  }
  bool Collect(SampledThread& thread);
  void CollectAnswered();
  void CollectSpinning();
  bool HasSlotByNow(const SampledThread& thread) const {
    return threads_.HasSlot(thread, setting_.control->announced.load(std::memory_order_acquire));
  }
  // True if the row is in the segment.
  bool Write(SampledThread& thread, const CpuAtTime& at, bool blocked, std::span<const StackFrame> stack) {
    if (!thread.selected) return false;
    // A pause that began in this tick: its CPU time goes to the next row.
    const int64_t paused_ns = header_.paused_since_ns.load(std::memory_order_relaxed);
    if (paused_ns != 0 && at.time_ns > paused_ns) {
      segment_.CountDrop(DropReason::kUnanswered);
      return false;
    }
    const int64_t used_ns = thread.cpu.Charge(at);
    thread.shown_running = !blocked;
    return samples_.Add({thread.index, at.time_ns, setting_.cpu ? used_ns : -1, blocked}, stack);
  }
  void CountTaken() { header_.samples_taken.fetch_add(1, std::memory_order_relaxed); }
  StopReason Maintain(int64_t now_ns);
  void ReportDrained();
  int64_t NextDeadline(int64_t deadline_ns);

  SamplerSetting setting_;
  Segment& segment_;
  SegmentHeader& header_;
  MetadataWriter metadata_;
  SampleWriter samples_;
  CounterSampler counters_;
  ModuleRecorder modules_;
  ThreadList threads_;
  CapturePool pool_;
  SignalChoice signal_choice_;
  BlockedThreadReader blocked_;
  StackBuilder stacks_;
  MarkerStackSampler marker_stacks_;
  int64_t clock_read_ns_ = 0;  // when the time was last read
  CycleClock cycles_;
  uint64_t tick_count_ = 0;
  int64_t started_ns_ = 0, duration_from_ns_ = 0;
  int64_t next_scan_ns_ = 0;
  uint32_t asked_now_ = 0;
  const SampledThread* collecting_ = nullptr;  // whose stack is being made while the list is read
  bool spinning_ = false;                      // for answers to the requests of this tick
  bool any_gone_ = false;
  bool paused_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_SAMPLER_H_
