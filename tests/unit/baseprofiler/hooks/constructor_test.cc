// The constructor has run before main: each case runs this program again, under an environment, with one of the hidden
// cases that look at what it did.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <vector>

#include "recording_folder.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

// The exit status of this program with only these variables, running the hidden case of that name.
int StatusUnder(
    std::vector<std::string> environment, const char* hidden_case, const std::function<void()>& before_exec = [] {}) {
  return StatusInChild([&] {
    std::vector<char*> variables;
    for (std::string& variable : environment) variables.push_back(variable.data());
    variables.push_back(nullptr);
    const char* const arguments[] = {"constructor_test", hidden_case, nullptr};
    before_exec();
    execve("/proc/self/exe", const_cast<char* const*>(arguments), variables.data());
    return 126;
  });
}

ProfilerCore& Core() { return ProfilerCore::Get(); }

TEST_CASE("seen: inactive", "[.]") {
  CHECK(RecordingState::Get().state() == ProfilerState::kInactive);
  CHECK(CountThreads() == 1);
}

TEST_CASE("seen: nothing known", "[.]") {
  CHECK(RecordingState::Get().state() == ProfilerState::kInactive);
  CHECK(RecordingState::Get().IsThisProcess());
  CHECK(Core().parameters().session_dir[0] == '\0');
}

TEST_CASE("seen: parameters without a start", "[.]") {
  CHECK(RecordingState::Get().state() == ProfilerState::kInactive);
  CHECK(Core().parameters().interval_ns == 7 * kNsPerMs);
}

TEST_CASE("seen: active", "[.]") {
  REQUIRE(RecordingState::Get().state() == ProfilerState::kActive);
  CHECK(CountThreads() == 2);
  CHECK(Core().parameters().interval_ns == 7 * kNsPerMs);
  const SegmentHeader& header = RecordingState::Get().RecordingSegment()->header();
  CHECK(header.interval_ns == 7 * kNsPerMs);
  CHECK(header.constructor_ns > 0);
  CHECK(header.constructor_ns <= header.created_ns);
  CHECK(header.created_ns <= MonotonicNs());
}

TEST_CASE("nothing is done where the environment does not ask") {
  CHECK(StatusUnder({}, "seen: nothing known") == 0);
  CHECK(StatusUnder({"PATH=/bin", "GECKOPRO=1", "XGECKOPROF_STARTUP=1"}, "seen: nothing known") == 0);
  CHECK(StatusUnder({"GECKOPROF_STARTUP_INTERVAL=7"}, "seen: parameters without a start") == 0);
  CHECK(StatusUnder({"GECKOPROF_STARTUP=0"}, "seen: inactive") == 0);
}

TEST_CASE("a start that is asked for happens before main, and the exit hooks are there") {
  const RecordingFolder folder;
  const std::vector<std::string> environment = {"PATH=/bin",
                                                "GECKOPROF_STARTUP=1",
                                                "GECKOPROF_STARTUP_INTERVAL=7",
                                                "GECKOPROF_SESSION_DIR=" + folder.path(),
                                                "GECKOPROF_SHUTDOWN=" + folder.path() + "/out.json",
                                                "GECKOPROF_COMMAND=" + folder.Command()};
  CHECK(StatusUnder(environment, "seen: active") == 0);
  CHECK(folder.Has("out.json"));
}

TEST_CASE("a process that the filters exclude is not recorded") {
  const RecordingFolder folder;
  CHECK(
      StatusUnder({"GECKOPROF_STARTUP=1", "GECKOPROF_STARTUP_FILTERS=pid:1", "GECKOPROF_SESSION_DIR=" + folder.path()},
                  "seen: inactive") == 0);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("help is printed and the program does not run") {
  CHECK(StatusUnder({"GECKOPROF_HELP=1"}, "seen: active", [] {
          const int nothing = open("/dev/null", O_WRONLY);
          dup2(nothing, 1);
          dup2(nothing, 2);
        }) == 0);
}

// Puts this process under a filter that kills whoever makes that system call.
void KillOn(uint32_t call) {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program = {4, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) _exit(77);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(77);
}

TEST_CASE("seen: asleep for good", "[.]") {
  CHECK(RecordingState::Get().state() == ProfilerState::kInactive);
  CHECK(RecordingState::Get().HasStoppedForGood());
}

TEST_CASE("under a filter that would kill nothing is recorded, and the recorder can see it") {
  const RecordingFolder folder;
  const std::string file = folder.path() + "/filtered";
  const int made = open(file.c_str(), O_CREAT | O_WRONLY, 0600);
  const timespec times[] = {{0, 0}, {0, UTIME_OMIT}};
  REQUIRE(futimens(made, times) == 0);
  close(made);
  CHECK(StatusUnder({"GECKOPROF_STARTUP=1", "GECKOPROF_SESSION_DIR=" + folder.path()}, "seen: asleep for good",
                    [] { KillOn(SYS_process_vm_readv); }) == 0);
  struct stat info = {};
  REQUIRE(stat(file.c_str(), &info) == 0);
  CHECK(info.st_atim.tv_sec != 0);
  const auto entries = std::filesystem::directory_iterator(folder.path());
  CHECK(std::distance(entries, {}) == 1);
}

}  // namespace
}  // namespace geckoprof
