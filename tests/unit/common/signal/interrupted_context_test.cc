#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <thread>

#include "geckoprof/signal/capture_handler.h"

namespace geckoprof {
namespace {

std::atomic<int> g_repaired;
std::atomic<bool> g_repair;

void OnSignal(int, siginfo_t*, void* context) {
  if (g_repair.load() && RepairInterruptedCall(context, 0)) ++g_repaired;
}

// Calls `call` on a thread, interrupts it while it is blocked, and returns its errno, 0 if it did not fail.
int InterruptedErrno(const std::function<long()>& call, bool repair) {
  struct sigaction action = {};
  action.sa_sigaction = &OnSignal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGURG, &action, nullptr);
  g_repair = repair;
  g_repaired = 0;
  std::atomic<pid_t> tid{0};
  int error = 0;
  std::thread thread([&] {
    tid = static_cast<pid_t>(syscall(SYS_gettid));
    if (call() < 0) error = errno;
  });
  while (tid == 0) std::this_thread::yield();
  // Blocked in a call: its file says so, and which one.
  const std::string path = "/proc/self/task/" + std::to_string(tid.load()) + "/syscall";
  std::string text = "running";
  while (text.rfind("running", 0) == 0) {
    FILE* const file = fopen(path.c_str(), "r");
    char line[256] = "running";
    if (file != nullptr) {
      if (fgets(line, sizeof(line), file) == nullptr) strcpy(line, "running");
      fclose(file);
    }
    text = line;
  }
  syscall(SYS_tgkill, getpid(), tid.load(), SIGURG);
  thread.join();
  signal(SIGURG, SIG_DFL);
  return error;
}

constexpr timespec kShort = {0, 200'000'000};

// poll with its number in a register, as a compiler makes it in a loop.
long PollByRegister(bool is_high) {
  long result = 0;
  if (is_high) {
    asm volatile("mov %[number], %%r15d\n\tmov %%r15d, %%eax\n\tsyscall"
                 : "=&a"(result)
                 : [number] "i"(SYS_poll), "D"(nullptr), "S"(0L), "d"(200L)
                 : "rcx", "r11", "r15", "memory");
  } else {
    asm volatile("mov %[number], %%ebx\n\tmov %%ebx, %%eax\n\tsyscall"
                 : "=&a"(result)
                 : [number] "i"(SYS_poll), "D"(nullptr), "S"(0L), "d"(200L)
                 : "rcx", "r11", "rbx", "memory");
  }
  if (result >= 0) return result;
  errno = static_cast<int>(-result);
  return -1;
}

struct Case {
  const char* name;
  std::function<long()> call;
};

std::vector<Case> Cases() {
  const int epoll = epoll_create1(0);
  // With a time limit, reading from a socket is not restarted by the kernel (signal(7)). The limit passes: EAGAIN.
  int sockets[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  const timeval limit = {0, 200'000};
  setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  const auto unless_time_passed = [](long result) { return result < 0 && errno == EAGAIN ? 0 : result; };
  return {
      {"nanosleep", [] { return nanosleep(&kShort, nullptr); }},
      {"ppoll", [] { return ppoll(nullptr, 0, &kShort, nullptr); }},
      {"poll", [] { return poll(nullptr, 0, 200); }},
      {"select",
       [] {
         timeval time = {0, 200'000};
         return select(0, nullptr, nullptr, nullptr, &time);
       }},
      {"epoll_wait",
       [epoll] {
         epoll_event event;
         return epoll_wait(epoll, &event, 1, 200);
       }},
      {"sigtimedwait",
       [=] {
         sigset_t set;
         sigemptyset(&set);
         sigaddset(&set, SIGUSR2);
         return unless_time_passed(sigtimedwait(&set, nullptr, &kShort));
       }},
      {"read with a time limit",
       [=] {
         char byte;
         return unless_time_passed(read(sockets[0], &byte, 1));
       }},
      {"recv with a time limit",
       [=] {
         char byte;
         return unless_time_passed(recv(sockets[0], &byte, 1, 0));
       }},
      {"epoll_pwait2",
       [epoll] {
         epoll_event event;
         return epoll_pwait2(epoll, &event, 1, &kShort, nullptr);
       }},
      {"pselect", [] { return pselect(0, nullptr, nullptr, nullptr, &kShort, nullptr); }},
      {"number in r15d", [] { return PollByRegister(true); }},
      {"number in ebx", [] { return PollByRegister(false); }},
  };
}

TEST_CASE("without repair these calls fail with EINTR: the test's own check") {
  for (const Case& c : Cases()) {
    INFO(c.name);
    CHECK(InterruptedErrno(c.call, false) == EINTR);
  }
}

TEST_CASE("an interrupted call is issued again, so that nobody sees EINTR") {
  for (const Case& c : Cases()) {
    INFO(c.name);
    CHECK(InterruptedErrno(c.call, true) == 0);
    CHECK(g_repaired == 1);
  }
}

TEST_CASE("a wait with a signal mask of its own is for a signal, and fails") {
  const int epoll = epoll_create1(0);
  static sigset_t none;
  sigemptyset(&none);
  const Case cases[] = {
      {"ppoll", [] { return ppoll(nullptr, 0, &kShort, &none); }},
      {"pselect", [] { return pselect(0, nullptr, nullptr, nullptr, &kShort, &none); }},
      {"epoll_pwait",
       [epoll] {
         epoll_event event;
         return epoll_pwait(epoll, &event, 1, 200, &none);
       }},
      {"epoll_pwait2",
       [epoll] {
         epoll_event event;
         return epoll_pwait2(epoll, &event, 1, &kShort, &none);
       }},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    CHECK(InterruptedErrno(c.call, true) == EINTR);
    CHECK(g_repaired == 0);
  }
  close(epoll);
}

TEST_CASE("registers of a running thread that hold the same number are left alone") {
  ucontext_t context = {};
  getcontext(&context);
  context.uc_mcontext.gregs[REG_RAX] = -EINTR;
  const auto before = context.uc_mcontext;
  CHECK_FALSE(RepairInterruptedCall(&context, 0));
  CHECK(memcmp(context.uc_mcontext.gregs, before.gregs, sizeof(before.gregs)) == 0);
}

}  // namespace
}  // namespace geckoprof
