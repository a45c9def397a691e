#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/counter_abi.h"
#include "baseprofiler/labels.h"
#include "baseprofiler/markers.h"
#include "core/process_end.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"

namespace {
int g_threads_at_lookup = 0;
}  // namespace

// In libc's place: how many threads there are while the user database is asked.
int getgrouplist(const char*, gid_t group, gid_t* groups, int* count) {
  g_threads_at_lookup = geckoprof::CountThreads();
  groups[0] = group;
  groups[1] = 4711;
  *count = 2;
  return 2;
}

namespace geckoprof {
namespace {

uint32_t SeparationsNow() { return RecordingState::Get().RecordingSegment()->header().separations.load(); }

// A line of a thread's status, "Threads" of this process's main thread say.
std::string StatusLine(const std::string& thread, const std::string& key) {
  std::ifstream file("/proc/self/task/" + thread + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key + ":")) return line.substr(key.size() + 1);
  }
  return "";
}

const sock_filter kAllowAll[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
const sock_fprog kHarmless = {1, const_cast<sock_filter*>(kAllowAll)};

TEST_CASE("a call that demands a single thread works, and sampling goes on") {
  const bool allowed = StatusInChild([] { return unshare(CLONE_NEWUSER) == 0 ? 0 : 1; }) == 0;
  const bool by_number = GENERATE(false, true);
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          if (!allowed) return 0;
          FORKED_REQUIRE((by_number ? syscall(SYS_unshare, CLONE_NEWUSER) : unshare(CLONE_NEWUSER)) == 0);
          FORKED_REQUIRE(RecordingState::Get().state() == ProfilerState::kActive && CountThreads() == 2);
          return 0;
        }) == 0);
}

TEST_CASE("results and errors are those of the real functions") {
  const RecordingFolder folder;
  for (const bool recording : {false, true}) {
    INFO(recording);
    CHECK(StatusInChild([&] {
            if (recording) FORKED_REQUIRE(folder.Start());
            errno = 0;
            FORKED_REQUIRE(setns(-1, 0) == -1 && errno == EBADF);
            errno = 0;
            FORKED_REQUIRE(syscall(SYS_setns, -1, 0) == -1 && errno == EBADF);
            errno = 0;
            FORKED_REQUIRE(unshare(-1) == -1 && errno == EINVAL);
            errno = EXDEV;
            FORKED_REQUIRE(setuid(getuid()) == 0 && errno == EXDEV);
            FORKED_REQUIRE(syscall(SYS_setuid, getuid()) == 0 && errno == EXDEV);
            FORKED_REQUIRE(prctl(PR_SET_NAME, "renamed") == 0);
            char name[17] = {};
            FORKED_REQUIRE(prctl(PR_GET_NAME, name) == 0 && std::string(name) == "renamed");
            FORKED_REQUIRE(CountThreads() == (recording ? 2 : 1));
            return 0;
          }) == 0);
  }
}

TEST_CASE("another user is noted, the same one is not") {
  if (getuid() != 0) return;
  const RecordingFolder folder;
  const int way = GENERATE(0, 1, 2);
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          FORKED_REQUIRE(setegid(getgid()) == 0 && seteuid(0) == 0 && SeparationsNow() == 0);
          if (way == 0) FORKED_REQUIRE(seteuid(65534) == 0);
          if (way == 1) FORKED_REQUIRE(setresuid(65534, 65534, 65534) == 0);
          if (way == 2) FORKED_REQUIRE(syscall(SYS_setreuid, 0, 65534) == 0);
          FORKED_REQUIRE(geteuid() == 65534 && SeparationsNow() == kChangedUser);
          FORKED_REQUIRE(RecordingState::Get().state() == ProfilerState::kActive && CountThreads() == 2);
          // The sampler has the ids of the thread that made it.
          FORKED_REQUIRE(StatusLine(SamplerThread(), "Uid") == StatusLine(std::to_string(getpid()), "Uid"));
          return 0;
        }) == 0);
}

TEST_CASE("mounts of its own are noted") {
  const bool allowed = StatusInChild([] { return unshare(CLONE_NEWNS) == 0 ? 0 : 1; }) == 0;
  const bool by_number = GENERATE(false, true);
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          if (!allowed) return 0;
          FORKED_REQUIRE(unshare(CLONE_FS) == 0 && SeparationsNow() == 0);
          FORKED_REQUIRE((by_number ? syscall(SYS_unshare, CLONE_NEWNS) : unshare(CLONE_NEWNS)) == 0);
          FORKED_REQUIRE(SeparationsNow() == kChangedMounts && CountThreads() == 2);
          return 0;
        }) == 0);
}

TEST_CASE("a child by syscall(2) with mounts of its own is noted, another child is not") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          for (const long flags : {0, CLONE_NEWNS}) {
            const long child = syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
            if (child == 0) syscall(SYS_exit_group, 7);
            if (child < 0) return flags != 0 && errno == EPERM ? 0 : 1;  // not permitted here
            int status = 0;
            FORKED_REQUIRE(waitpid(static_cast<pid_t>(child), &status, 0) == child && WEXITSTATUS(status) == 7);
            FORKED_REQUIRE(SeparationsNow() == (flags != 0 ? uint32_t{kChangedMounts} : 0));
          }
          return 0;
        }) == 0);
}

TEST_CASE("another root is noted, and a child that changes it at once is recorded") {
  if (getuid() != 0) return;
  const bool by_number = GENERATE(false, true);
  const RecordingFolder folder;
  const RecordingFolder root;
  CHECK(StatusInChild([&] {
          RegisterExitHooks();
          FORKED_REQUIRE(folder.Start());
          FORKED_REQUIRE(chroot("no such folder") == -1 && errno == ENOENT && SeparationsNow() == 0);
          return StatusInChild([&] {
            errno = EXDEV;
            const char* const path = root.path().c_str();
            FORKED_REQUIRE((by_number ? syscall(SYS_chroot, path) : chroot(path)) == 0 && errno == EXDEV);
            FORKED_REQUIRE(RecordingState::Get().RecordingSegment() != nullptr && SeparationsNow() == kChangedRoot);
            const auto& heartbeat_ns = RecordingState::Get().RecordingSegment()->header().heartbeat_ns;
            const int64_t before_ns = heartbeat_ns.load();
            FORKED_REQUIRE(Soon([&] { return heartbeat_ns.load() > before_ns; }));
            FORKED_REQUIRE(RecordingState::Get().state() == ProfilerState::kActive);
            return 0;
          });
        }) == 0);
}

TEST_CASE("process ids of its own are noted, and sampling goes on") {
  const bool allowed = StatusInChild([] { return unshare(CLONE_NEWPID) == 0 ? 0 : 1; }) == 0;
  const bool by_number = GENERATE(false, true);
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          if (!allowed) return 0;
          FORKED_REQUIRE((by_number ? syscall(SYS_unshare, CLONE_NEWPID) : unshare(CLONE_NEWPID)) == 0);
          FORKED_REQUIRE(SeparationsNow() == kChangedPids && CountThreads() == 2);
          return 0;
        }) == 0);
}

TEST_CASE("process ids that are entered are noted, and sampling goes on") {
  const int own = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
  const bool allowed = StatusInChild([own] { return setns(own, CLONE_NEWPID) == 0 ? 0 : 1; }) == 0;
  const bool by_number = GENERATE(false, true);
  const int type = GENERATE(0, CLONE_NEWPID);
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          if (!allowed) return 0;
          // Before that a sampler may still have to open what it needs.
          FORKED_REQUIRE(Soon([] { return MonotonicNs() - RecordingState::Get().constructor_ns() > 110 * kNsPerMs; }));
          const std::string sampler = SamplerThread();
          FORKED_REQUIRE((by_number ? syscall(SYS_setns, own, type) : setns(own, type)) == 0);
          FORKED_REQUIRE(SeparationsNow() == kChangedPids && SamplerThread() == sampler);
          return 0;
        }) == 0);
  close(own);
}

TEST_CASE("groups of a user are looked up before the sampler steps aside") {
  if (getuid() != 0) return;
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          errno = EXDEV;
          FORKED_REQUIRE(initgroups("root", 42) == 0 && errno == EXDEV && g_threads_at_lookup == 2);
          gid_t groups[8] = {};
          FORKED_REQUIRE(getgroups(8, groups) == 2 && groups[0] == 42 && groups[1] == 4711);
          FORKED_REQUIRE(StatusLine(SamplerThread(), "Groups") == StatusLine(std::to_string(getpid()), "Groups"));
          return 0;
        }) == 0);
}

TEST_CASE("files that are out of reach from now on are noted, and sampling goes on") {
  landlock_ruleset_attr attributes = {};
  attributes.handled_access_fs = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG;
  const auto rules = static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes), 0));
  if (rules < 0) return;  // a kernel without
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          FORKED_REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && SeparationsNow() == 0);
          FORKED_REQUIRE(syscall(SYS_landlock_restrict_self, rules, 0) == 0);
          FORKED_REQUIRE(open((folder.path() + "/file").c_str(), O_CREAT | O_WRONLY, 0600) == -1 && errno == EACCES);
          FORKED_REQUIRE(SeparationsNow() == kRestrictedFiles && CountThreads() == 2);
          const auto& heartbeat_ns = RecordingState::Get().RecordingSegment()->header().heartbeat_ns;
          const int64_t before_ns = heartbeat_ns.load();
          FORKED_REQUIRE(Soon([&] { return heartbeat_ns.load() > before_ns; }));
          return 0;
        }) == 0);
  close(rules);
}

TEST_CASE("the folder that a recording was started in is not held") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(chdir(folder.path().c_str()) == 0 && folder.Start());
          char cwd[4096] = {};
          FORKED_REQUIRE(Soon([&] {
            const std::string link = "/proc/self/task/" + SamplerThread() + "/cwd";
            return readlink(link.c_str(), cwd, sizeof(cwd) - 1) == 1 && cwd[0] == '/';
          }));
          FORKED_REQUIRE(getcwd(cwd, sizeof(cwd)) != nullptr && std::string(cwd).starts_with(folder.path()));
          return 0;
        }) == 0);
}

TEST_CASE("in strict mode labels, markers and counters ask nothing of the kernel, recorded or not") {
  const bool recording = GENERATE(false, true);
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          if (recording) FORKED_REQUIRE(folder.Start());
          FORKED_REQUIRE(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
          {
            AUTO_BASE_PROFILER_LABEL("label", OTHER);
            BASE_PROFILER_MARKER_UNTYPED("marker", OTHER);
          }
          geckoprof_base_process_salt();
          const geckoprof_counter_description description = {sizeof(description), 0, "counter", "category", "", "", ""};
          const geckoprof_counter* const counter = geckoprof_base_counter_create(&description);
          syscall(SYS_exit, counter == nullptr ? 33 : 34);
          return 1;
        }) == 33);
}

TEST_CASE("rights that the program gives up the sampler has no longer") {
  const bool by_number = GENERATE(false, true);
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          FORKED_REQUIRE(Soon([] { return StatusLine(SamplerThread(), "NoNewPrivs") == "\t0"; }));
          FORKED_REQUIRE((by_number ? syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
                                    : prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) == 0);
          FORKED_REQUIRE(StatusLine(SamplerThread(), "NoNewPrivs") == "\t1");
          return 0;
        }) == 0);
}

TEST_CASE("a filter ends the recording for good, one that is not installed does not") {
  const int way = GENERATE(0, 1, 2);
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
          FORKED_REQUIRE(folder.Start());
          const auto install = [&](const sock_fprog* program) -> long {
            if (way == 0) return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program);
            if (way == 1) return syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program);
            return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program);
          };
          errno = 0;
          const auto* const nowhere = reinterpret_cast<const sock_fprog*>(16);
          for (const sock_fprog* const program : {nowhere, static_cast<const sock_fprog*>(nullptr)}) {
            FORKED_REQUIRE(install(program) == -1 && errno == EFAULT);
            FORKED_REQUIRE(RecordingState::Get().state() == ProfilerState::kActive && CountThreads() == 2);
          }
          const Segment* const segment = RecordingState::Get().RecordingSegment();
          FORKED_REQUIRE(install(&kHarmless) == 0);
          FORKED_REQUIRE(RecordingState::Get().HasStoppedForGood() && !RecordingState::Get().IsActive());
          FORKED_REQUIRE(segment->header().stop_reason.load() == static_cast<uint32_t>(StopReason::kSeccomp));
          FORKED_REQUIRE(CountThreads() == 1);
          return 0;
        }) == 0);
}

TEST_CASE("the sampler leaves before the program forbids what the handler does") {
  struct Forbidden {
    int option;
    unsigned long mode;
    StopReason reason;
  };
  const auto forbidden = GENERATE(Forbidden{PR_SET_SYSCALL_USER_DISPATCH, 1, StopReason::kUserDispatch},
                                  Forbidden{PR_SET_TSC, PR_TSC_SIGSEGV, StopReason::kNoCycleCounter});
  const bool by_number = GENERATE(false, true);
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const Segment* const segment = RecordingState::Get().RecordingSegment();
          const auto set = [&](unsigned long mode) -> long {
            // Of a dispatch: all addresses are allowed.
            if (by_number) return syscall(SYS_prctl, forbidden.option, mode, 0, mode == 1 ? ~0ul : 0, 0);
            return prctl(forbidden.option, mode, 0, mode == 1 ? ~0ul : 0, 0);
          };
          const unsigned long usual = forbidden.option == PR_SET_TSC ? PR_TSC_ENABLE : 0;
          if (forbidden.option != PR_SET_TSC) set(usual);
          FORKED_REQUIRE(RecordingState::Get().state() == ProfilerState::kActive);
          FORKED_REQUIRE(set(forbidden.mode) == 0);
          FORKED_REQUIRE(RecordingState::Get().HasStoppedForGood() && CountThreads() == 1);
          FORKED_REQUIRE(segment->header().stop_reason.load() == static_cast<uint32_t>(forbidden.reason));
          set(usual);
          return 0;
        }) == 0);
}

TEST_CASE("closing a library closes it") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          void* const library = dlopen("libm.so.6", RTLD_NOW);
          // The sampler is told before, and behind: whoever lists libraries in between lists them once more.
          const std::atomic<uint32_t>& told = RecordingState::Get().control().unloads;
          const uint32_t before = told.load();
          FORKED_REQUIRE(library != nullptr && dlclose(library) == 0);
          FORKED_REQUIRE(told.load() == before + 2);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
