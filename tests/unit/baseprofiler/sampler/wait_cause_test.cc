#include "sampler/wait_cause.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string_view>

#include "sampler/blocked_thread_reader.h"

namespace geckoprof {
namespace {

using Kind = DescriptorKinds::Kind;

// Each descriptor is of the kind that its number says.
class NumberedKinds final : public DescriptorKinds {
 public:
  Kind KindOf(int descriptor) const override { return static_cast<Kind>(descriptor); }
};

// Reads a line of /proc/self/task/TID/syscall.
SystemCall CallIn(std::string_view line) {
  const Fd file(memfd_create("line", MFD_CLOEXEC));
  REQUIRE(write(file.number(), line.data(), line.size()) == static_cast<ssize_t>(line.size()));
  BlockedThreadReader::Place place;
  REQUIRE(BlockedThreadReader().ReadPlace(file, place) == BlockedThreadReader::State::kBlocked);
  return place.call;
}

WaitCause CauseOf(int64_t number, std::initializer_list<uint64_t> arguments = {}) {
  SystemCall call;
  call.number = number;
  std::copy(arguments.begin(), arguments.end(), call.arguments.begin());
  return CauseOfWait(call, NumberedKinds());
}

struct Line {
  std::string_view what;
  WaitCause cause;
  std::string_view line;
};

#ifdef __x86_64__
// What Linux 6.18 showed of small programs, with glibc 2.36, libstdc++ 12 and Rust 1.95.
constexpr Line kLines[] = {
    {"pthread_mutex_lock", WaitCause::kLock, "202 0x56506c75d760 0x80 0x2 0x0 0x0 0x0 0x7f7a1281ce78 0x7f7a128a412b\n"},
    {"pthread_mutex_timedlock", WaitCause::kLock,
     "202 0x56506c75d760 0x189 0x2 0x7f7a11019e90 0x0 0xffffffff 0x7f7a11019df0 0x7f7a128a3e96\n"},
    {"priority inheriting mutex", WaitCause::kLock,
     "202 0x56506c75d6a0 0x86 0x0 0x0 0x7ffee08c9c17 0x56509f43fb40 0x7f7a10017e38 0x7f7a128a3f95\n"},
    {"robust mutex", WaitCause::kLock,
     "202 0x56506c75d660 0x0 0x8000354f 0x0 0x56506c75d680 0x56509f43fc90 0x7f7a0f816e40 0x7f7a128aa043\n"},
    {"pthread_rwlock_rdlock", WaitCause::kLock,
     "202 0x56506c75d5a8 0x189 0x3 0x0 0x0 0xffffffff 0x7f7a0e013e40 0x7f7a128a3e96\n"},
    {"pthread_rwlock_wrlock", WaitCause::kLock,
     "202 0x56506c75d5ac 0x189 0x3 0x0 0x0 0xffffffff 0x7f7a0d812e20 0x7f7a128a3e96\n"},
    {"pthread_rwlock_wrlock, held by readers", WaitCause::kLock,
     "202 0x56506c75d568 0x189 0x2 0x0 0x0 0xffffffff 0x7f7a0d011e20 0x7f7a128a3e96\n"},
    {"std::sync::Mutex", WaitCause::kLock,
     "202 0x55bd21fd9cc4 0x89 0x2 0x0 0x0 0xffffffff 0x7f21d6304cd8 0x7f21d640a829\n"},
    {"std::sync::RwLock::read", WaitCause::kLock,
     "202 0x55bd21fd9ca4 0x89 0x7fffffff 0x0 0x0 0xffffffff 0x7f21d6103cc8 0x7f21d640a829\n"},
    {"condition_variable::wait", WaitCause::kCondition,
     "202 0x56506c75d4c8 0x189 0x0 0x0 0x0 0xffffffff 0x7f7a0b80ed90 0x7f7a128a3f16\n"},
    {"condition_variable::wait_for", WaitCause::kCondition,
     "202 0x56506c75d4c8 0x89 0x0 0x7f7a0b00de90 0x0 0xffffffff 0x7f7a0b00dd80 0x7f7a128a3f16\n"},
    {"sem_wait", WaitCause::kCondition,
     "202 0x56506c75d460 0x189 0x0 0x0 0x0 0xffffffff 0x7f7a0a00be10 0x7f7a128a3f16\n"},
    {"pthread_barrier_wait", WaitCause::kCondition,
     "202 0x56506c75d444 0x80 0x0 0x0 0x56506c75d440 0x1 0x7f7a09009e70 0x7f7a128a5619\n"},
    {"pthread_once", WaitCause::kCondition,
     "202 0x56506c75d42c 0x80 0x1 0x0 0x7ffee08c9c17 0x56509f441040 0x7f7a08007e40 0x7f7a128abff1\n"},
    {"pthread_join", WaitCause::kCondition,
     "202 0x7f7a07006990 0x109 0x3567 0x0 0x0 0xffffffff 0x7f7a07806dc0 0x7f7a128a3f16\n"},
    {"pthread_join of the second thread of a container", WaitCause::kCondition,
     "202 0x7f7a07006990 0x109 0x2 0x0 0x0 0xffffffff 0x7f7a07806dc0 0x7f7a128a3f16\n"},
    {"std::atomic<int>(2)::wait", WaitCause::kCondition,
     "202 0x56506c75d360 0x0 0x2 0x0 0x56509f4412e0 0x4b 0x7f7a06804e08 0x7f7a1291f829\n"},
    {"std::future::wait", WaitCause::kCondition,
     "202 0x56509f441cb0 0x0 0x80000000 0x0 0x0 0x0 0x7f79fe7fbe28 0x7f7a1291f829\n"},
    {"a static variable's guard", WaitCause::kCondition,
     "202 0x56506c75d3a0 0x0 0x10100 0x0 0x56509f442230 0x56509f442230 0x7f79fcff8e88 0x7f7a1291f829\n"},
    {"std::sync::Condvar", WaitCause::kCondition,
     "202 0x55bd21fd9ca0 0x89 0x0 0x0 0x0 0xffffffff 0x7f21d5afdcb8 0x7f21d640a829\n"},
    {"Condvar::wait_timeout", WaitCause::kCondition,
     "202 0x55bd21fd9ca0 0x89 0x2 0x7f21d5afdcd0 0x0 0xffffffff 0x7f21d5afdcb8 0x7f21d640a829\n"},
    {"std::thread::park", WaitCause::kCondition,
     "202 0x55bd2e2de168 0x89 0xffffffff 0x0 0x0 0xffffffff 0x7f21d56f5cb8 0x7f21d640a829\n"},
    {"usleep", WaitCause::kSleep, "230 0x0 0x0 0x7f79fc7f7e70 0x0 0x0 0x56509f442380 0x7f79fc7f7e30 0x7f7a128ed545\n"},
    {"pause", WaitCause::kSleep, "34 0x0 0x0 0x2 0x7f7a12837fa0 0x7ffee08c9c17 0x56509f442620 0x7f79fb7f5e80 0x1\n"},
    {"sigsuspend", WaitCause::kSleep, "130 0x7f79faff4e20 0x8 0x0 0x7f7a12829828 0x0 0x0 0x7f79faff4e00 0x1\n"},
    {"sigwait", WaitCause::kSleep, "128 0x7f79fa7f3e20 0x7f79fa7f3d60 0x0 0x8 0x0 0x0 0x7f79fa7f3d30 0x1\n"},
    {"poll of none", WaitCause::kSleep, "7 0x0 0x0 0x186a0 0x7f7a1282c8d0 0x0 0x56509f442a10 0x7f79f9ff2e70 0x1\n"},
    {"select of none", WaitCause::kSleep, "270 0x0 0x0 0x0 0x0 0x7f79f97f1e30 0x0 0x7f79f97f1e20 0x7f7a1291c9ec\n"},
    {"poll", WaitCause::kPoll, "7 0x7f79f8ff0e98 0x1 0xffffffff 0x0 0x0 0x56509f442cb0 0x7f79f8ff0e60 0x1\n"},
    {"ppoll", WaitCause::kPoll, "271 0x7f79f87efe98 0x1 0x0 0x0 0x8 0x0 0x7f79f87efe40 0x7f7a1291a366\n"},
    {"select", WaitCause::kPoll, "270 0x4 0x7f79f7feee20 0x0 0x0 0x0 0x0 0x7f79f7feedb0 0x7f7a1291c9ec\n"},
    {"epoll_wait", WaitCause::kPoll, "232 0x5 0x7f79f77ede94 0x1 0x186a0 0x0 0x0 0x7f79f77ede60 0x7f7a12926f36\n"},
    {"recv", WaitCause::kSocket, "45 0x9 0x7f79f47e7e9f 0x1 0x0 0x0 0x0 0x7f79f47e7e60 0x7f7a12928974\n"},
    {"wait", WaitCause::kChild, "61 0xffffffff 0x7f79f2fe4e9c 0x0 0x0 0x0 0x56509f443c70 0x7f79f2fe4e60 0x1\n"},
    {"waitid", WaitCause::kChild, "247 0x0 0x0 0x7f79f27e3e20 0x4 0x0 0x0 0x7f79f27e3df0 0x7f7a128f1cc9\n"},
    {"flock", WaitCause::kFile, "73 0xd 0x2 0x7ffee08c9e84 0x0 0x7ffee08c9c17 0x0 0x7f79f1fe2e98 0x7f7a12916897\n"},
    {"msgrcv", WaitCause::kOther, "70 0x0 0x7f79f17e1e80 0xa 0x0 0x0 0x0 0x7f79f17e1e40 0x7f7a12929423\n"},
    {"a page of memory", WaitCause::kPageFault, "-1 0x7ffd0a1b2c30 0x55d0a1b2c3d4\n"},
};

TEST_CASE("the cause of a wait follows from the line that the kernel shows") {
  for (const Line& line : kLines) {
    INFO(line.what);
    CHECK(NameOf(CauseOfWait(CallIn(line.line), NumberedKinds())) == NameOf(line.cause));
  }
}
#endif

TEST_CASE("a line has its number, or none") {
  CHECK(CallIn("0 0x3 0x2 0x1 0x0 0x0 0x0 0x7ffd0 0x55d0\n").number == 0);
  CHECK(CallIn("0 0x3 0x2 0x1 0x0 0x0 0x0 0x7ffd0 0x55d0\n").arguments[0] == 3);
  CHECK(CallIn("449 0x3 0x2 0x1 0x0 0x0 0x0 0x7ffd0 0x55d0\n").number == 449);
  CHECK(CallIn("-1 0x7ffd0 0x55d0\n").number == SystemCall::kNone);
  CHECK(CallIn("-1 0x3 0x2 0x1 0x0 0x0 0x0 0x7ffd0 0x55d0\n").number == SystemCall::kNone);
  CHECK(CallIn("99999999999999999999 0x3 0x2 0x1 0x0 0x0 0x0 0x7ffd0 0x55d0\n").number == SystemCall::kNone);
}

// The names of calls that both architectures have.
TEST_CASE("calls by their names") {
  CHECK(CauseOf(SYS_futex, {0, FUTEX_WAIT_PRIVATE, 2}) == WaitCause::kLock);
  CHECK(CauseOf(SYS_futex, {0, FUTEX_WAIT_PRIVATE, 0}) == WaitCause::kCondition);
  CHECK(CauseOf(SYS_futex, {0, FUTEX_LOCK_PI_PRIVATE}) == WaitCause::kLock);
  CHECK(CauseOf(SYS_semtimedop) == WaitCause::kCondition);
  CHECK(CauseOf(SYS_nanosleep) == WaitCause::kSleep);
  CHECK(CauseOf(SYS_clock_nanosleep) == WaitCause::kSleep);
  CHECK(CauseOf(SYS_ppoll, {0, 0}) == WaitCause::kSleep);
  CHECK(CauseOf(SYS_ppoll, {0, 2}) == WaitCause::kPoll);
  CHECK(CauseOf(SYS_pselect6, {0}) == WaitCause::kSleep);
  CHECK(CauseOf(SYS_pselect6, {3}) == WaitCause::kPoll);
  CHECK(CauseOf(SYS_epoll_pwait) == WaitCause::kPoll);
  CHECK(CauseOf(SYS_io_uring_enter) == WaitCause::kPoll);
  CHECK(CauseOf(SYS_wait4) == WaitCause::kChild);
  CHECK(CauseOf(SYS_accept4) == WaitCause::kSocket);
  CHECK(CauseOf(SYS_connect) == WaitCause::kSocket);
  CHECK(CauseOf(SYS_fsync) == WaitCause::kFile);
  CHECK(CauseOf(SYS_openat) == WaitCause::kFile);
  CHECK(CauseOf(SYS_getrandom) == WaitCause::kOther);
  CHECK(CauseOf(1'000'000) == WaitCause::kOther);
  CHECK(CauseOf(65536 + SYS_nanosleep) == WaitCause::kOther);
  CHECK(CauseOf(SystemCall::kNone) == WaitCause::kPageFault);
}

TEST_CASE("the cause of reading and writing is the kind of the descriptor") {
  for (const int64_t call : {SYS_read, SYS_write, SYS_readv, SYS_pwrite64, SYS_ioctl, SYS_sendfile, SYS_fcntl}) {
    const auto cause_of = [call](Kind kind) { return CauseOf(call, {static_cast<uint64_t>(kind)}); };
    CHECK(cause_of(Kind::kFile) == WaitCause::kFile);
    CHECK(cause_of(Kind::kSocket) == WaitCause::kSocket);
    CHECK(cause_of(Kind::kPipe) == WaitCause::kPipe);
    CHECK(cause_of(Kind::kEvent) == WaitCause::kCondition);
    CHECK(cause_of(Kind::kTimer) == WaitCause::kSleep);
    CHECK(cause_of(Kind::kOther) == WaitCause::kOther);
    CHECK(cause_of(Kind::kUnknown) == WaitCause::kOther);
  }
}

TEST_CASE("what a descriptor is open on") {
  const ThreadDescriptors descriptors(ThreadId::FromNumber(static_cast<int32_t>(syscall(SYS_gettid))));
  const auto kind_of = [&](int number) {
    const Fd file(number);
    REQUIRE(file.ok());
    return descriptors.KindOf(number);
  };
  int ends[2], sockets[2];
  REQUIRE(pipe(ends) == 0);
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  CHECK(kind_of(ends[0]) == Kind::kPipe);
  CHECK(kind_of(ends[1]) == Kind::kPipe);
  CHECK(kind_of(sockets[0]) == Kind::kSocket);
  CHECK(kind_of(sockets[1]) == Kind::kSocket);
  CHECK(kind_of(open("/proc/self/exe", O_RDONLY)) == Kind::kFile);
  CHECK(kind_of(open("/", O_RDONLY)) == Kind::kFile);
  CHECK(kind_of(open("/dev/null", O_RDONLY)) == Kind::kFile);
  CHECK(kind_of(eventfd(0, 0)) == Kind::kEvent);
  CHECK(kind_of(timerfd_create(CLOCK_MONOTONIC, 0)) == Kind::kTimer);
  sigset_t none;
  sigemptyset(&none);
  CHECK(kind_of(signalfd(-1, &none, 0)) == Kind::kTimer);
  CHECK(kind_of(epoll_create1(0)) == Kind::kOther);
  CHECK(descriptors.KindOf(987'654) == Kind::kUnknown);
  CHECK(descriptors.KindOf(-1) == Kind::kUnknown);
  CHECK(ThreadDescriptors(ThreadId::FromNumber(INT32_MAX)).KindOf(0) == Kind::kUnknown);
}

}  // namespace
}  // namespace geckoprof
