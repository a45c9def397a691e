// Each case records in a forked child: a process has one core, and a recording is for the process.
#include "core/profiler_core.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <thread>

#include "recording_folder.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

using State = ProfilerState;
using StartResult = ProfilerCore::StartResult;

uint32_t ReasonIn(const SegmentHeader& header) { return header.stop_reason.load(); }

TEST_CASE("start, pause, resume and stop, each once") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          ProfilerCore& core = folder.Load();
          FORKED_REQUIRE(RecordingState::Get().state() == ProfilerState::kInactive);
          FORKED_REQUIRE(!core.Pause() && !core.Resume() && !core.Stop());
          FORKED_REQUIRE(RecordingState::Get().RecordingSegment() == nullptr);
          FORKED_REQUIRE(core.Start(folder.Asked()) == StartResult::kStarted);
          FORKED_REQUIRE(RecordingState::Get().state() == ProfilerState::kActive);
          FORKED_REQUIRE(core.Start(folder.Asked()) == StartResult::kAlreadyActive);
          FORKED_REQUIRE(CountThreads() == 2);
          const Segment* const segment = RecordingState::Get().RecordingSegment();
          FORKED_REQUIRE(segment != nullptr && segment->path() == folder.Segment(getpid()));
          FORKED_REQUIRE(core.Pause() && !core.Pause());
          FORKED_REQUIRE(RecordingState::Get().state() == ProfilerState::kPaused &&
                         RecordingState::Get().RecordingSegment() == nullptr);
          FORKED_REQUIRE(core.Start(folder.Asked()) == StartResult::kAlreadyActive);
          FORKED_REQUIRE(core.Resume() && !core.Resume());
          FORKED_REQUIRE(RecordingState::Get().RecordingSegment() == segment);
          FORKED_REQUIRE(core.Stop() && !core.Stop());
          FORKED_REQUIRE(RecordingState::Get().state() == ProfilerState::kInactive &&
                         RecordingState::Get().RecordingSegment() == nullptr);
          FORKED_REQUIRE(CountThreads() == 1);
          FORKED_REQUIRE(folder.Read(getpid()).end_reason.find("stop") != std::string::npos);
          return 0;
        }) == 0);
}

TEST_CASE("a program gets ahead of its sampler by half an interval, at most half a millisecond") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          StartParameters parameters = folder.Asked();
          for (const int64_t interval_ns : {100 * kNsPerMs, kNsPerMs / 2}) {
            parameters.interval_ns = interval_ns;
            FORKED_REQUIRE(folder.Load().Start(parameters) == StartResult::kStarted);
            const SegmentHeader& header = RecordingState::Get().RecordingSegment()->header();
            const int64_t created_ns = header.created_ns;
            FORKED_REQUIRE(Soon([&] { return header.heartbeat_ns.load() != created_ns; }));  // each tick says so
            FORKED_REQUIRE(header.heartbeat_ns.load() - created_ns >= std::min(interval_ns, kNsPerMs) / 2);
            FORKED_REQUIRE(ProfilerCore::Get().Stop());
          }
          return 0;
        }) == 0);
}

TEST_CASE("the time of exec is that of the process's first program, and not of what follows in its place") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          ProfilerCore& core = folder.Load();
          StartParameters parameters = folder.Asked();
          parameters.exec_pid = ProcessId::FromNumber(getpid());
          parameters.exec_ns = RecordingState::Get().constructor_ns() - 1000;
          for (const int64_t known_ns : {parameters.exec_ns, int64_t{0}}) {
            FORKED_REQUIRE(core.Start(parameters) == StartResult::kStarted);
            FORKED_REQUIRE(RecordingState::Get().RecordingSegment()->header().exec_ns == known_ns);
            FORKED_REQUIRE(core.Stop());
          }
          return 0;
        }) == 0);
}

TEST_CASE("every pause is in the profile by the times of the calls, also the one that goes on") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          ProfilerCore& core = ProfilerCore::Get();
          std::vector<int64_t> times;
          for (int i = 0; i < 40; ++i) {
            times.push_back(MonotonicNs());
            FORKED_REQUIRE(i % 2 == 0 ? core.Pause() : core.Resume());
          }
          FORKED_REQUIRE(core.SetPaused(PauseKind::kSampling, true));
          ProcessProfile profile;
          ReadOwnSegment(*RecordingState::Get().LastSegment(), profile);
          FORKED_REQUIRE(profile.paused.size() == 21);
          for (size_t i = 0; i < 20; ++i) {
            const PausedRange& range = profile.paused[i];
            FORKED_REQUIRE(range.start_ns >= times[2 * i] && range.start_ns <= times[2 * i + 1]);
            FORKED_REQUIRE(range.end_ns >= times[2 * i + 1] && (i == 19 || range.end_ns <= times[2 * i + 2]));
          }
          FORKED_REQUIRE(profile.paused[20].end_ns == 0 && profile.paused[20].reason == "sampling-paused");
          FORKED_REQUIRE(core.Stop());
          return 0;
        }) == 0);
}

TEST_CASE("a second recording has a segment of its own, and a stop in the middle of a pause works") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          ProfilerCore& core = ProfilerCore::Get();
          const Segment* const first = RecordingState::Get().RecordingSegment();
          FORKED_REQUIRE(core.Pause() && core.Stop());
          FORKED_REQUIRE(core.Start(folder.Asked()) == StartResult::kStarted);
          FORKED_REQUIRE(RecordingState::Get().state() == ProfilerState::kActive);
          FORKED_REQUIRE(RecordingState::Get().RecordingSegment() != nullptr &&
                         RecordingState::Get().RecordingSegment() != first);
          FORKED_REQUIRE(RecordingState::Get().RecordingSegment()->path() == folder.Segment(getpid(), 1));
          FORKED_REQUIRE(core.Stop());
          return 0;
        }) == 0);
}

TEST_CASE("a recording without a session directory has one of its own each time, and its files go with it") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          ProfilerCore& core = folder.Load();
          for (int i = 0; i < 2; ++i) {
            FORKED_REQUIRE(core.Start(StartParameters()) == StartResult::kStarted);
            const std::string path = RecordingState::Get().RecordingSegment()->path();
            FORKED_REQUIRE(RecordingState::Get().RecordingSegment()->header().anonymous == 0 &&
                           std::filesystem::exists(path));
            FORKED_REQUIRE(core.Stop() && !std::filesystem::exists(path));
          }
          return 0;
        }) == 0);
}

TEST_CASE("a forked child that starts anew closes nothing of its own for the parent's sampler") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          ProfilerCore& core = folder.Load();
          pthread_atfork([] { ProfilerCore::Get().BeforeFork(); }, [] { ProfilerCore::Get().AfterForkInParent(); },
                         [] { ProfilerCore::Get().AfterForkInChild(); });
          FORKED_REQUIRE(core.Start(StartParameters()) == StartResult::kStarted);
          FORKED_REQUIRE(Soon(&HasTicked));  // the sampler has its files open
          return StatusInChild([&] {
            int files[64];
            for (int& file : files) file = open("/dev/null", O_RDONLY);
            FORKED_REQUIRE(core.Start(folder.Asked()) == StartResult::kStarted);
            for (const int file : files) FORKED_REQUIRE(fcntl(file, F_GETFD) >= 0);
            return 0;
          });
        }) == 0);
}

TEST_CASE("in a child that nobody prepared every call returns at once") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          ProfilerCore& core = ProfilerCore::Get();
          const pid_t child = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
          if (child == 0) {
            alarm(10);
            const bool well = core.Start(folder.Asked()) == StartResult::kUnprepared && !core.Stop() && !core.Pause();
            _exit(well ? 0 : 1);
          }
          int status = -1;
          FORKED_REQUIRE(waitpid(child, &status, 0) == child && status == 0);
          return 0;
        }) == 0);
}

TEST_CASE("the process's status is that of the program's last thread") {
  const RecordingFolder folder;
  const auto exit_thread = [](int status) { syscall(SYS_exit, status); };
  const auto await_ticks = [] { AwaitTicks(RecordingState::Get().RecordingSegment()->header(), 3); };
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          await_ticks();
          exit_thread(12);
          return 1;
        }) == 12);
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          std::thread last([&] {
            if (!AwaitEnd(getpid())) exit_thread(1);
            await_ticks();
            exit_thread(22);
          });
          exit_thread(12);
          return 1;
        }) == 22);
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          std::thread first([&] { exit_thread(22); });
          FORKED_REQUIRE(Soon([] { return CountThreads() == 2; }));
          await_ticks();
          exit_thread(0);
          return 1;
        }) == 0);
}

TEST_CASE("what is written of the process: whose, since when, what was asked for") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          const int64_t before_ns = MonotonicNs();
          FORKED_REQUIRE(folder.Start());
          const SegmentHeader& header = RecordingState::Get().RecordingSegment()->header();
          FORKED_REQUIRE(header.pid == getpid() && header.parent_pid == getppid());
          FORKED_REQUIRE(header.constructor_ns >= before_ns && header.created_ns >= header.constructor_ns);
          FORKED_REQUIRE(header.created_ns <= MonotonicNs());
          FORKED_REQUIRE(header.interval_ns == 10 * kNsPerMs);
          FORKED_REQUIRE(header.features == kDefaultFeatures);
          FORKED_REQUIRE(header.exec_ns == 0);
          FORKED_REQUIRE(Soon([&] { return header.samples_taken.load() > 0 || header.samples_asked.load() > 0; }));
          return 0;
        }) == 0);
}

TEST_CASE("a process that the filters exclude is not recorded") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          StartParameters parameters = folder.Asked();
          FORKED_REQUIRE(parameters.filter.Add("pid:1") == FilterAddResult::kAdded);
          FORKED_REQUIRE(folder.Load().Start(parameters) == StartResult::kExcluded);
          FORKED_REQUIRE(RecordingState::Get().state() == ProfilerState::kInactive && CountThreads() == 1);
          FORKED_REQUIRE(std::filesystem::is_empty(folder.path()));
          return 0;
        }) == 0);
}

TEST_CASE("a session that is closed, or has no room, is not joined") {
  const RecordingFolder folder;
  std::ofstream(folder.path() + "/full");
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Load().Start(folder.Asked()) == StartResult::kNoSegment);
          FORKED_REQUIRE(RecordingState::Get().state() == ProfilerState::kInactive);
          return folder.Has("note-" + std::to_string(getpid())) ? 1 : 0;
        }) == 0);
  std::filesystem::remove(folder.path() + "/full");
  CHECK(StatusInChild([&] {
          const rlimit limit = {8192, 8192};
          setrlimit(RLIMIT_FSIZE, &limit);
          FORKED_REQUIRE(folder.Load().Start(folder.Asked()) == StartResult::kNoSegment);
          FORKED_REQUIRE(RecordingState::Get().state() == ProfilerState::kInactive && CountThreads() == 1);
          char why[32] = {};
          const std::string note = folder.path() + "/note-" + std::to_string(getpid());
          FORKED_REQUIRE(readlink(note.c_str(), why, sizeof(why) - 1) > 0);
          FORKED_REQUIRE(std::string(why) == "no-space");
          return 0;
        }) == 0);
}

TEST_CASE("where no thread may be made, the segment says so and a later start works") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 1),
                                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
                                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
          const sock_fprog program = {4, code};
          FORKED_REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
          FORKED_REQUIRE(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
          FORKED_REQUIRE(folder.Load().Start(folder.Asked()) == StartResult::kNoThread);
          ProfilerCore& core = ProfilerCore::Get();
          FORKED_REQUIRE(RecordingState::Get().state() == ProfilerState::kInactive &&
                         RecordingState::Get().RecordingSegment() == nullptr);
          FORKED_REQUIRE(core.Start(folder.Asked()) == StartResult::kNoThread);  // not "already active"
          FORKED_REQUIRE(std::filesystem::exists(folder.Segment(getpid(), 1)));
          return 0;
        }) == 0);
}

TEST_CASE("aside, this process has one thread less and is still active; back, sampling goes on") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          ProfilerCore& core = ProfilerCore::Get();
          const SegmentHeader& header = RecordingState::Get().RecordingSegment()->header();
          const bool was_running = core.SuspendSampler();
          FORKED_REQUIRE(was_running && CountThreads() == 1 && RecordingState::Get().state() == ProfilerState::kActive);
          FORKED_REQUIRE(!core.Stop() && !core.Pause());  // as a handler that runs meanwhile would call them
          core.ResumeSampler(was_running);
          FORKED_REQUIRE(CountThreads() == 2);
          const int64_t heartbeat_ns = header.heartbeat_ns.load();
          FORKED_REQUIRE(Soon([&] { return header.heartbeat_ns.load() > heartbeat_ns; }));
          FORKED_REQUIRE(core.Pause());
          core.ResumeSampler(core.SuspendSampler());
          FORKED_REQUIRE(RecordingState::Get().state() == ProfilerState::kPaused && CountThreads() == 2);
          FORKED_REQUIRE(core.Stop());
          FORKED_REQUIRE(!core.SuspendSampler());  // nobody is there
          core.ResumeSampler(false);
          FORKED_REQUIRE(CountThreads() == 1);
          bool started = false;  // the lock is free for others
          std::thread([&] { started = core.Start(folder.Asked()) == StartResult::kStarted; }).join();
          FORKED_REQUIRE(started);
          return 0;
        }) == 0);
}

TEST_CASE("a last call that fails is as if it had not been; one that succeeds ends the recording for good") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          ProfilerCore& core = ProfilerCore::Get();
          const Segment* const segment = RecordingState::Get().RecordingSegment();
          ProfilerCore::LastCall call = core.BeginLastCall(StopReason::kSeccomp);
          FORKED_REQUIRE(RecordingState::Get().HasStoppedForGood() &&
                         RecordingState::Get().RecordingSegment() == nullptr && CountThreads() == 1);
          core.EndLastCall(call, false);
          FORKED_REQUIRE(!RecordingState::Get().HasStoppedForGood() &&
                         RecordingState::Get().RecordingSegment() == segment && CountThreads() == 2);
          FORKED_REQUIRE(ReasonIn(segment->header()) == static_cast<uint32_t>(StopReason::kNotStopped));
          FORKED_REQUIRE(segment->header().state.load() == static_cast<uint32_t>(SegmentState::kRecording));
          call = core.BeginLastCall(StopReason::kSeccomp);
          core.EndLastCall(call, true);
          FORKED_REQUIRE(RecordingState::Get().HasStoppedForGood() &&
                         RecordingState::Get().state() == ProfilerState::kInactive && CountThreads() == 1);
          FORKED_REQUIRE(ReasonIn(segment->header()) == static_cast<uint32_t>(StopReason::kSeccomp));
          FORKED_REQUIRE(segment->header().state.load() == static_cast<uint32_t>(SegmentState::kStopped));
          FORKED_REQUIRE(!core.Stop());
          return 0;
        }) == 0);
}

TEST_CASE("a forked child records into a segment of its own, paused if its parent was") {
  const RecordingFolder folder;
  for (const bool paused : {false, true}) {
    INFO(paused);
    CHECK(StatusInChild([&] {
            FORKED_REQUIRE(folder.Start());
            ProfilerCore& core = ProfilerCore::Get();
            if (paused) FORKED_REQUIRE(core.Pause());
            const pid_t parent = getpid();
            const State state = RecordingState::Get().state();
            core.BeforeFork();
            const pid_t child = fork();
            if (child == 0) {
              core.AfterForkInChild();
              if (RecordingState::Get().state() != state) _exit(2);
              if (!Soon([&] { return folder.HasOwn(); })) _exit(3);
              const ProcessProfile profile = folder.Read(getpid());
              if (profile.parent_pid != parent || CountThreads() != 2) _exit(4);
              _exit(core.Stop() ? 0 : 5);
            }
            core.AfterForkInParent();
            int status = -1;
            FORKED_REQUIRE(waitpid(child, &status, 0) == child);
            FORKED_REQUIRE(status == 0);
            FORKED_REQUIRE(RecordingState::Get().state() == state && CountThreads() == 2);
            FORKED_REQUIRE(core.Stop());
            return 0;
          }) == 0);
  }
}

TEST_CASE("a child that no hook prepared is inactive and leaves its parent's segment alone") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          const pid_t child = fork();
          if (child == 0)
            _exit(RecordingState::Get().state() == ProfilerState::kInactive &&
                          RecordingState::Get().RecordingSegment() == nullptr
                      ? 0
                      : 2);
          int status = -1;
          FORKED_REQUIRE(waitpid(child, &status, 0) == child);
          FORKED_REQUIRE(status == 0 && RecordingState::Get().state() == ProfilerState::kActive);
          return 0;
        }) == 0);
}

TEST_CASE("at exit the profile is written where it was asked for, once, and not by a child") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          const StartParameters parameters = folder.AskedWithProfile("out-%p.json");
          FORKED_REQUIRE(folder.Load().Start(parameters) == StartResult::kStarted);
          ProfilerCore& core = ProfilerCore::Get();
          const SegmentHeader& header = RecordingState::Get().RecordingSegment()->header();
          const std::string name = "out-" + std::to_string(getpid()) + ".json";
          const pid_t child = fork();
          if (child == 0) {
            core.OnExit(0);
            _exit(folder.Has(name) ? 2 : 0);
          }
          int status = -1;
          FORKED_REQUIRE(waitpid(child, &status, 0) == child && status == 0);
          core.OnExit(0);
          FORKED_REQUIRE(folder.Has(name) && RecordingState::Get().state() == ProfilerState::kInactive);
          FORKED_REQUIRE(ReasonIn(header) == static_cast<uint32_t>(StopReason::kExit));
          std::filesystem::remove(folder.path() + "/" + name);
          core.OnExit(0);
          FORKED_REQUIRE(!folder.Has(name));
          return 0;
        }) == 0);
}

TEST_CASE("at exit without a file to write, sampling goes on to the end") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          ProfilerCore& core = ProfilerCore::Get();
          core.OnExit(0);
          FORKED_REQUIRE(RecordingState::Get().state() == ProfilerState::kActive && CountThreads() == 2);
          FORKED_REQUIRE(ReasonIn(RecordingState::Get().RecordingSegment()->header()) ==
                         static_cast<uint32_t>(StopReason::kExit));
          FORKED_REQUIRE(std::filesystem::exists(folder.Segment(getpid())));
          return 0;
        }) == 0);
}

TEST_CASE("settings that are not named stay, and a duration goes on through other changes") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          StartParameters parameters = folder.Asked();
          parameters.duration_ns = 300 * kNsPerMs;
          FORKED_REQUIRE(folder.Load().Start(parameters) == StartResult::kStarted);
          ProfilerCore& core = ProfilerCore::Get();
          const char* const capacity[] = {"GECKOPROF_STARTUP_ENTRIES=2MiB", nullptr};
          FORKED_REQUIRE(core.ChangeSettings(capacity, kNsPerSecond));
          const SegmentHeader& header = RecordingState::Get().RecordingSegment()->header();
          FORKED_REQUIRE(header.capacity_bytes == 2u << 20 && header.interval_ns == 10 * kNsPerMs);
          const char* const settings[] = {"GECKOPROF_STARTUP_INTERVAL=2", "GECKOPROF_STARTUP_FILTERS=none", nullptr};
          FORKED_REQUIRE(core.ChangeSettings(settings, kNsPerSecond));
          FORKED_REQUIRE(header.interval_ns == 2 * kNsPerMs && header.capacity_bytes == 2u << 20);
          FORKED_REQUIRE(core.parameters().filter.size() == 1);
          // Each change would start the duration anew.
          FORKED_REQUIRE(Soon([&] { return !core.ChangeSettings(settings, kNsPerSecond); }));
          FORKED_REQUIRE(!RecordingState::Get().IsActive());
          return 0;
        }) == 0);
}

TEST_CASE("a stop for a signal writes the profile, and the end of the process writes none") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          ProfilerCore& core = folder.Load();
          FORKED_REQUIRE(!core.StopAndWrite());
          FORKED_REQUIRE(core.Start(folder.AskedWithProfile("out-%p")) == StartResult::kStarted);
          FORKED_REQUIRE(core.StopAndWrite() && !core.StopAndWrite());
          const std::string profile = folder.path() + "/out-" + std::to_string(getpid());
          FORKED_REQUIRE(std::filesystem::exists(profile));
          FORKED_REQUIRE(folder.Read(getpid()).end_reason.find("stop") != std::string::npos);
          FORKED_REQUIRE(std::filesystem::remove(profile));
          core.OnExit(0);
          FORKED_REQUIRE(!std::filesystem::exists(profile));
          return 0;
        }) == 0);
}

TEST_CASE("another recording may begin while the profile of a signal is written, and both are whole") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          const std::string command = folder.path() + "/slow.sh", go = folder.path() + "/go";
          std::ofstream(command) << "#!/bin/sh\nfor file; do :; done\nwhile [ ! -e " << go
                                 << " ]; do sleep 0.01; done\ncat <&3 >\"$file\"\n";
          std::filesystem::permissions(command, std::filesystem::perms::owner_all);
          StartParameters parameters = folder.AskedWithProfile("out");
          snprintf(parameters.command_path, sizeof(parameters.command_path), "%s", command.c_str());
          ProfilerCore& core = folder.Load();
          FORKED_REQUIRE(core.Start(parameters) == StartResult::kStarted);
          std::atomic<bool> is_written{false};
          std::thread writer([&] { is_written = core.StopAndWrite(); });
          FORKED_REQUIRE(Soon([&] { return core.Start(folder.Asked()) == StartResult::kStarted; }));
          FORKED_REQUIRE(!is_written);
          std::ofstream(go) << "go";
          writer.join();
          FORKED_REQUIRE(is_written && RecordingState::Get().IsActive());
          ProcessProfile first;
          FORKED_REQUIRE(ReadSegmentFile((folder.path() + "/out").c_str(), first).status == SegmentReadStatus::kOk);
          FORKED_REQUIRE(first.image == 0 && folder.Read(getpid(), 1).image == 1);
          FORKED_REQUIRE(core.Stop());
          return 0;
        }) == 0);
}

TEST_CASE("a recorder's session gets no file of a stop for a signal") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          FORKED_REQUIRE(ProfilerCore::Get().StopAndWrite());
          FORKED_REQUIRE(!std::filesystem::exists("profile_" + std::to_string(getpid()) + ".json.gz"));
          FORKED_REQUIRE(folder.HasOwn());
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
