#include "tools/record/writing_signals.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>

#include "geckoprof/base/clock.h"

namespace geckoprof {
namespace {

// Runs `body` in a child whose stderr comes back, with its shell-like status.
struct ChildResult {
  int status = -1;
  std::string said;
};
ChildResult InChild(const std::function<void()>& body) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    body();
    _exit(0);
  }
  close(ends[1]);
  ChildResult result;
  char part[512];
  for (ssize_t got = 0; (got = read(ends[0], part, sizeof(part))) > 0;)
    result.said.append(part, static_cast<size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  result.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

TEST_CASE("signals that were meant for the program are nothing, pending ones too") {
  const ChildResult result = InChild([] {
    sigset_t set;
    sigfillset(&set);
    sigprocmask(SIG_SETMASK, &set, nullptr);
    raise(SIGTERM);
    WritingSignals::Begin("/session", MonotonicNs());
    for (const int number : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE}) raise(number);
  });
  CHECK(result.status == 0);
  CHECK(result.said.empty());
}

TEST_CASE("later ones warn first, then give up and say where the data is") {
  const ChildResult warned = InChild([] {
    WritingSignals::Begin("/session", MonotonicNs() - kNsPerSecond);
    raise(SIGINT);
  });
  CHECK(warned.status == 0);
  CHECK(warned.said.find("once more") != std::string::npos);
  const ChildResult ended = InChild([] {
    WritingSignals::Begin("/session", MonotonicNs() - kNsPerSecond);
    raise(SIGINT);
    raise(SIGTERM);
  });
  CHECK(ended.status == 128 + SIGTERM);
  CHECK(ended.said.find("geckoprof recover /session -o FILE") != std::string::npos);
}

// Never ends, which the compiler must not see.
__attribute__((noinline)) int Overflow(volatile char* outer) {
  volatile char frame[4096];
  frame[0] = *outer;
  if (frame[0] != 0) return 0;
  return Overflow(frame) + frame[0];
}

enum class Crash : uint8_t { kAbort, kFault, kBusError, kStackOverflow };

void End(Crash crash) {
  volatile char start = 0;
  if (crash == Crash::kAbort) abort();
  if (crash == Crash::kFault) raise(SIGSEGV);
  if (crash == Crash::kBusError) raise(SIGBUS);
  if (crash == Crash::kStackOverflow) Overflow(&start);
}

TEST_CASE("a crash ends with the text and the status") {
  for (const Crash crash : {Crash::kAbort, Crash::kFault, Crash::kBusError, Crash::kStackOverflow}) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
      dup2(ends[1], STDERR_FILENO);
      const CrashKeeper keeper(std::string("kept\n") + std::string(2000, 'x'), 42);
      End(crash);
      _exit(99);
    }
    close(ends[1]);
    std::string text(3000, '\0');
    text.resize(static_cast<size_t>(std::max<ssize_t>(read(ends[0], text.data(), text.size()), 0)));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 42);
    CHECK(text == "kept\n" + std::string(995, 'x'));
  }
}

TEST_CASE("signals are afterwards what they were") {
  struct sigaction before = {}, after = {};
  sigaction(SIGABRT, nullptr, &before);
  { const CrashKeeper keeper("", 1); }
  sigaction(SIGABRT, nullptr, &after);
  CHECK(before.sa_handler == after.sa_handler);
}

}  // namespace
}  // namespace geckoprof
