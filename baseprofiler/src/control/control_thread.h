#ifndef GECKOPROF_BASEPROFILER_CONTROL_CONTROL_THREAD_H_
#define GECKOPROF_BASEPROFILER_CONTROL_CONTROL_THREAD_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/config/control_request.h"
#include "recording/recording_state.h"
#include "sampler/raw_thread.h"

namespace geckoprof {

// ControlOrder: what a signal has told the process.
struct ControlOrder {
  // A request of another process, or SIGUSR1 or SIGUSR2 of the user (GECKOPROF_SIGNALS).
  enum class Kind : uint8_t { kRequest, kStart, kStop };

  Kind kind = Kind::kRequest;
  ControlValue value{0, false};  // of a request
};

// ControlThread: the short-lived thread that obeys a request of another process (docs/design/control.md).
//
//   signal -> handler: Take --clone--> the thread: act(order), act(a signal that came meanwhile) -> ends
//
// A process that nobody controls has no such thread and no memory for it. The handler makes two system calls, for the
// thread and, once, for its memory. It drops a request while the thread runs or is held off. The sender repeats the
// signal until it is answered. A user's signal is not repeated, so it waits for the running thread.
//
// A thread that is about to make a call for single-threaded processes holds the control thread off:
//
//   HoldOff: no thread begins, the running one is waited for ---- the call ---- Release
//
// The sampler does not list the thread (SamplerControl::helper). The thread begins in the program's current folder.
//
// Threads: any.
// Context: signal context for Take. HoldOff and Release: not signal context.
// Lifetime: static.
class ControlThread {
 public:
  static ControlThread& Get() { return the_thread_; }

  constexpr explicit ControlThread(RecordingState* state) : state_(*state) {}

  // Called when base is loaded. Requests are obeyed from now on, and also SIGUSR1 and SIGUSR2 if the environment asks
  // for that.
  void Listen(void (*act)(const ControlOrder& order), bool obeys_signals);

  // Without `may_wait` a running thread goes on. Release makes no system call, because a filter may forbid any by then.
  void HoldOff(bool may_wait);
  void Release();

  // Called in a forked child, where the thread does not exist.
  void AfterForkInChild();

 private:
  // The bits of work_.
  static constexpr uint32_t kTaken = 1;  // a handler makes the thread, or the thread has not decided to end
  static constexpr uint32_t kStartSignal = 2, kStopSignal = 4;  // SIGUSR1 and SIGUSR2, which wait

  static void Take(const ControlOrder& order);
  static int Main(void* self);
  bool MayBegin() const;
  bool Begin();
  bool IsThere() const;
  void ObeySignals();

  RecordingState& state_;
  void (*act_)(const ControlOrder& order) = nullptr;  // constant after Listen
  RawThread thread_;
  std::atomic<uint32_t> work_{0};  // seq_cst. The thread ends when it has cleared kTaken, and no signal waited
  std::atomic<int32_t> holds_{0};  // seq_cst
  ControlOrder order_;             // the first one; the maker of the thread writes it before the thread begins

  static ControlThread the_thread_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_CONTROL_CONTROL_THREAD_H_
