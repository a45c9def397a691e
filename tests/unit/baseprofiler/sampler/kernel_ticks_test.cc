// On real threads, with a handler that counts the signals.
#include "sampler/kernel_ticks.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/futex.h"
#include "recording/sampler_control.h"
#include "sampler/capture_pool.h"
#include "sampler/sampled_thread.h"
#include "scripted_thread_view.h"
#include "tests/support/await.h"
#include "tests/support/forked_check.h"
#include "tests/support/own_stack.h"

// The linker defines the bounds of a section with such a name.
extern "C" const char __start_busy_code[], __stop_busy_code[];

namespace geckoprof {
namespace {

constexpr int64_t kLongNs = 60 * kNsPerSecond;  // no test waits for so long, unless it fails
constexpr int64_t kNeverNs = 1'000'000 * kNsPerSecond;

// The process has one table, which each test takes over from the one before.
CaptureTable g_table;
std::atomic<uint32_t> g_signals, g_foreign;

void OnSignal(int, siginfo_t* info, void* context) {
  g_signals.fetch_add(1);
  if (!CaptureSignalSafe(g_table, *info, context)) g_foreign.fetch_add(1);
}

// Computes until `*ends`. It calls nothing, so its instructions lie in its own section.
__attribute__((noinline, section("busy_code"))) void Compute(const bool* ends, uint64_t* turns) {
  while (!__atomic_load_n(ends, __ATOMIC_RELAXED)) __atomic_store_n(turns, *turns + 1, __ATOMIC_RELAXED);
}
bool IsInCompute(uint64_t pc) {
  return pc >= reinterpret_cast<uintptr_t>(__start_busy_code) && pc < reinterpret_cast<uintptr_t>(__stop_busy_code);
}

// A thread that computes, sleeps, or is in the kernel most of the time.
class Worker {
 public:
  Worker() {
    thread_ = std::thread([this] { Work(); });
    Await([&] { return turns() > 0; });
  }
  ~Worker() {
    Do(kEnd);
    thread_.join();
  }
  void Compute() {
    Do(kCompute);
    const uint64_t before = turns();
    Await([&] { return turns() != before; });
  }
  void Sleep() {
    Do(kSleep);
    REQUIRE(AwaitBlocked(tid().ToNumber()));
  }
  void CallKernel() { Do(kCallKernel); }
  // Returns when the thread has used so much more CPU time.
  void AwaitCpu(int64_t ns) const {
    const int64_t until_ns = ThreadCpuNs(tid()) + ns;
    Await([&] { return ThreadCpuNs(tid()) >= until_ns; });
  }
  ThreadId tid() const { return ThreadId::FromNumber(tid_.load()); }
  StackRange stack() const { return stack_; }

  template <typename Condition>
  static void Await(const Condition& condition) {
    const int64_t until_ns = MonotonicNs() + kLongNs;
    while (!condition()) {
      if (MonotonicNs() > until_ns) FAIL("it takes too long");
      std::this_thread::yield();
    }
  }

 private:
  enum What : int { kCompute, kSleep, kCallKernel, kEnd };

  void Do(What what) {
    what_.store(what);
    __atomic_store_n(&ends_part_, true, __ATOMIC_RELEASE);
    what_.notify_all();
  }
  uint64_t turns() const { return __atomic_load_n(&turns_, __ATOMIC_RELAXED); }
  void Work() {
    stack_ = {OwnStack().low, OwnStack().high};
    tid_.store(OwnTid().ToNumber());
    std::vector<char> random(64 * 1024);
    for (int what = what_.load(); what != kEnd; what = what_.load()) {
      __atomic_store_n(&ends_part_, false, __ATOMIC_RELEASE);
      if (what_.load() != what) continue;
      if (what == kCompute) geckoprof::Compute(&ends_part_, &turns_);
      if (what == kSleep) what_.wait(kSleep);
      if (what == kCallKernel && getrandom(random.data(), random.size(), 0) < 0 && errno != EINTR) abort();
    }
  }

  std::atomic<int> what_{kCompute};
  bool ends_part_ = false;
  uint64_t turns_ = 0;
  std::atomic<int32_t> tid_{0};
  StackRange stack_ = {0, 0};
  std::thread thread_;
};

// Lowers a limit of the process during its lifetime.
class LoweredLimit {
 public:
  LoweredLimit(__rlimit_resource resource, rlim_t limit) : resource_(resource) {
    getrlimit(resource, &before_);
    const rlimit lowered = {limit, before_.rlim_max};
    setrlimit(resource, &lowered);
  }
  ~LoweredLimit() { setrlimit(resource_, &before_); }
  LoweredLimit(const LoweredLimit&) = delete;
  LoweredLimit& operator=(const LoweredLimit&) = delete;

 private:
  const __rlimit_resource resource_;
  rlimit before_ = {};
};

size_t OpenDescriptors() {
  const std::filesystem::directory_iterator folder("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(folder), end(folder)));
}
size_t OpenTimers() {
  std::ifstream list("/proc/self/timers");  // kernels with CONFIG_CHECKPOINT_RESTORE have it
  size_t count = 0;
  for (std::string line; std::getline(list, line);) count += line.starts_with("ID:");
  return count;
}

// KernelTicks with what they need.
struct Fixture {
  explicit Fixture(SampleClock best = SampleClock::kPerfEvent) : ticks(&g_table, &control, &header, best) {
    g_table.pid = getpid();
    struct sigaction action = {};
    action.sa_sigaction = &OnSignal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
    sigaction(SIGURG, &action, nullptr);
    g_foreign = 0;
  }
  ~Fixture() {
    sampled.clear();
    signal(SIGURG, SIG_DFL);
  }

  SampledThread& Add(ThreadId tid, StackRange stack = {0, 0}) {
    sampled.push_back(std::make_unique<SampledThread>());
    sampled.back()->tid = tid;
    sampled.back()->stack = stack;
    return *sampled.back();
  }
  SampledThread& Add(const Worker& worker) { return Add(worker.tid(), worker.stack()); }

  // As it is where no event can be opened.
  bool ArmCpuTimer(SampledThread& thread, int64_t interval_ns = kMs) {
    const LoweredLimit no_descriptors(RLIMIT_NOFILE, 0);
    return ticks.Arm(thread, interval_ns, SIGURG);
  }
  // Returns false if an event is not permitted here.
  bool ArmEvent(SampledThread& thread, int64_t interval_ns = kMs) {
    const size_t before = OpenDescriptors();
    return ticks.Arm(thread, interval_ns, SIGURG) && OpenDescriptors() == before + 1;
  }

  // Calls check(answer) for each tick that has come.
  template <typename Check>
  size_t TakeAnswered(const Check& check) {
    std::vector<CaptureBuffer*> answered;
    ticks.TakeUnserved();
    ticks.TakeAnswered(answered);
    for (CaptureBuffer* const answer : answered) {
      check(*answer);
      ticks.Release(answer, 0);
    }
    return answered.size();
  }
  size_t TakeAnswered() {
    return TakeAnswered([](const CaptureBuffer&) {});
  }
  template <typename Check>
  void AwaitAnswered(size_t count, const Check& check) {
    size_t taken = 0;
    Worker::Await([&] { return (taken += TakeAnswered(check)) >= count; });
  }
  size_t UsedPlaces() const {
    const TickTable* const table = g_table.ticks;
    if (table == nullptr) return 0;
    size_t used = 0;
    for (const TickedThread& thread : table->threads) used += thread.tid != 0 || thread.serial != 0;
    CHECK(table->used_threads == used);
    return used;
  }

  SamplerControl control{};
  SegmentHeader header{};
  KernelTicks ticks;
  std::vector<std::unique_ptr<SampledThread>> sampled;
};

// The two kinds of timers.
enum class Kind : bool { kEvent, kCpuTimer };

bool Arm(Fixture& fixture, SampledThread& thread, Kind kind, int64_t interval_ns = kMs) {
  const bool is_armed =
      kind == Kind::kEvent ? fixture.ArmEvent(thread, interval_ns) : fixture.ArmCpuTimer(thread, interval_ns);
  if (!is_armed) WARN((kind == Kind::kEvent ? "events" : "timers") << " are not permitted here");
  return is_armed;
}

TEST_CASE("a thread that computes is interrupted where it computes, and nothing comes while it sleeps") {
  const Kind kind = GENERATE(Kind::kEvent, Kind::kCpuTimer);
  Fixture fixture;
  Worker worker;
  SampledThread& thread = fixture.Add(worker);
  if (!Arm(fixture, thread, kind)) return;
  CHECK(thread.timer.is_armed());
  int64_t last_cycles = 0;
  const auto check = [&](const CaptureBuffer& answer) {
    CHECK(answer.tid == worker.tid().ToNumber());
    CHECK(IsInCompute(answer.registers.pc));
    CHECK(worker.stack().Contains(answer.registers.sp));
    CHECK_FALSE(answer.unknown_stack);
    CHECK(answer.reached_stack_end);
    CHECK(answer.clock == (kind == Kind::kCpuTimer ? SampleClock::kCpuTimer : SampleClock::kPerfEvent));
    CHECK(static_cast<int64_t>(answer.begin_cycles) >= last_cycles);
    last_cycles = static_cast<int64_t>(answer.begin_cycles);
  };
  fixture.AwaitAnswered(20, check);

  worker.Sleep();
  fixture.TakeAnswered();
  const uint32_t signals = g_signals;
  const int64_t until_ns = CurrentThreadCpuNs() + 50 * kMs;
  while (CurrentThreadCpuNs() < until_ns) {
  }
  CHECK(g_signals == signals);
  CHECK_FALSE(fixture.ticks.AnyAnswered());

  worker.Compute();
  fixture.AwaitAnswered(5, [](const CaptureBuffer&) {});
  CHECK(g_foreign == 0);
}

TEST_CASE("a disarmed timer leaves no signal, no descriptor, no timer and no place") {
  const Kind kind = GENERATE(Kind::kEvent, Kind::kCpuTimer);
  Fixture fixture;
  Worker worker;
  const size_t descriptors = OpenDescriptors();
  const size_t timers = OpenTimers();
  const size_t places = fixture.UsedPlaces();
  for (int turn = 0; turn < 5; ++turn) {
    SampledThread& thread = fixture.Add(worker);
    if (!Arm(fixture, thread, kind, 100 * kUs)) return;
    CHECK(fixture.UsedPlaces() == places + 1);
    fixture.AwaitAnswered(3, [](const CaptureBuffer&) {});
    if (turn % 2 == 0) thread.timer.Disarm();
    if (turn % 2 == 1) fixture.sampled.clear();  // the end of the object disarms it, too
    CHECK(OpenDescriptors() == descriptors);
    CHECK(OpenTimers() == timers);
    CHECK(fixture.UsedPlaces() == places);
    // A signal that was on its way is over once the thread has run. It gives no answer.
    worker.AwaitCpu(10 * kMs);
    fixture.TakeAnswered();
    const uint32_t signals = g_signals;
    worker.AwaitCpu(30 * kMs);
    CHECK(g_signals == signals);
    CHECK_FALSE(fixture.ticks.AnyAnswered());
  }
  CHECK(g_foreign == 0);
}

TEST_CASE("a signal that was pending when its timer was disarmed is a tick that gives no answer") {
  const Kind kind = GENERATE(Kind::kEvent, Kind::kCpuTimer);
  Fixture fixture;
  SampledThread& thread = fixture.Add(OwnTid());
  const SignalsBlocked blocked(SignalBit(SIGURG));
  if (!Arm(fixture, thread, kind)) return;
  const uint32_t signals = g_signals;
  const auto is_pending = [] {
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGURG) == 1;
  };
  Worker::Await(is_pending);
  thread.timer.Disarm();
  CHECK(g_signals == signals);
  {
    const KernelSignalSet urgent = SignalBit(SIGURG);
    syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &urgent, nullptr, sizeof(urgent));
  }
  CHECK(g_foreign == 0);
  CHECK_FALSE(fixture.ticks.AnyAnswered());
}

TEST_CASE("each of several threads gets its own ticks") {
  const Kind kind = GENERATE(Kind::kEvent, Kind::kCpuTimer);
  Fixture fixture;
  Worker workers[3];
  for (const Worker& worker : workers) {
    if (!Arm(fixture, fixture.Add(worker), kind)) return;
  }
  uint32_t counts[3] = {};
  Worker::Await([&] {
    fixture.TakeAnswered([&](const CaptureBuffer& answer) {
      for (int i = 0; i < 3; ++i) {
        if (answer.tid != workers[i].tid().ToNumber()) continue;
        ++counts[i];
        CHECK(workers[i].stack().Contains(answer.registers.sp));
      }
    });
    return counts[0] >= 5 && counts[1] >= 5 && counts[2] >= 5;
  });
}

// Runs on as a user without rights. Returns false if that is not possible.
bool DropRights() {
  constexpr uid_t kNobody = 65534;
  return setresuid(kNobody, kNobody, kNobody) == 0;
}

// An event of such a user sees no time in the kernel, and the timer's ticks count there alone.
TEST_CASE("time in the kernel has ticks, with and without rights") {
  const bool has_rights = GENERATE(true, false);
  const int status = StatusInChild([&] {
    if (!has_rights && !DropRights()) return kForkedSkip;
    Fixture fixture;
    Worker worker;
    SampledThread& thread = fixture.Add(worker);
    if (!fixture.ticks.Arm(thread, kMs, SIGURG)) return kForkedSkip;
    uint32_t in_compute = 0, strange = 0;
    fixture.AwaitAnswered(10, [&](const CaptureBuffer& answer) {
      ++(IsInCompute(answer.registers.pc) ? in_compute : strange);
      if (fixture.header.event_error == 0 && answer.clock != SampleClock::kPerfEvent) ++strange;
    });
    FORKED_REQUIRE(in_compute >= 10 && strange == 0);
    worker.CallKernel();
    uint32_t in_call = 0;
    Worker::Await([&] {
      fixture.TakeAnswered([&](const CaptureBuffer& answer) { in_call += IsInCompute(answer.registers.pc) ? 0 : 1; });
      return in_call >= 10;
    });
    return 0;
  });
  if (status == kForkedSkip) WARN("not permitted here");
  if (status != kForkedSkip) CHECK(status == 0);
}

TEST_CASE("without places for threads nothing is armed") {
  Fixture fixture;
  {
    SampledThread& first = fixture.Add(OwnTid());
    if (!fixture.ticks.Arm(first, kNeverNs, SIGURG)) return;  // makes the table
    fixture.sampled.clear();
  }
  TickTable& table = *g_table.ticks;
  const size_t descriptors = OpenDescriptors();
  for (TickedThread& thread : table.threads) thread.tid = INT32_MAX;
  SampledThread& thread = fixture.Add(OwnTid());
  CHECK_FALSE(fixture.ticks.Arm(thread, kNeverNs, SIGURG));
  CHECK(fixture.ticks.IsUsedUp());
  CHECK_FALSE(thread.timer.is_armed());
  CHECK(OpenDescriptors() == descriptors);
  table.threads[77].tid = 0;
  CHECK(fixture.ticks.Arm(thread, kNeverNs, SIGURG));
  CHECK_FALSE(fixture.ticks.IsUsedUp());
  CHECK(table.threads[77].tid == OwnTid().ToNumber());
  for (TickedThread& other : table.threads) {
    if (other.tid == INT32_MAX) other.tid = 0;
  }
}

TEST_CASE("without descriptors a thread has a timer, and an event again as soon as there are some") {
  Fixture fixture;
  SampledThread& with_event = fixture.Add(OwnTid());
  if (!fixture.ArmEvent(with_event, kNeverNs)) return;
  const size_t descriptors = OpenDescriptors();
  SampledThread& with_timer = fixture.Add(OwnTid());
  if (!Arm(fixture, with_timer, Kind::kCpuTimer, kNeverNs)) return;
  CHECK(OpenDescriptors() == descriptors);
  CHECK(fixture.header.event_error == EMFILE);
  CHECK(fixture.ArmEvent(fixture.Add(OwnTid()), kNeverNs));
}

TEST_CASE("events use at most half of the descriptors that the process may have, and all threads are armed") {
  CHECK(StatusInChild([] {
          constexpr rlim_t kLimit = 64;
          constexpr size_t kThreads = 100;
          CloseDescriptorsFrom(3);
          const LoweredLimit few_descriptors(RLIMIT_NOFILE, kLimit);
          Fixture fixture;
          const size_t before = OpenDescriptors();
          if (!fixture.ArmCpuTimer(fixture.Add(OwnTid()), kNeverNs)) return 0;
          for (size_t i = 1; i < kThreads; ++i) {
            FORKED_REQUIRE(fixture.ticks.Arm(fixture.Add(OwnTid()), kNeverNs, SIGURG));
          }
          FORKED_REQUIRE(OpenDescriptors() - before <= kLimit / 2);
          FORKED_REQUIRE(fixture.UsedPlaces() == kThreads);
          fixture.sampled.clear();
          FORKED_REQUIRE(g_table.ticks.load()->used_events == 0 && OpenDescriptors() == before);
          return 0;
        }) == 0);
}

TEST_CASE("without timers a thread has an event alone, or is not armed") {
  Fixture fixture;
  SampledThread& thread = fixture.Add(OwnTid());
  if (!fixture.ticks.Arm(thread, kNeverNs, SIGURG)) return;
  thread.timer.Disarm();
  const size_t descriptors = OpenDescriptors();
  const LoweredLimit no_signals(RLIMIT_SIGPENDING, 0);
  CHECK_FALSE(fixture.ArmCpuTimer(thread, kNeverNs));
  CHECK(fixture.ticks.IsUsedUp());
  CHECK_FALSE(thread.timer.is_armed());
  CHECK(OpenDescriptors() == descriptors);
  CHECK(fixture.UsedPlaces() == 0);
  const bool has_event = fixture.ticks.Arm(thread, kNeverNs, SIGURG);
  CHECK(has_event == (OpenDescriptors() == descriptors + 1));
  CHECK(has_event == thread.timer.is_armed());
}

TEST_CASE("a lack of timers concerns a user's second timer alone") {
  const int status = StatusInChild([] {
    if (!DropRights()) return kForkedSkip;
    Fixture fixture;
    Worker worker;
    SampledThread& thread = fixture.Add(worker);
    const LoweredLimit no_signals(RLIMIT_SIGPENDING, 0);
    if (!fixture.ArmEvent(thread)) return kForkedSkip;
    FORKED_REQUIRE(fixture.header.event_error == 0);
    fixture.AwaitAnswered(10, [](const CaptureBuffer&) {});
    return 0;
  });
  if (status == kForkedSkip) WARN("not permitted here");
  if (status != kForkedSkip) CHECK(status == 0);
}

TEST_CASE("a thread that has ended is not armed, and that decides nothing for others") {
  Fixture fixture;
  ThreadId ended;
  std::thread([&] { ended = OwnTid(); }).join();
  Worker::Await([&] { return ThreadCpuNs(ended) < 0; });
  SampledThread& thread = fixture.Add(ended);
  const bool may_tick = fixture.ticks.may_tick();
  CHECK_FALSE(fixture.ArmCpuTimer(thread));
  CHECK_FALSE(fixture.ticks.Arm(thread, kMs, SIGURG));
  CHECK_FALSE(fixture.ticks.IsUsedUp());
  CHECK_FALSE(thread.timer.is_armed());
  CHECK(fixture.UsedPlaces() == 0);
  CHECK(fixture.ticks.may_tick() == may_tick);
}

// Has the kernel refuse a system call from now on. Returns false if that is not possible.
bool Refuse(uint32_t call, uint32_t error) {
  sock_filter code[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, call},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | error},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  const sock_fprog program = {static_cast<unsigned short>(std::size(code)), code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_CASE("the first refusal of events decides for the whole recording, and then that of timers") {
  const auto error = static_cast<uint32_t>(GENERATE(EACCES, EPERM, ENOSYS));
  const int status = StatusInChild([&] {
    Fixture fixture;
    SampledThread& thread = fixture.Add(OwnTid());
    if (!fixture.ArmCpuTimer(thread, kNeverNs)) return kForkedSkip;
    thread.timer.Disarm();
    const size_t descriptors = OpenDescriptors();
    if (!Refuse(SYS_perf_event_open, error)) return kForkedSkip;
    FORKED_REQUIRE(fixture.ticks.Arm(thread, kNeverNs, SIGURG));
    FORKED_REQUIRE(fixture.ticks.may_tick() && fixture.header.event_error == static_cast<int32_t>(error));
    FORKED_REQUIRE(OpenDescriptors() == descriptors);
    // All ticks are the timers' now, so each is one row.
    CaptureBuffer tick = {};
    tick.clock = SampleClock::kCpuTimer;
    FORKED_REQUIRE(fixture.ticks.RowsOf(tick, kMs / 10) == 1);
    thread.timer.Disarm();
    if (!Refuse(SYS_timer_create, EPERM)) return kForkedSkip;
    FORKED_REQUIRE(!fixture.ticks.Arm(thread, kNeverNs, SIGURG) && !thread.timer.is_armed());
    FORKED_REQUIRE(!fixture.ticks.may_tick());
    FORKED_REQUIRE(fixture.UsedPlaces() == 0);
    return 0;
  });
  if (status == kForkedSkip) WARN("not permitted here");
  if (status != kForkedSkip) CHECK(status == 0);
}

TEST_CASE("a refusal of timers concerns no events") {
  const int status = StatusInChild([] {
    Fixture fixture;
    SampledThread& thread = fixture.Add(OwnTid());
    if (!fixture.ArmEvent(thread, kNeverNs) || !Refuse(SYS_timer_create, EPERM)) return kForkedSkip;
    thread.timer.Disarm();
    FORKED_REQUIRE(!fixture.ArmCpuTimer(thread, kNeverNs));
    FORKED_REQUIRE(fixture.ArmEvent(thread, kNeverNs));
    return 0;
  });
  if (status == kForkedSkip) WARN("not permitted here");
  if (status != kForkedSkip) CHECK(status == 0);
}

TEST_CASE("a clock that is better than the setting allows is not used") {
  const size_t descriptors = OpenDescriptors();
  Fixture timers(SampleClock::kCpuTimer);
  SampledThread& thread = timers.Add(OwnTid());
  CHECK(timers.ticks.Arm(thread, kNeverNs, SIGURG) == timers.ticks.may_tick());
  CHECK(OpenDescriptors() == descriptors);
  thread.timer.Disarm();
  Fixture none(SampleClock::kRequest);
  CHECK_FALSE(none.ticks.may_tick());
  CHECK_FALSE(none.ticks.Arm(none.Add(OwnTid()), kNeverNs, SIGURG));
  CHECK_FALSE(none.ticks.IsUsedUp());
}

TEST_CASE("signals of the program's own timers and descriptors are no ticks") {
  Fixture fixture;
  const bool is_armed = fixture.ArmCpuTimer(fixture.Add(OwnTid()));
  uint32_t expected = 0;
  const auto await = [&] {
    ++expected;
    Worker::Await([&] { return g_foreign >= expected; });
  };
  // A pipe, with a number that was no tick's.
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  const int reader =
      fcntl(ends[0], F_DUPFD_CLOEXEC, static_cast<int>(std::min<rlim_t>(limit.rlim_cur, TickTable::kDescriptors)) - 8);
  REQUIRE(reader >= 0);
  const f_owner_ex owner = {F_OWNER_TID, OwnTid().ToNumber()};
  REQUIRE(fcntl(reader, F_SETOWN_EX, &owner) == 0);
  REQUIRE(fcntl(reader, F_SETSIG, SIGURG) == 0);
  REQUIRE(fcntl(reader, F_SETFL, O_ASYNC) == 0);
  REQUIRE(write(ends[1], "x", 1) == 1);
  await();
  for (const int descriptor : {ends[0], ends[1], reader}) close(descriptor);
  // A timer of the same kind, with a value of the program's.
  struct sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGURG;
  event.sigev_value.sival_ptr = &fixture;
  timer_t timer;
  REQUIRE(timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0);
  const itimerspec once = {{0, 0}, {0, 1}};
  REQUIRE(timer_settime(timer, 0, &once, nullptr) == 0);
  await();
  timer_delete(timer);
  raise(SIGURG);
  await();
  if (is_armed) fixture.AwaitAnswered(3, [](const CaptureBuffer&) {});
  CHECK(g_foreign == expected);
}

TEST_CASE("a tick wakes a sampler that sleeps until one comes, and a batch does not") {
  Fixture fixture;
  Worker worker;
  worker.Sleep();
  fixture.control.depth = SamplerSleep::kUntilTick;
  const uint32_t word = fixture.control.word;
  if (!fixture.ArmCpuTimer(fixture.Add(worker))) return;
  worker.Compute();
  const int64_t until_ns = MonotonicNs() + kLongNs;
  while (fixture.control.word == word && MonotonicNs() < until_ns) FutexWaitUntil(fixture.control.word, word, until_ns);
  CHECK(fixture.control.word == word + SamplerSleep::kStep);
  CHECK(fixture.control.depth == SamplerSleep::kAwake);
  // Until few buffers are free, ticks of a batch wake nobody.
  fixture.TakeAnswered();
  fixture.control.depth = SamplerSleep::kUntilBatch;
  TickTable& table = *g_table.ticks;
  const auto free = [&] {
    int count = 0;
    for (const auto& bits : table.free) count += __builtin_popcountll(bits);
    return count;
  };
  const int before = free();
  REQUIRE(table.few + 1 < static_cast<uint32_t>(before));
  Worker::Await([&] { return fixture.control.depth == SamplerSleep::kAwake; });
  CHECK(free() <= static_cast<int>(table.few));
  CHECK(fixture.control.word == word + 2 * SamplerSleep::kStep);
}

TEST_CASE("a sampler takes over the table, the buffers and the answers of an earlier one") {
  Worker worker;
  size_t buffers = 0;
  {
    Fixture earlier;
    if (!earlier.ArmCpuTimer(earlier.Add(worker))) return;
    Worker::Await([&] { return earlier.ticks.AnyAnswered(); });
    for (const auto& buffer : g_table.ticks.load()->buffers) buffers += buffer != nullptr;
  }
  const TickTable* const table = g_table.ticks;
  worker.AwaitCpu(10 * kMs);
  Fixture fixture;
  CHECK(g_table.ticks == table);
  CHECK(table->sampler == &fixture.control);
  CHECK_FALSE(fixture.ticks.AnyAnswered());
  size_t free = 0;
  for (const auto& bits : table->free) free += static_cast<size_t>(__builtin_popcountll(bits));
  CHECK(free == buffers);
  REQUIRE(fixture.ArmCpuTimer(fixture.Add(worker)));
  fixture.AwaitAnswered(3, [](const CaptureBuffer&) {});
}

TEST_CASE("a thread's labels and bounds reach its handler, also if they are known later") {
  Fixture fixture;
  Worker worker;
  const auto slot = std::make_unique<ThreadSlot>();
  slot->labels.Push("late label", nullptr, 0, reinterpret_cast<const void*>(worker.stack().high - 64));
  SampledThread& thread = fixture.Add(worker.tid());
  if (!fixture.ArmCpuTimer(thread)) return;
  fixture.AwaitAnswered(3, [](const CaptureBuffer& answer) {
    CHECK(answer.unknown_stack);
    CHECK(answer.label_count == 0);
  });
  thread.slot = slot.get();
  thread.stack = worker.stack();
  KernelTicks::Update(thread);
  worker.AwaitCpu(10 * kMs);
  fixture.TakeAnswered();
  fixture.AwaitAnswered(3, [](const CaptureBuffer& answer) {
    CHECK_FALSE(answer.unknown_stack);
    CHECK(answer.label_count == 1);
  });
  fixture.sampled.clear();
  worker.AwaitCpu(10 * kMs);
}

}  // namespace
}  // namespace geckoprof
