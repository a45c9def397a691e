#ifndef GECKOPROF_BASEPROFILER_RECORDING_SAMPLER_CONTROL_H_
#define GECKOPROF_BASEPROFILER_RECORDING_SAMPLER_CONTROL_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/base/futex.h"
#include "geckoprof/base/ids.h"
#include "geckoprof/handover/handover_table.h"
#include "geckoprof/signal/kernel_ticks.h"
#include "process/process_control.h"

namespace geckoprof {

// SamplerTask: runs a function for another thread on the sampler thread, between two ticks. The other thread waits. The
// sampler's data therefore changes without a lock, and the sampler never waits for another thread.
//
//   requester:  Post ---- Wait ........................ done | time-out: Retract -> it will never run
//   sampler:         tick          tick | RunPending |   tick
//
// Invariants: the sampler takes a request by one exchange, and so does a requester that gives up. Exactly one of them
// gets it. After Retract returned true, the function is not running and never will.
// Threads: one requester at a time, and the sampler.
// Context: not signal context for Post, Wait and Retract.
// Lifetime: static. All bits zero is the initial state.
class SamplerTask {
 public:
  struct Request {
    void (*run)(void* argument);
    void* argument;
  };

  // `request` must stay valid until Wait or Retract returned true. The caller must then wake the sampler.
  void Post(const Request& request);
  // Waits at most `timeout_ns`. Returns true once the posted request has run.
  bool Wait(int64_t timeout_ns) const;
  // Takes the request back. Returns false if it is running or has run. The caller must then Wait.
  bool Retract();

  // Called in a forked child. Drops the request, because the requester's thread does not exist here.
  void ForgetAfterFork() { request_.store(nullptr, std::memory_order_relaxed); }

  // Called by the sampler. It costs one load when there is no request.
  void RunPending();

 private:
  std::atomic<const Request*> request_{nullptr};
  std::atomic<uint32_t> runs_{0};  // the number of finished requests; release
  uint32_t runs_before_post_ = 0;  // owned by the requester
};

// SamplerControl: the words through which other threads steer the sampler. All bits zero is the state before a start.
//
// Threads: any thread writes a member, and the sampler reads it at each tick, unless a comment says otherwise.
struct SamplerControl : SamplerSleep {
  // Sending: exists while a thread checks whether another thread may be sent a signal, and sends the signal. A thread
  // that no longer accepts signals first says so and then waits until no Sending exists. A signal that was sent by then
  // arrives at the end of its next system call.
  //
  // Threads: any.
  // Context: not signal context.
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

  // The low bits of `word` hold a command. The bits above count the commands and nudges, so that each wakes a sleeper
  // on it. Its store is a release: the data of the command is ready.
  std::atomic<uint32_t> announced;        // counts threads that published a slot, and new names; seq_cst
  std::atomic<uint32_t> unloads;          // counts begins and ends of dlclose; relaxed
  std::atomic<int32_t> signal;            // the signal to send, 0 for none; see SamplingSignal
  std::atomic<int32_t> drained_signal;    // the sampler writes it: each request with another signal is answered
  std::atomic<int32_t> busy_forking_tid;  // a thread inside fork; a signal could keep a large fork from ending
  std::atomic<uint32_t> sending;          // the number of Sending objects
  std::atomic<bool> has_timers;           // timers of the kernel were armed for threads
  std::atomic<uint32_t> timer_checks;     // counts the sampler's looks at whether its timers' signals are safe; release
  // The last thread that called exit(2) itself, as tid << 32 | status. 0 means none. A process ends with the status of
  // its last thread. If the sampler thread is the last one, it ends with this status.
  std::atomic<uint64_t> thread_exit;
  // The owner that is told of ticks, or null. It is written at a tick boundary or while no sampler runs. An owner is
  // therefore never told of a tick after its hand-back.
  std::atomic<const OwnerTable*> owner;
  // Returns true if other processes may not steer the recording, because the owner does.
  bool IsSteeredByOwner() const {
    const OwnerTable* const steering = owner.load(std::memory_order_acquire);
    if (steering == nullptr) return false;
    return !GECKOPROF_TABLE_HAS(*steering, OwnerTable, obeys_others) || steering->obeys_others == nullptr ||
           steering->obeys_others->load(std::memory_order_relaxed) == 0;
  }
  SamplerTask boundary_task;
  // The thread that obeys another process (ControlThread), or 0. It may have ended. kHelperIsMade means that its id is
  // not known yet. The thread sets it, and the sampler clears it when the thread is gone.
  std::atomic<int32_t> helper;
  static constexpr int32_t kHelperIsMade = -1;

  static constexpr uint32_t kCommandMask = kStep - 1;
  static Command CommandIn(uint32_t word_value) { return static_cast<Command>(word_value & kCommandMask); }
  Command command() const { return CommandIn(word.load(std::memory_order_acquire)); }

  // Gives a command. The caller must prevent concurrent calls.
  void Issue(Command command) {
    // Setting the low bits before adding 1 carries into the count and clears the command.
    const uint32_t next = (word.load(std::memory_order_relaxed) | kCommandMask) + 1;
    word.store(next | command, std::memory_order_release);
    FutexWake(word, 1);
  }
  // Waits until the deadline or the next command. It belongs to the sampler thread.
  void Await(int64_t deadline_ns) {
    const uint32_t before = word.load(std::memory_order_acquire);
    const bool is_to_end = CommandIn(before) == kLeave || CommandIn(before) == kStop;
    if (!is_to_end) FutexWaitUntil(word, before, deadline_ns);
  }
  // A thread has published its slot, or it has a new name. The sampler looks at it within an interval.
  void Announce() {
    announced.fetch_add(1, std::memory_order_seq_cst);
    WakeFrom(kUntilBatch);
  }
  void NoteUnload() { unloads.fetch_add(1, std::memory_order_relaxed); }
  void NoteThreadExit(ThreadId tid, int status) {
    const uint64_t high = static_cast<uint64_t>(tid.ToNumber()) << 32;
    thread_exit.store(high | (static_cast<uint32_t>(status) & 0xff), std::memory_order_relaxed);
  }
  // Forgets the noted status if its thread has ended and the process lives on.
  void ForgetExitOfEndedThread(ProcessId process) {
    uint64_t noted = thread_exit.load(std::memory_order_relaxed);
    if (noted == 0 || ThreadExists(process, ThreadId::FromNumber(static_cast<int32_t>(noted >> 32)))) return;
    thread_exit.compare_exchange_strong(noted, 0, std::memory_order_relaxed);
  }
  // Wakes the sampler for the task at the tick boundary. The command stays.
  void Wake() { Issue(CommandIn(word.load(std::memory_order_relaxed))); }
};

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
  // Returns whether the source has something to read at each tick while the program runs. The sampler may otherwise
  // sleep through many ticks.
  virtual bool IsEachTickDue() const = 0;

 protected:
  ~TickSource() = default;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_RECORDING_SAMPLER_CONTROL_H_
