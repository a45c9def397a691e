#include "core/process_end.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "recording_folder.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

// For a forked child: a recording whose profile is written to out.json at the end, with the hooks in place.
bool StartWithHooks(const RecordingFolder& folder) {
  const StartParameters parameters = folder.AskedWithProfile("out.json");
  ProfilerCore& core = folder.Load();
  RegisterExitHooks();
  RegisterExitHooks();  // as the constructor and a start by API
  return core.Start(parameters) == ProfilerCore::StartResult::kStarted;
}

TEST_CASE("every normal end writes the profile and keeps the status") {
  const auto end_by = [](void (*end)(int)) {
    const RecordingFolder folder;
    const int status = StatusInChild([&] {
      FORKED_REQUIRE(StartWithHooks(folder));
      end(33);
      return 1;
    });
    CHECK(status == 33);
    CHECK(folder.Has("out.json"));
  };
  SECTION("exit") { end_by(&exit); }
  SECTION("_exit") { end_by(&_exit); }
  SECTION("_Exit") { end_by(&_Exit); }
}

TEST_CASE("the end of a vfork's child is not that of its parent, which has recorded nothing yet") {
  const RecordingFolder folder;
  const int status = StatusInChild([&] {
    RegisterExitHooks();
    NoteUse();
    const pid_t child = vfork();
    if (child == 0) _exit(0);
    FORKED_REQUIRE(child > 0 && waitpid(child, nullptr, 0) == child);
    const StartParameters parameters = folder.AskedWithProfile("out.json");
    FORKED_REQUIRE(folder.Load().Start(parameters) == ProfilerCore::StartResult::kStarted);
    exit(33);
    return 1;
  });
  CHECK(status == 33);
  CHECK(folder.Has("out.json"));
}

TEST_CASE("at exit ours comes after handlers that were registered later") {
  static const RecordingFolder* g_folder = nullptr;
  const RecordingFolder folder;
  g_folder = &folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(StartWithHooks(folder));
          atexit([] {
            if (g_folder->Has("out.json") || !RecordingState::Get().RecordingSegment()) _exit(7);
          });
          exit(0);
          return 1;
        }) == 0);
  CHECK(folder.Has("out.json"));
}

TEST_CASE("a forked child records too, and both can be stopped") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(StartWithHooks(folder));
          const pid_t child = fork();
          if (child == 0) {
            const bool recorded = Soon([&] { return folder.HasOwn(); });
            _exit(recorded && ProfilerCore::Get().Stop() && CountThreads() == 1 ? 0 : 2);
          }
          int status = -1;
          FORKED_REQUIRE(waitpid(child, &status, 0) == child && status == 0);
          FORKED_REQUIRE(!folder.Has("out.json"));  // the parent's
          FORKED_REQUIRE(ProfilerCore::Get().Stop() && CountThreads() == 1);
          return 0;
        }) == 0);
}

TEST_CASE("the end of a vfork's child is not ours") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(StartWithHooks(folder));
          const pid_t child = vfork();
          if (child == 0) _exit(5);
          int status = -1;
          FORKED_REQUIRE(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5);
          FORKED_REQUIRE(!folder.Has("out.json"));
          FORKED_REQUIRE(RecordingState::Get().state() == ProfilerState::kActive && CountThreads() == 2);
          return 0;
        }) == 0);
  CHECK(folder.Has("out.json"));
}

TEST_CASE("where a filter denies the call that ends a process, its thread ends") {
  CHECK(StatusInChild([] {
          sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
                                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
          const sock_fprog program = {4, code};
          prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
          if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 21;
          _exit(21);
          return 1;
        }) == 21);
}

TEST_CASE("without a recording the end is an end") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          RegisterExitHooks();
          _exit(12);
          return 1;
        }) == 12);
}

}  // namespace
}  // namespace geckoprof
