#ifndef GECKOPROF_BASEPROFILER_RECORDING_SAMPLER_CONTROL_H_
#define GECKOPROF_BASEPROFILER_RECORDING_SAMPLER_CONTROL_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/base/futex.h"
#include "geckoprof/base/ids.h"
#include "geckoprof/handover/handover_table.h"
#include "process/process_control.h"
#include "recording/sampler_task.h"

namespace geckoprof {

// SamplerControl: what other threads tell the sampler. Zero is the state before a start.
// Each member: written by any thread, read by the sampler at each tick, unless it says otherwise.
struct SamplerControl {
  // Sending: lives while somebody asks whether a thread may be sent a signal, and sends it. A thread that has just said
  // that it must not be sent any waits until there is none: what was sent by then comes at the end of its next system
  // call. Any thread but in signal context.
  class Sending {
   public:
    explicit Sending(SamplerControl& control) : control_(control) {
      control_.sending.fetch_add(1, std::memory_order_seq_cst);
    }
    ~Sending() { control_.sending.fetch_sub(1, std::memory_order_release); }
    Sending(const Sending&) = delete;
    Sending& operator=(const Sending&) = delete;

   private:
    SamplerControl& control_;
  };

  enum Command : uint32_t { kRun = 0, kPause = 1, kLeave = 2, kStop = 3, kPauseSampling = 4 };

  // A command in the low bits, and above them how often one was given: so whoever sleeps on the word is woken by each.
  std::atomic<uint32_t> word;             // release: what it asks for was prepared before
  std::atomic<uint32_t> announced;        // counts threads that published a slot, release
  std::atomic<uint32_t> unloads;          // counts begins and ends of dlclose, relaxed
  std::atomic<int32_t> signal;            // what to send, 0: nothing; see SamplingSignal
  std::atomic<int32_t> drained_signal;    // written by the sampler: no request made with another signal is unanswered
  std::atomic<int32_t> busy_forking_tid;  // a thread inside fork: not signalled, or a large fork might never end
  std::atomic<uint32_t> sending;          // how many are of Sending
  // Of the thread that was the last to end by exit(2) itself, tid << 32 | status; 0: none. The process's status is that
  // of its last thread, which ours must not be.
  std::atomic<uint64_t> thread_exit;
  // Who is told of ticks, or null. Written at a tick boundary, or while no sampler runs: so nobody is told of a tick
  // after its end as an owner.
  std::atomic<const OwnerTable*> owner;
  SamplerTask boundary;

  static constexpr uint32_t kCommandMask = 7;
  static Command CommandIn(uint32_t word_value) { return static_cast<Command>(word_value & kCommandMask); }
  Command command() const { return CommandIn(word.load(std::memory_order_acquire)); }

  // One caller at a time.
  void Tell(Command command) {
    const uint32_t next = (word.load(std::memory_order_relaxed) | kCommandMask) + 1;
    word.store(next | command, std::memory_order_release);
    FutexWake(word, 1);
  }
  // The sampler's own thread: waits until then, or until it is told anything.
  void Await(int64_t deadline_ns) {
    const uint32_t before = word.load(std::memory_order_acquire);
    const bool is_to_end = CommandIn(before) == kLeave || CommandIn(before) == kStop;
    if (!is_to_end) FutexWaitUntil(word, before, deadline_ns);
  }
  void NoteUnload() { unloads.fetch_add(1, std::memory_order_relaxed); }
  void NoteThreadExit(ThreadId tid, int status) {
    const uint64_t high = static_cast<uint64_t>(tid.ToNumber()) << 32;
    thread_exit.store(high | (static_cast<uint32_t>(status) & 0xff), std::memory_order_relaxed);
  }
  // Where others live on, its status is nobody's any more.
  void ForgetExitOfEndedThread(ProcessId process) {
    uint64_t noted = thread_exit.load(std::memory_order_relaxed);
    if (noted == 0 || ThreadExists(process, ThreadId::FromNumber(static_cast<int32_t>(noted >> 32)))) return;
    thread_exit.compare_exchange_strong(noted, 0, std::memory_order_relaxed);
  }
  // Wakes the sampler for what waits at the boundary; the command stays.
  void Nudge() { Tell(CommandIn(word.load(std::memory_order_relaxed))); }
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_RECORDING_SAMPLER_CONTROL_H_
