#ifndef GECKOPROF_GECKOPROFILER_ASKED_COUNTERS_ASKED_COUNTERS_H_
#define GECKOPROF_GECKOPROFILER_ASKED_COUNTERS_ASKED_COUNTERS_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "geckoprofiler/c/geckoprof_asked_counters.h"
#include "geckoprofiler/profiler_result.h"
#include "sampler/tick_sources.h"
#include "sampler/written_counter.h"

namespace geckoprof {

// AskedCounters: counters whose values are the answers of the program's functions.
//
//   tick --> caller: a function that is due, and the next one ... | sleeps until the next tick is expected
//   no tick came --> it sleeps until the sampler wakes it. So most ticks cost the sampler no system call.
//   tick --> the caller is still in one function after kPatienceNs: the standby becomes the caller. It goes on with
//            the other functions. The first thread becomes the standby when the function returns.
//
// A tick is a look of the sampler. Looks are 10 ms apart or more, unless something else needs the sampler more often. A
// value between two looks would be in no profile. The function that was due first is called first, so each gets its
// turn.
//
// Invariants: a function runs on one thread at a time. No lock of this library is held meanwhile. After Remove returned
// on a thread that is in none of these functions, the function is not running and never will run again. Inside of such
// a function Remove does not wait, because two functions that remove each other would wait for ever. Registrations
// belong to the process, and stay when recordings end.
//
// Threads: any, and the callers. Read: the sampler.
// Context: not signal context.
// Fork: registrations stay in the child. A function that runs on another thread than the forking one counts as ended.
class AskedCounters final : public TickSource {
 public:
  explicit AskedCounters(TickSources* sources);

  // The same function, argument and name are registered once, and the result is kUnchanged then. The argument is
  // released once, when the function cannot run any more.
  // kRefused: there are kMostCounters. Base may refuse fewer, because the program's counters are among its own. It
  // knows that when the first value comes, and the profile says it.
  ProfilerOutcome Register(const geckoprof_asked_counter& asked, uint64_t& id);
  // kUnchanged: there is no such counter.
  ProfilerOutcome Remove(uint64_t id);
  // The process exits. No function is called any more. Waits a moment for those that run.
  void StopForExit();

  void Begin(const Recording& recording) override;
  void Read(int64_t tick_ns) override;
  void End() override;
  void AfterForkInChild(bool held) override;

 private:
  static constexpr uint32_t kCallers = 4;
  static constexpr int32_t kNone = -1;
  static constexpr size_t kMostCounters = 512;  // as many as base has
  // A function that takes longer keeps the others waiting for so long.
  static constexpr int64_t kPatienceNs = 50'000'000;
  static constexpr int64_t kExitPatienceNs = 100'000'000;
  static constexpr int64_t kLongestGapNs = 20'000'000;  // between two ticks that are soon followed by a third

  struct Counter {
    explicit Counter(const geckoprof_asked_counter& given);
    // Releases the argument if the counter was registered. It must not be destroyed with the lock held.
    ~Counter();
    Counter(const Counter&) = delete;
    Counter& operator=(const Counter&) = delete;
    geckoprof_detailed_counter_description Describe() const;

    const geckoprof_asked_counter asked;  // its texts are gone
    const std::string name, category, description, unit, color;
    // Guarded by lock_.
    uint64_t id = 0;         // 0: it is not registered
    int64_t planned_ns = 0;  // the time of the next call
    int64_t due_ns = 0;      // the first tick that may call it
    int32_t caller = kNone;  // the thread that is in the function
    int64_t called_ns = 0;
    bool is_removed = false;
    bool is_reported = false;  // the profile says that the function takes long, or has no value
    bool has_value = false;    // in this recording
    int64_t value = 0;         // the last one
    WrittenCounter written;
  };
  using CounterPointer = std::shared_ptr<Counter>;
  struct Caller {
    AskedCounters* owner = nullptr;
    int32_t index = 0;
    SourceThread* thread = nullptr;
    CounterPointer counter = {};  // whose function it is in; guarded by lock_
  };

  // Returns the time of the next look for a tick, or INT64_MAX if the sampler shall wake the thread.
  int64_t Work(Caller& caller);
  int64_t Sleep(int64_t tick_ns);
  // Ends the call of a function. Returns the counter if no one else has it any more.
  CounterPointer EndCall(Caller& caller, CounterPointer counter, uint64_t recording, bool has_value, int64_t value);
  void AwaitEnd(const Counter& counter, int64_t until_ns);
  bool IsOnCaller() const;
  Caller& Current() { return callers_[static_cast<size_t>(current_.load(std::memory_order_acquire))]; }
  // These REQUIRE lock_.
  void ChooseCaller();
  void EnsureStandby(const Caller& caller);
  // Returns the one that was due first, or null.
  CounterPointer FindDue(int64_t tick_ns) const;
  void PlanNext(Counter& counter, int64_t tick_ns) const;
  void ReportLate(int64_t now_ns);
  static void Report(Counter& counter, const char* reason);
  static void Note(Counter& counter, bool has_value, int64_t value);
  void UpdateDue();

  RecursiveLock& lock_;
  std::array<Caller, kCallers> callers_;

  // The sampler and the callers read and write these.
  std::atomic<int64_t> due_ns_{INT64_MAX};  // of the first function that is due; relaxed
  std::atomic<int64_t> tick_ns_{0};         // the last tick at which a function was due, or 0; seq_cst
  std::atomic<int64_t> gap_ns_{0};          // between the last two ticks; relaxed
  std::atomic<bool> is_parked_{true};       // the current caller sleeps until it is woken; seq_cst
  std::atomic<int64_t> busy_since_ns_{0};   // the begin of the current caller's call; 0: it is in none; relaxed
  std::atomic<int32_t> current_{0};         // the caller; the sampler changes it; release
  std::atomic<int32_t> standby_{kNone};     // a thread that sleeps; the callers set it, and the sampler takes it
  std::atomic<uint32_t> calls_done_{0};     // grows with each call that ends; a futex

  int64_t last_tick_ns_ = 0;  // the sampler's

  // Guarded by lock_.
  bool is_on_ = false;
  int64_t done_tick_ns_ = 0;  // whose functions were called
  uint64_t recordings_ = 0;   // number of the current one
  uint64_t next_id_ = 1;
  std::vector<CounterPointer> counters_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_ASKED_COUNTERS_ASKED_COUNTERS_H_
