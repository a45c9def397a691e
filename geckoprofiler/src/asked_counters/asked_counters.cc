#include "asked_counters/asked_counters.h"

#include <algorithm>
#include <new>
#include <utility>

#include "baseprofiler/c/geckoprof_markers.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/futex.h"
#include "runtime/api_call.h"
#include "threads/thread_base_link.h"

namespace geckoprof {
namespace {

std::string TextOf(const char* text) { return text != nullptr ? text : ""; }

}  // namespace

AskedCounters::Counter::Counter(const geckoprof_asked_counter& given)
    : asked(given),
      name(TextOf(given.name)),
      category(TextOf(given.category)),
      description(TextOf(given.description)),
      unit(TextOf(given.unit)),
      color(TextOf(given.color)) {}

AskedCounters::Counter::~Counter() {
  if (id == 0 || asked.release == nullptr) return;
  const ApiCall::Outside outside;
  asked.release(asked.user);
}

geckoprof_detailed_counter_description AskedCounters::Counter::Describe() const {
  geckoprof_detailed_counter_description described = {};
  geckoprof_counter_description& shown = described.shown;
  shown.flags = asked.graph;
  shown.name = name.c_str();
  shown.category = category.c_str();
  shown.description = description.c_str();
  shown.unit = unit.c_str();
  shown.color = color.empty() ? nullptr : color.c_str();
  // A counter without a period would keep the sampler awake while no thread runs.
  constexpr int64_t kLeastPeriodNs = 10 * kNsPerMs;
  described.period_ns = std::max(asked.least_interval_ns, kLeastPeriodNs);
  return described;
}

AskedCounters::AskedCounters(TickSources* sources) : lock_(sources->lock()) {
  for (size_t i = 0; i < callers_.size(); ++i) {
    const auto run = [](void* context) {
      auto* const caller = static_cast<Caller*>(context);
      return caller->owner->Work(*caller);
    };
    SourceThread& thread = sources->AddThread({run, &callers_[i], "AskedCounters"});
    callers_[i] = {this, static_cast<int32_t>(i), &thread};
  }
  sources->Add(this);
}

bool AskedCounters::IsOnCaller() const {
  return std::any_of(callers_.begin(), callers_.end(), [](const Caller& caller) { return caller.thread->IsOwn(); });
}

// --- registration ---

ProfilerOutcome AskedCounters::Register(const geckoprof_asked_counter& asked, uint64_t& id) {
  auto counter = std::make_shared<Counter>(asked);
  const ForkHolds::Holder holder(lock_);
  const auto same = std::find_if(counters_.begin(), counters_.end(), [&](const CounterPointer& one) {
    return one->asked.ask == asked.ask && one->asked.user == asked.user && one->name == counter->name;
  });
  if (same != counters_.end()) {
    id = (*same)->id;
    return {ProfilerStatus::kUnchanged, {}};
  }
  if (counters_.size() >= kMostCounters) return {ProfilerStatus::kRefused, "there are 512 such counters already"};
  counters_.push_back(counter);
  id = counter->id = next_id_++;
  if (is_on_ && !Current().thread->Start()) return {ProfilerStatus::kNoThread, "its function is not called"};
  UpdateDue();
  return {};
}

ProfilerOutcome AskedCounters::Remove(uint64_t id) {
  CounterPointer counter;
  {
    const ForkHolds::Holder holder(lock_);
    const auto found =
        std::find_if(counters_.begin(), counters_.end(), [id](const CounterPointer& one) { return one->id == id; });
    if (found == counters_.end()) return {ProfilerStatus::kUnchanged, {}};
    counter = std::move(*found);
    counters_.erase(found);
    counter->is_removed = true;
    counter->written.End();
    UpdateDue();
  }
  if (!IsOnCaller()) AwaitEnd(*counter, INT64_MAX);
  return {};
}

void AskedCounters::AwaitEnd(const Counter& counter, int64_t until_ns) {
  for (;;) {
    uint32_t seen;
    {
      const ForkHolds::Holder holder(lock_);
      seen = calls_done_.load(std::memory_order_relaxed);
      if (counter.caller == kNone) return;
    }
    const int64_t now_ns = MonotonicNs();
    if (now_ns >= until_ns) return;
    FutexWait(calls_done_, seen, std::min(until_ns - now_ns, kNsPerSecond));
  }
}

void AskedCounters::StopForExit() {
  std::vector<CounterPointer> counters;
  {
    const ForkHolds::Holder holder(lock_);
    counters.swap(counters_);
    for (const CounterPointer& counter : counters) counter->is_removed = true;
    UpdateDue();
  }
  const int64_t until_ns = MonotonicNs() + kExitPatienceNs;
  for (const CounterPointer& counter : counters) {
    if (!IsOnCaller()) AwaitEnd(*counter, until_ns);
  }
}

// --- a recording ---

void AskedCounters::Begin(const Recording&) {
  is_on_ = true;
  ++recordings_;
  tick_ns_.store(0, std::memory_order_seq_cst);
  ChooseCaller();
  for (const CounterPointer& counter : counters_) counter->planned_ns = counter->due_ns = 0;
  if (!counters_.empty()) (void)Current().thread->Start();
  UpdateDue();
}

void AskedCounters::End() {
  is_on_ = false;
  for (const CounterPointer& counter : counters_) {
    counter->written.End();
    counter->has_value = counter->is_reported = false;
  }
  UpdateDue();
}

void AskedCounters::Read(int64_t tick_ns) {
  gap_ns_.store(tick_ns - last_tick_ns_, std::memory_order_relaxed);
  last_tick_ns_ = tick_ns;
  if (tick_ns < due_ns_.load(std::memory_order_relaxed)) return;
  tick_ns_.store(tick_ns, std::memory_order_seq_cst);
  const int64_t busy_since_ns = busy_since_ns_.load(std::memory_order_relaxed);
  bool must_wake = is_parked_.load(std::memory_order_seq_cst);
  if (busy_since_ns != 0) {
    if (tick_ns - busy_since_ns < kPatienceNs) return;
    const int32_t next = standby_.exchange(kNone, std::memory_order_acq_rel);
    if (next == kNone) return;
    busy_since_ns_.store(0, std::memory_order_relaxed);
    is_parked_.store(true, std::memory_order_seq_cst);
    current_.store(next, std::memory_order_release);
    must_wake = true;  // the caller before may have woken meanwhile, and is_parked_ is false
  }
  if (must_wake) Current().thread->Wake();
}

// The first function that is due. While all that are due run, nothing is.
void AskedCounters::UpdateDue() {
  int64_t due_ns = INT64_MAX;
  for (const CounterPointer& counter : counters_) due_ns = std::min(due_ns, counter->due_ns);
  due_ns_.store(is_on_ ? due_ns : INT64_MAX, std::memory_order_relaxed);
}

// --- the callers ---

// Functions of an earlier recording may still run.
void AskedCounters::ChooseCaller() {
  const auto free = std::find_if(callers_.begin(), callers_.end(), [](const Caller& one) { return !one.counter; });
  const Caller& chosen = free != callers_.end() ? *free : callers_.front();
  current_.store(chosen.index, std::memory_order_release);
  busy_since_ns_.store(free != callers_.end() ? 0 : MonotonicNs(), std::memory_order_relaxed);
  standby_.store(kNone, std::memory_order_release);
  is_parked_.store(true, std::memory_order_seq_cst);
}

// A thread that sleeps must be there before the caller needs one.
void AskedCounters::EnsureStandby(const Caller& caller) {
  if (standby_.load(std::memory_order_acquire) != kNone) return;
  for (const Caller& other : callers_) {
    if (&other == &caller || other.counter != nullptr) continue;
    if (other.thread->Start()) standby_.store(other.index, std::memory_order_release);
    return;
  }
}

AskedCounters::CounterPointer AskedCounters::FindDue(int64_t tick_ns) const {
  const CounterPointer* found = nullptr;
  for (const CounterPointer& counter : counters_) {
    if (counter->caller != kNone || counter->due_ns > tick_ns) continue;
    if (found == nullptr || counter->due_ns < (*found)->due_ns) found = &counter;
  }
  return found != nullptr ? *found : nullptr;
}

// A tick that comes a little early must not leave a whole tick out. So the next call may be half a tick early, but that
// does not bring those after it forward.
void AskedCounters::PlanNext(Counter& counter, int64_t tick_ns) const {
  const int64_t half_ns = std::min(gap_ns_.load(std::memory_order_relaxed), kLongestGapNs) / 2;
  if (counter.planned_ns + half_ns < tick_ns) counter.planned_ns = tick_ns;
  counter.planned_ns += counter.asked.least_interval_ns;
  counter.due_ns = std::max(counter.planned_ns - half_ns, tick_ns + 1);
}

void AskedCounters::ReportLate(int64_t now_ns) {
  for (const CounterPointer& counter : counters_) {
    const bool is_late = counter->caller != kNone && now_ns - counter->called_ns >= kPatienceNs;
    if (is_late && !counter->is_reported) Report(*counter, "its function takes long");
  }
}

// Profiles do not show this thread, so the marker belongs to the process.
void AskedCounters::Report(Counter& counter, const char* reason) {
  counter.is_reported = true;
  ThreadBaseLink::Current().MarkNow("Counter not read", (counter.name + ": " + reason).c_str());
}

void AskedCounters::Note(Counter& counter, bool has_value, int64_t value) {
  if (!has_value) {
    if (!counter.is_reported) Report(counter, "its function has no value");
    return;
  }
  const bool is_change = (counter.asked.flags & GECKOPROF_ASKED_CHANGE) != 0;
  // The first row shows what there was before. The first change of a recording belongs to that time.
  if (!counter.has_value) {
    counter.written.Begin(counter.Describe(), is_change ? 0 : value);
    if (!counter.written.is_there() && !counter.is_reported) Report(counter, "there are too many counters");
  } else if (is_change) {
    counter.written.Add(counter.Describe(), value);
  } else {
    counter.written.Set(counter.Describe(), counter.value, value);
  }
  counter.has_value = true;
  counter.value = value;
}

AskedCounters::CounterPointer AskedCounters::EndCall(Caller& caller, CounterPointer counter, uint64_t recording,
                                                     bool has_value, int64_t value) {
  const ForkHolds::Holder holder(lock_);
  caller.counter.reset();
  counter->caller = kNone;
  if (is_on_ && recording == recordings_ && !counter->is_removed) Note(*counter, has_value, value);
  // A thread that waits in Remove has the counter, too. It releases the argument before it returns.
  if (counter.use_count() > 1) counter.reset();
  calls_done_.fetch_add(1, std::memory_order_relaxed);
  FutexWake(calls_done_, INT32_MAX);
  return counter;
}

// REQUIRES: lock_, on the current caller, after the functions that were due at this tick.
int64_t AskedCounters::Sleep(int64_t tick_ns) {
  const bool has_ticked = tick_ns > done_tick_ns_;
  done_tick_ns_ = tick_ns;
  const int64_t due_ns = due_ns_.load(std::memory_order_relaxed), gap_ns = gap_ns_.load(std::memory_order_relaxed);
  is_parked_.store(!has_ticked || due_ns == INT64_MAX || gap_ns > kLongestGapNs, std::memory_order_seq_cst);
  if (!is_parked_.load(std::memory_order_seq_cst)) return due_ns + gap_ns + gap_ns / 8;
  // The sampler may have ticked before it could see that this thread wants to be woken.
  return tick_ns_.load(std::memory_order_seq_cst) > tick_ns ? 0 : INT64_MAX;
}

int64_t AskedCounters::Work(Caller& caller) {
  // A function is called at most once for each tick.
  const int64_t tick_ns = tick_ns_.load(std::memory_order_seq_cst);
  for (;;) {
    CounterPointer counter;
    uint64_t recording = 0;
    {
      const ForkHolds::Holder holder(lock_);
      const int64_t now_ns = MonotonicNs();
      const bool is_current = &Current() == &caller;
      if (is_on_ && is_current) {
        ReportLate(now_ns);
        EnsureStandby(caller);
        if (tick_ns != 0) counter = FindDue(tick_ns);  // the thread may begin before the first tick
      }
      if (counter != nullptr) {
        caller.counter = counter;
        counter->caller = caller.index;
        counter->called_ns = now_ns;
        PlanNext(*counter, tick_ns);
        recording = recordings_;
      }
      UpdateDue();
      int32_t none = kNone;
      if (is_current) busy_since_ns_.store(counter != nullptr ? now_ns : 0, std::memory_order_relaxed);
      if (is_on_ && !is_current) standby_.compare_exchange_strong(none, caller.index, std::memory_order_acq_rel);
      if (counter == nullptr) return is_on_ && is_current ? Sleep(tick_ns) : INT64_MAX;
    }
    int64_t value = 0;
    const geckoprof_asked_counter& asked = counter->asked;
    const bool has_value = asked.ask(asked.user, &value) != 0;
    (void)EndCall(caller, std::move(counter), recording, has_value, value);
  }
}

void AskedCounters::AfterForkInChild(bool held) {
  if (!held) {
    new (&counters_) std::vector<CounterPointer>;
    is_on_ = false;
  }
  for (Caller& caller : callers_) {
    if (caller.thread->IsOwn()) continue;  // the function that it is in has forked
    if (caller.counter != nullptr) caller.counter->caller = kNone;
    new (&caller.counter) CounterPointer;  // the parent releases the argument
  }
  standby_.store(kNone, std::memory_order_relaxed);
  if (Current().counter == nullptr) busy_since_ns_.store(0, std::memory_order_relaxed);
  UpdateDue();
}

}  // namespace geckoprof
