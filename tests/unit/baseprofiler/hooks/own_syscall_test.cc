#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "hooks/hook_calls.h"

namespace geckoprof {
namespace {

#ifdef __x86_64__

struct Seen {
  uintptr_t pc = 0;
  long top_of_stack = 0;
  long result = 0;
} g_seen;

// What the kernel interrupts: the thread has just come back from the call that sent the signal.
void Note(int, siginfo_t*, void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  g_seen.pc = static_cast<uintptr_t>(registers[REG_RIP]);
  memcpy(&g_seen.top_of_stack, reinterpret_cast<const void*>(registers[REG_RSP]), sizeof(long));
  g_seen.result = registers[REG_RAX];
}

TEST_CASE("a signal finds our syscall at the place that is told, with the call's number on top of the stack") {
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_sigaction = &Note;
  action.sa_flags = SA_SIGINFO;
  REQUIRE(sigaction(SIGUSR2, &action, &before) == 0);
  const long tid = syscall(SYS_gettid);
  REQUIRE(syscall(SYS_tgkill, getpid(), tid, SIGUSR2) == 0);
  REQUIRE(sigaction(SIGUSR2, &before, nullptr) == 0);
  CHECK(g_seen.pc == OwnSyscallReturn());
  CHECK(g_seen.top_of_stack == SYS_tgkill);
  CHECK(g_seen.result == 0);
}

TEST_CASE("the place is behind a system call instruction") {
  const auto* const place = reinterpret_cast<const unsigned char*>(OwnSyscallReturn());
  CHECK(place[-2] == 0x0f);
  CHECK(place[-1] == 0x05);
}

#else

TEST_CASE("libc's own syscall serves") { CHECK(OwnSyscallReturn() == 0); }

#endif

TEST_CASE("arguments arrive, up to the sixth") {
  char name[] = "/tmp/geckoprof-own-syscall-XXXXXX";
  const int fd = mkstemp(name);
  REQUIRE(fd >= 0);
  unlink(name);
  const std::string page(4096, 'a');
  REQUIRE(write(fd, page.data(), page.size()) == 4096);
  REQUIRE(write(fd, "second", 6) == 6);
  const long place = syscall(SYS_mmap, nullptr, 4096, PROT_READ, MAP_PRIVATE, fd, 4096);
  REQUIRE(place > 0);
  CHECK(std::string(reinterpret_cast<const char*>(place), 6) == "second");
  munmap(reinterpret_cast<void*>(place), 4096);
  close(fd);
}

TEST_CASE("an error is -1 and errno, a success leaves errno alone") {
  errno = 0;
  CHECK(syscall(SYS_close, -1) == -1);
  CHECK(errno == EBADF);
  errno = 0;
  CHECK(syscall(100'000) == -1);  // past any table of ours
  CHECK(errno == ENOSYS);
  errno = 0;
  CHECK(syscall(-1) == -1);
  CHECK(errno == ENOSYS);
  errno = EXDEV;
  CHECK(syscall(SYS_getpid) == getpid());
  CHECK(errno == EXDEV);
}

TEST_CASE("calls that are set apart come back the same") {
  errno = 0;
  CHECK(syscall(SYS_setns, -1, 0) == -1);
  CHECK(errno == EBADF);
  errno = 0;
  CHECK(syscall(SYS_seccomp, 999, 0, nullptr) == -1);
  CHECK(errno == EINVAL);
  errno = EXDEV;
  CHECK(syscall(SYS_setuid, getuid()) == 0);
  CHECK(errno == EXDEV);
}

}  // namespace
}  // namespace geckoprof
