#include "sampler/raw_thread.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>

#include "geckoprof/base/raw_syscall.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

int CountTasks() {
  DIR* const folder = opendir("/proc/self/task");
  int count = 0;
  while (const dirent* entry = readdir(folder)) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

uint64_t OwnMask() {
  uint64_t mask = 0;
  syscall(SYS_rt_sigprocmask, 0, nullptr, &mask, sizeof(mask));
  return mask;
}

// What the thread does and sees. It calls nothing of libc.
struct Visit {
  std::atomic<uint32_t> phase{0};  // 1: the thread has looked round, 2: it may leave
  long tid = 0, slack_ns = 0, inherited = 0, opened = 0, changed_directory = -1;
  RawThread::Scheduling scheduling = {};
  bool own_table = false;
  uint64_t mask = 0;
  uintptr_t local = 0;

  static int Run(void* argument) {
    auto& self = *static_cast<Visit*>(argument);
    volatile char local = 0;
    self.local = reinterpret_cast<uintptr_t>(&local);
    self.tid = RawSyscall(SYS_gettid);
    RawThread::RequestTimeliness();
    self.slack_ns = RawSyscall(SYS_prctl, PR_GET_TIMERSLACK);
    RawThread::GetScheduling(self.scheduling);
    self.own_table = RawThread::UnshareDescriptors();
    self.inherited = RawSyscall(SYS_fcntl, 2, F_GETFD);
    self.opened = RawSyscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY, 0);
    self.changed_directory = RawSyscall(SYS_chdir, "/");
    RawSyscall(SYS_rt_sigprocmask, 0, nullptr, &self.mask, sizeof(self.mask));
    self.Go(1);
    self.WaitFor(2);
    return 0;
  }
  void Go(uint32_t next) {
    phase.store(next);
    RawSyscall(SYS_futex, &phase, FUTEX_WAKE, 10, nullptr, nullptr, 0);
  }
  void WaitFor(uint32_t wanted) {
    for (uint32_t now; (now = phase.load()) < wanted;)
      RawSyscall(SYS_futex, &phase, FUTEX_WAIT, now, nullptr, nullptr, 0);
  }
};

// With one processor for both, a thread that is not let begin waits for the rest of its maker's time slice: thousands
// of calls that did nothing would be over long before.
TEST_CASE("a new thread on its maker's processor begins when it is let") {
  const int status = StatusInChild([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof(one), &one) != 0) return 2;
    for (int round = 0; round < 20; ++round) {
      RawThread thread;
      Visit visit;
      visit.phase.store(0);
      if (thread.Start(&Visit::Run, &visit) != 0) return 3;
      int turns = 0;
      while (visit.phase.load() == 0 && turns < 1000) {
        RawThread::YieldToNewThread();
        ++turns;
      }
      const bool has_begun = visit.phase.load() != 0;
      visit.WaitFor(1);
      visit.Go(2);
      thread.WaitForEnd();
      if (!has_begun) return 1;
    }
    return 0;
  });
  CHECK(status == 0);
}

TEST_CASE("a raw thread runs, is one more task of the process, and is gone after WaitForEnd") {
  const int before = CountTasks();
  RawThread thread;
  CHECK_FALSE(thread.IsRunning());
  Visit visit;
  REQUIRE(thread.Start(&Visit::Run, &visit) == 0);
  visit.WaitFor(1);
  CHECK(thread.IsRunning());
  CHECK(thread.tid() == visit.tid);
  CHECK(visit.tid != getpid());
  CHECK(CountTasks() == before + 1);
  visit.Go(2);
  thread.WaitForEnd();
  CHECK_FALSE(thread.IsRunning());
  CHECK(CountTasks() == before);
}

// Whether the kernel knows of time slices: it names that of every thread, and of those before Linux 6.12 says 0.
bool HasTimeSlices() {
  RawThread::Scheduling own = {};
  return RawThread::GetScheduling(own) && own.slice_ns != 0;
}

TEST_CASE(
    "a thread that is to be timely has the shortest time slice, the highest priority and no slack; its maker keeps "
    "what it has") {
  const int slack_before = prctl(PR_GET_TIMERSLACK);
  RawThread::Scheduling before = {}, after = {};
  REQUIRE(RawThread::GetScheduling(before));
  RawThread thread;
  Visit visit;
  REQUIRE(thread.Start(&Visit::Run, &visit) == 0);
  visit.WaitFor(1);
  visit.Go(2);
  thread.WaitForEnd();
  CHECK(visit.slack_ns == 1);
  if (HasTimeSlices()) CHECK(visit.scheduling.slice_ns == 100'000);
  // A child finds out whether this process has the right.
  const bool may_raise = StatusInChild([] { return setpriority(PRIO_PROCESS, 0, -20) == 0 ? 1 : 0; }) == 1;
  CHECK(visit.scheduling.nice == (may_raise && before.nice == 0 ? -20 : before.nice));
  REQUIRE(RawThread::GetScheduling(after));
  CHECK(after.slice_ns == before.slice_ns);
  CHECK(after.nice == before.nice);
  CHECK(prctl(PR_GET_TIMERSLACK) == slack_before);
}

TEST_CASE("a thread that is to be timely keeps the priority and the class that the program gave itself") {
  for (const int policy : {SCHED_OTHER, SCHED_BATCH, SCHED_IDLE}) {
    CAPTURE(policy);
    CHECK(StatusInChild([policy] {
            const sched_param none = {};
            FORKED_REQUIRE(setpriority(PRIO_PROCESS, 0, 7) == 0);
            FORKED_REQUIRE(sched_setscheduler(0, policy, &none) == 0);
            RawThread thread;
            Visit visit;
            FORKED_REQUIRE(thread.Start(&Visit::Run, &visit) == 0);
            visit.WaitFor(1);
            FORKED_REQUIRE(static_cast<int>(visit.scheduling.policy) == policy);
            FORKED_REQUIRE(visit.scheduling.nice == 7);
            visit.Go(2);
            thread.WaitForEnd();
            return 0;
          }) == 0);
  }
}

TEST_CASE("libc goes on believing that the process has one thread") {
  REQUIRE(__libc_single_threaded);
  RawThread thread;
  Visit visit;
  REQUIRE(thread.Start(&Visit::Run, &visit) == 0);
  visit.WaitFor(1);
  CHECK(__libc_single_threaded);
  visit.Go(2);
  thread.WaitForEnd();
  CHECK(__libc_single_threaded);
}

TEST_CASE("the thread has files and a working directory of its own, and blocks every signal") {
  char directory_before[4096], directory_meanwhile[4096];
  REQUIRE(getcwd(directory_before, sizeof(directory_before)) != nullptr);
  const uint64_t mask_before = OwnMask();
  RawThread thread;
  Visit visit;
  REQUIRE(thread.Start(&Visit::Run, &visit) == 0);
  visit.WaitFor(1);
  CHECK(visit.own_table);
  CHECK(visit.inherited == -EBADF);
  CHECK(fcntl(2, F_GETFD) != -1);
  CHECK(visit.opened == 0);  // its table was empty
  CHECK(visit.changed_directory == 0);
  REQUIRE(getcwd(directory_meanwhile, sizeof(directory_meanwhile)) != nullptr);
  CHECK(std::string(directory_meanwhile) == directory_before);
  constexpr uint64_t kNeverBlocked = uint64_t{1} << (SIGKILL - 1) | uint64_t{1} << (SIGSTOP - 1);
  CHECK((visit.mask | kNeverBlocked) == ~uint64_t{0});
  CHECK(OwnMask() == mask_before);
  visit.Go(2);
  thread.WaitForEnd();
}

// The accesses that /proc/self/maps allows right below the mapping of an address: "---p".
std::string RightsBelow(uintptr_t address) {
  std::ifstream maps("/proc/self/maps");
  unsigned long begin = 0, end = 0, end_below = 0;
  std::string rights_below;
  for (std::string line; std::getline(maps, line);) {
    char rights[5] = {};
    if (sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights) != 3) return "";
    if (address >= begin && address < end) return end_below == begin ? rights_below : "";
    end_below = end;
    rights_below = rights;
  }
  return "";
}

TEST_CASE("below a stack that its thread has guarded nothing can be touched") {
  static RawThread thread;
  static Visit visit;
  REQUIRE(thread.Start(
              [](void*) {
                thread.GuardOwnStack();
                return Visit::Run(&visit);
              },
              nullptr) == 0);
  visit.WaitFor(1);
  CHECK(RightsBelow(visit.local) == "---p");
  visit.Go(2);
  thread.WaitForEnd();
}

TEST_CASE("a thread can be started again, on the same memory") {
  RawThread thread;
  uintptr_t first = 0;
  for (int i = 0; i < 50; ++i) {
    Visit visit;
    visit.phase.store(2);
    REQUIRE(thread.Start(
                [](void* argument) {
                  volatile char local = 0;
                  static_cast<Visit*>(argument)->local = reinterpret_cast<uintptr_t>(&local);
                  return 0;
                },
                &visit) == 0);
    thread.WaitForEnd();
    if (i == 0) first = visit.local;
    CHECK(visit.local == first);
    CHECK(CountTasks() == 1);
  }
}

TEST_CASE("after WaitForEnd a call that demands a single thread works") {
  const int status = StatusInChild([] {
    if (unshare(CLONE_NEWUSER) != 0) return kForkedSkip;  // not even bare
    return 0;
  });
  if (status == kForkedSkip) {
    WARN("user namespaces are not permitted here");
    return;
  }
  CHECK(StatusInChild([] {
          RawThread thread;
          Visit visit;
          FORKED_REQUIRE(thread.Start(&Visit::Run, &visit) == 0);
          visit.WaitFor(1);
          FORKED_REQUIRE(unshare(CLONE_NEWUSER) == -1 && errno == EINVAL);
          visit.Go(2);
          thread.WaitForEnd();
          FORKED_REQUIRE(unshare(CLONE_NEWUSER) == 0);
          return 0;
        }) == 0);
}

TEST_CASE("where no thread is allowed Start says so and can be tried again") {
  CHECK(StatusInChild([] {
          constexpr unsigned kNobody = 65534;
          const rlimit one = {1, 1};
          FORKED_REQUIRE(setrlimit(RLIMIT_NPROC, &one) == 0);
          if (geteuid() == 0) FORKED_REQUIRE(syscall(SYS_setresuid, kNobody, kNobody, kNobody) == 0);
          RawThread thread;
          Visit visit;
          FORKED_REQUIRE(thread.Start(&Visit::Run, &visit) == -EAGAIN);
          FORKED_REQUIRE(!thread.IsRunning());
          thread.WaitForEnd();  // returns at once
          FORKED_REQUIRE(thread.Start(&Visit::Run, &visit) == -EAGAIN);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
