#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "baseprofiler/base_profiler.h"
#include "core/profiler_core.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

// A stop would be its parent's, waitpid's, to see: no exit status.
TEST_CASE("a thread that asked to be traced gets no signal of ours, its child does") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          FORKED_REQUIRE(baseprofiler::profiler_start() == baseprofiler::StartResult::kStarted);
          errno = 5;
          FORKED_REQUIRE(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 && errno == 5);
          FORKED_REQUIRE(ThreadSlots::Known() != nullptr && ThreadSlots::Known()->IsSignalUnsafe(SIGURG, false));
          for (const int64_t end_ns = geckoprof_base_now() + 100'000'000; geckoprof_base_now() < end_ns;) {
          }
          FORKED_REQUIRE(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == -1 && errno == EPERM);  // it is already
          FORKED_REQUIRE(ThreadSlots::Known()->IsSignalUnsafe(SIGURG, false));
          sigset_t end_of_child;  // which would stop it, too
          sigemptyset(&end_of_child);
          sigaddset(&end_of_child, SIGCHLD);
          FORKED_REQUIRE(sigprocmask(SIG_BLOCK, &end_of_child, nullptr) == 0);
          return StatusInChild([] { return ThreadSlots::Known()->IsSignalUnsafe(SIGURG, false) ? 1 : 7; });
        }) == 7);
}

TEST_CASE("a thread that asked by the bare system call gets none, either") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          FORKED_REQUIRE(baseprofiler::profiler_start() == baseprofiler::StartResult::kStarted);
          FORKED_REQUIRE(syscall(SYS_ptrace, PTRACE_PEEKDATA, getpid(), nullptr, nullptr) == -1 && errno == ESRCH);
          errno = 5;
          FORKED_REQUIRE(syscall(SYS_ptrace, PTRACE_TRACEME, 0, nullptr, nullptr) == 0 && errno == 5);
          FORKED_REQUIRE(ThreadSlots::Known() != nullptr && ThreadSlots::Known()->IsSignalUnsafe(SIGURG, false));
          FORKED_REQUIRE(syscall(SYS_ptrace, PTRACE_TRACEME, 0, nullptr, nullptr) == -1 && errno == EPERM);
          return 7;
        }) == 7);
}

TEST_CASE("asked while nothing is recorded, and other requests") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          FORKED_REQUIRE(ptrace(PTRACE_PEEKDATA, getpid(), nullptr, nullptr) == -1 && errno == ESRCH);
          FORKED_REQUIRE(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0);
          FORKED_REQUIRE(baseprofiler::profiler_start() == baseprofiler::StartResult::kStarted);
          for (const int64_t end_ns = geckoprof_base_now() + 100'000'000; geckoprof_base_now() < end_ns;) {
          }
          return 7;
        }) == 7);
}

}  // namespace
}  // namespace geckoprof
