// Threads that do not exist, for tests of the three phases of a look (ThreadSampler).
#ifndef GECKOPROF_TESTS_UNIT_BASEPROFILER_SAMPLER_SCRIPTED_THREAD_VIEW_H_
#define GECKOPROF_TESTS_UNIT_BASEPROFILER_SAMPLER_SCRIPTED_THREAD_VIEW_H_

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "geckoprof/base/clock.h"
#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/entries/sample_writer.h"
#include "geckoprof/segment/segment_format.h"
#include "recording/sampler_control.h"
#include "sampler/answer.h"
#include "sampler/capture_pool.h"
#include "sampler/cycle_clock.h"
#include "sampler/kernel_ticks.h"
#include "sampler/module_recorder.h"
#include "sampler/sampler_setting.h"
#include "sampler/thread_list.h"
#include "sampler/thread_view.h"
#include "tests/support/read_back.h"
#include "tests/support/test_segment.h"

namespace geckoprof {

inline constexpr int64_t kMs = kNsPerMs;
inline constexpr int64_t kUs = kNsPerUs;
inline constexpr int64_t kBegin = 2'000 * kMs;  // the begin of the scripted time

inline ThreadId OwnTid() { return ThreadId::FromNumber(static_cast<int32_t>(syscall(SYS_gettid))); }

// ScriptedThread is what the kernel shows of a thread. The test changes the members at any time.
struct ScriptedThread {
  using State = BlockedThreadReader::State;

  int64_t cpu_ns = 0;  // negative: the thread has ended
  State state = State::kRunning;
  BlockedThreadReader::Place place;
  Wait wait{WaitCause::kSleep};
  int64_t ready_ns = -1;
  KernelSignalSet blocked_signals = 0;
  KernelSignalSet pending_signals = 0;
  // Runs while the sampler copies the stack of the thread.
  std::function<void()> while_copied;
  int clock_readings = 0, place_readings = 0;
  std::vector<uint8_t> stack = std::vector<uint8_t>(256);

  void Run(int64_t ns) {
    cpu_ns += ns;
    state = State::kRunning;
  }
  // Equal places have equal numbers.
  void BlockAt(int number) {
    state = State::kBlocked;
    place.text_bytes = static_cast<uint32_t>(snprintf(place.text, sizeof(place.text), "%d", number));
    place.call.number = number;
    place.pc = 0x1000;  // there is no code
    place.sp = reinterpret_cast<uintptr_t>(stack.data());
  }
};

// ScriptedThreadView shows scripted threads. Each reading of the time takes kStepNs.
class ScriptedThreadView final : public ThreadView {
 public:
  static constexpr int64_t kStepNs = 100;

  int64_t NowNs() override {
    if (at_reading) at_reading();
    return now_ns += kStepNs;
  }
  int64_t CpuNs(ThreadId tid) override {
    ScriptedThread& thread = threads.at(tid);
    ++thread.clock_readings;
    return thread.cpu_ns;
  }
  BlockedThreadReader::State ReadPlace(const SampledThread& thread, BlockedThreadReader::Place& place) override {
    ScriptedThread& shown = threads.at(thread.tid);
    ++shown.place_readings;
    place = shown.place;
    return shown.state;
  }
  int64_t ReadyNs(const SampledThread& thread, bool) override { return threads.at(thread.tid).ready_ns; }
  WaitCause CauseAt(const SampledThread& thread, const BlockedThreadReader::Place&) override {
    return threads.at(thread.tid).wait.cause;
  }
  Wait WaitAt(const SampledThread& thread, const BlockedThreadReader::Place&) override {
    ScriptedThread& shown = threads.at(thread.tid);
    if (shown.while_copied) shown.while_copied();
    return shown.wait;
  }
  KernelSignalSet BlockedSignals(ThreadId tid) override { return threads.at(tid).blocked_signals; }
  KernelSignalSet PendingSignals(ThreadId tid) override { return threads.at(tid).pending_signals; }

  std::map<ThreadId, ScriptedThread> threads;
  int64_t now_ns = kBegin;
  std::function<void()> at_reading;  // runs before each reading of the time
};

// ScriptedProcess has the parts that the phases share. The cycle counter of its handlers counts nanoseconds.
//
// The kernel has no thread with an id that Add has made up, so a signal to it fails. The test's own thread can have a
// timer and gets signals. It ignores them, because no handler is installed.
struct ScriptedProcess {
  ScriptedProcess() {
    header.interval_ns = kMs;
    setting.segment = &test.segment();
    setting.table = &captures;
    setting.control = &control;
    setting.threads = ListSetting();
    setting.interval_ns = kMs;
    setting.cpu = true;
    cycles.Start(0, 0);
    cycles.Update(kBegin, kBegin);
    control.signal = control.drained_signal = SIGURG;
    // The first buffers are made as after a tick that found none.
    table->unserved = 1;
    ticks.TakeUnserved();
  }
  ScriptedProcess(const ScriptedProcess&) = delete;
  ScriptedProcess& operator=(const ScriptedProcess&) = delete;

  // Adds a thread to the list. Without an id it gets one that is larger than any id of the kernel.
  SampledThread& Add(ThreadId tid = {}) {
    if (!tid.IsSpecified()) tid = ThreadId::FromNumber(kMostThreadIds + ++made_up);
    ScriptedThread& shown = view.threads[tid];
    ThreadSlot* const slot = registry->Claim();
    REQUIRE(slot != nullptr);
    slot->stack_low = reinterpret_cast<uintptr_t>(shown.stack.data());
    slot->stack_high = slot->stack_low + shown.stack.size();
    slot->creator_tid = tid.ToNumber();
    ThreadRegistry::Publish(slot, tid);
    control.Announce();
    REQUIRE(list.AddAnnounced(control.announced, kBegin));
    return *list.Find(tid);
  }
  ScriptedThread& Shown(const SampledThread& thread) { return view.threads.at(thread.tid); }

  // Gives the thread a first row, as AnswerWriter does. Its CPU time counts from then on.
  void WriteFirstRow(SampledThread& thread, int64_t time_ns = kBegin) {
    thread.cpu.Charge({Shown(thread).cpu_ns, time_ns});
    thread.cpu_baseline_ns = Shown(thread).cpu_ns;
    thread.was_looked_at = true;
  }

  // Does what the handler does for a tick of the kernel. Returns null if no buffer was free.
  CaptureBuffer* Tick(const SampledThread& thread, int64_t time_ns, SampleClock clock = SampleClock::kPerfEvent) {
    for (uint32_t i = 0; i < TickTable::kBuffers; ++i) {
      const uint64_t bit = uint64_t{1} << i % 64;
      if ((table->free[i / 64].fetch_and(~bit) & bit) == 0) continue;
      CaptureBuffer* const buffer = table->buffers[i];
      buffer->tid = thread.tid.ToNumber();
      buffer->labels = thread.slot != nullptr ? &thread.slot->labels : nullptr;
      buffer->clock = clock;
      FillIn(*buffer, time_ns);
      return buffer;
    }
    ++table->unserved;
    return nullptr;
  }
  // Asks the thread, but sends no signal. The CPU clock is read.
  void Request(SampledThread& thread, int64_t time_ns) {
    CaptureBuffer* const buffer = pool.Acquire(0);
    REQUIRE(buffer != nullptr);
    buffer->clock = SampleClock::kRequest;
    buffer->word = MakeCaptureWord(7, CaptureState::kRequested);
    thread.SetPending(buffer, header);
    thread.pending_signal = SIGURG;
    thread.pending_since_ns = time_ns;
    thread.pending_cpu_ns = Shown(thread).cpu_ns;
  }
  // Does what the handler does for a request.
  static void FillIn(CaptureBuffer& buffer, int64_t time_ns) {
    buffer.begin_cycles = static_cast<uint64_t>(time_ns);
    buffer.end_cycles = static_cast<uint64_t>(time_ns + 3 * kUs);
    buffer.reached_stack_end = true;
    buffer.word = MakeCaptureWord(CaptureTokenIn(buffer.word), CaptureState::kAnswered);
  }

  uint64_t drops(DropReason reason) const { return test.drops(reason); }
  uint32_t BufferCount() const {
    uint32_t count = 0;
    for (const auto& buffer : table->buffers) count += buffer != nullptr;
    return count;
  }
  uint32_t FreeBufferCount() const {
    uint32_t count = 0;
    for (const auto& word : table->free) count += static_cast<uint32_t>(__builtin_popcountll(word));
    return count;
  }

  TestSegment test;
  SegmentHeader& header = test.segment().header();
  MetadataWriter metadata{&test.segment()};
  SampleWriter samples{&test.segment()};
  std::atomic<uint32_t> unloads{0};
  ModuleRecorder modules{&metadata, &samples, &unloads};
  ThreadFilter filter;
  std::unique_ptr<ThreadRegistry> registry = std::make_unique<ThreadRegistry>();
  SamplerControl control{};
  CaptureTable captures{};
  // KernelTicks takes the table over, as that of an earlier sampler.
  std::unique_ptr<TickTable> table = std::make_unique<TickTable>();
  SamplerSetting setting{};
  ThreadList list{ListSetting()};
  ScriptedThreadView view;
  CapturePool pool{&captures};
  KernelTicks ticks{TableWithTicks(), &control, &header, SampleClock::kPerfEvent};
  BlockedThreadReader blocked;
  CycleClock cycles;

 private:
  static constexpr int32_t kMostThreadIds = 1 << 22;  // PID_MAX_LIMIT of include/linux/threads.h

  ThreadList::Setting ListSetting() {
    return {ProcessId::FromNumber(getpid()), OwnTid(), {0, 0}, &filter, registry.get(), &metadata, &header};
  }
  CaptureTable* TableWithTicks() {
    captures.ticks = table.get();
    return &captures;
  }

  int32_t made_up = 0;
};

// Returns whether the kernel lets this process have timers. A filter of system calls may forbid them.
inline bool HasKernelTimers() {
  static const bool has_timers = [] {
    ScriptedProcess process;
    return process.ticks.Arm(process.Add(OwnTid()), kNsPerSecond, SIGURG);
  }();
  return has_timers;
}

inline std::vector<Answer::Kind> KindsOf(const Answers& answers) {
  std::vector<Answer::Kind> kinds;
  for (const Answer& answer : answers) kinds.push_back(answer.kind);
  return kinds;
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_BASEPROFILER_SAMPLER_SCRIPTED_THREAD_VIEW_H_
