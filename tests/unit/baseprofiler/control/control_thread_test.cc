// The thread that obeys another process. Each case listens in a forked child.
#include "control/control_thread.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>

#include "geckoprof/base/raw_syscall.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

// The thread runs Act, which calls nothing of libc.
std::atomic<int> g_begun, g_ended, g_may_end;
std::atomic<ControlOrder::Kind> g_kind;
std::atomic<uint64_t> g_number;

void Act(const ControlOrder& order) {
  g_number = order.value.number();
  g_kind = order.kind;
  ++g_begun;
  while (g_may_end == 0) RawSyscall(SYS_sched_yield);
  for (int i = 0; i < 1000; ++i) RawSyscall(SYS_sched_yield);
  ++g_ended;
}

void Listen() {
  RecordingFolder::Load();
  ControlThread::Get().Listen(&Act, /*obeys_signals=*/true);
}

// Arrives before the call returns.
void Send(uint64_t number) {
  siginfo_t info = {};
  info.si_signo = kControlSignal;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_value.sival_ptr = ControlValue(number, false).pointer();
  syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), kControlSignal, &info);
}

bool IsAlone() {
  return Soon([] { return CountThreads() == 1; });
}

TEST_CASE("a request makes a thread, and a second one is dropped while the thread runs") {
  CHECK(StatusInChild([] {
          Listen();
          FORKED_REQUIRE(CountThreads() == 1);
          Send(4711);
          FORKED_REQUIRE(Soon([] { return g_begun == 1; }) && g_number == 4711 &&
                         g_kind == ControlOrder::Kind::kRequest);
          FORKED_REQUIRE(CountThreads() == 2);
          Send(4712);
          FORKED_REQUIRE(CountThreads() == 2);
          g_may_end = 1;
          FORKED_REQUIRE(IsAlone() && g_ended == 1 && g_number == 4711);
          Send(4713);
          FORKED_REQUIRE(Soon([] { return g_begun == 2; }) && g_number == 4713);
          return 0;
        }) == 0);
}

TEST_CASE("holding off waits for the thread, and none begins until the release") {
  CHECK(StatusInChild([] {
          Listen();
          g_may_end = 1;
          Send(1);
          ControlThread::Get().HoldOff(/*may_wait=*/true);
          FORKED_REQUIRE(g_begun == 1 && g_ended == 1 && CountThreads() == 1);
          ControlThread::Get().HoldOff(/*may_wait=*/true);
          Send(2);
          ControlThread::Get().Release();
          Send(3);  // the first caller still holds it off
          FORKED_REQUIRE(CountThreads() == 1 && g_begun == 1);
          ControlThread::Get().Release();
          Send(4);
          FORKED_REQUIRE(Soon([] { return g_begun == 2; }) && g_number == 4);
          return 0;
        }) == 0);
}

TEST_CASE("holding off without a wait returns while the thread runs") {
  CHECK(StatusInChild([] {
          Listen();
          Send(1);
          FORKED_REQUIRE(Soon([] { return g_begun == 1; }));
          ControlThread::Get().HoldOff(/*may_wait=*/false);
          FORKED_REQUIRE(g_ended == 0 && CountThreads() == 2);
          g_may_end = 1;
          FORKED_REQUIRE(IsAlone());
          Send(2);
          FORKED_REQUIRE(CountThreads() == 1);
          return 0;
        }) == 0);
}

TEST_CASE("a release without a hold changes nothing") {
  CHECK(StatusInChild([] {
          Listen();
          ControlThread::Get().Release();
          ControlThread::Get().HoldOff(/*may_wait=*/true);
          Send(1);
          FORKED_REQUIRE(CountThreads() == 1 && g_begun == 0);
          return 0;
        }) == 0);
}

TEST_CASE("the user's signals make the thread, and tell which one it was") {
  CHECK(StatusInChild([] {
          Listen();
          g_may_end = 1;
          raise(SIGUSR1);
          FORKED_REQUIRE(Soon([] { return g_kind == ControlOrder::Kind::kStart; }) && IsAlone());
          raise(SIGUSR2);
          FORKED_REQUIRE(Soon([] { return g_kind == ControlOrder::Kind::kStop; }) && IsAlone());
          return 0;
        }) == 0);
}

TEST_CASE("a user's signal that comes while the thread runs is obeyed afterwards, and as often as it comes alone") {
  CHECK(StatusInChild([] {
          Listen();
          Send(1);
          FORKED_REQUIRE(Soon([] { return g_begun == 1; }));
          raise(SIGUSR1);
          raise(SIGUSR2);
          FORKED_REQUIRE(CountThreads() == 2 && g_begun == 1);
          g_may_end = 1;
          FORKED_REQUIRE(IsAlone() && g_begun == 3 && g_kind == ControlOrder::Kind::kStop);
          for (int i = 4; i < 200; ++i) {
            raise(SIGUSR1);
            // The thread has obeyed, and is on its way to its end.
            FORKED_REQUIRE(Soon([i] { return g_ended == i; }));
          }
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
