#include "tools/record/crash_keeper.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace geckoprof {
namespace {

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
