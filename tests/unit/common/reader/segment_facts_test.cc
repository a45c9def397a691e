#include "segment_facts.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include <catch2/catch.hpp>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "geckoprof/config/start_features.h"
#include "geckoprof/segment/clock_pair.h"
#include "recorded_times.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;

std::unique_ptr<SegmentHeader> Header() {
  auto header = std::make_unique<SegmentHeader>();
  header->pid = 70;
  header->parent_pid = 7;
  header->image = 2;
  header->exec_ns = 1'000 * kMs;
  header->constructor_ns = 1'003 * kMs;
  header->created_ns = 1'005 * kMs;
  header->created_epoch_ns = 1'700'000'000'005 * kMs;
  header->interval_ns = 2 * kMs;
  header->capacity_bytes = 1 << 20;
  header->chunk_count = 63;
  header->chunk_bytes = 16 << 10;
  header->heartbeat_ns = 1'500 * kMs;
  header->samples_asked = 12;
  header->samples_taken = 11;
  header->sampler_bytes = 99;
  header->sampler_cpu_ns = 7 * kMs;
  header->process_start_ticks = 4711;
  return header;
}

TEST_CASE("facts of the process, and its time zero in both clocks") {
  ProcessProfile profile;
  FillFromHeader(*Header(), profile);
  CHECK(profile.pid == 70);
  CHECK(profile.parent_pid == 7);
  CHECK(profile.image == 2);
  CHECK(profile.start_ns == 1'000 * kMs);
  CHECK(profile.start_epoch_ms == 1'700'000'000'000.0);
  CHECK(profile.end_ns == 1'500 * kMs);
  CHECK(profile.interval_ns == 2 * kMs);
  CHECK(profile.capacity_bytes == 63 * (16 << 10));
  CHECK(profile.problems.empty());
  CHECK(profile.end_reason == "alive");
  CHECK(profile.samples_asked == 12);
  CHECK(profile.samples_taken == 11);
  CHECK(profile.segment_bytes_used == 99);
  CHECK(profile.sampler_cpu_ns == 7 * kMs);
  CHECK(profile.process_start_ticks == 4711);
  CHECK(profile.losses.empty());
}

TEST_CASE("features of a hooks library that the process does not have are a problem") {
  const std::unique_ptr<SegmentHeader> header = Header();
  header->features = kFeatureCpu | kFeatureFileIo | kFeatureLocks;
  const auto facts = [&header](std::initializer_list<const char*> paths) {
    ProcessProfile profile;
    FillFromHeader(*header, profile);
    for (const char* path : paths) profile.libraries.emplace_back().path = path;
    MoveMissingFeatures(profile);
    return profile;
  };
  using Texts = std::vector<std::string>;
  const ProcessProfile without = facts({"/opt/libgeckoprofiler_hooks.so/prog", "/lib/libbaseprofiler.so"});
  CHECK(without.features == Texts{"cpu"});
  CHECK(without.problems ==
        Texts{"Not recorded, because libgeckoprofiler_hooks.so is not in the process: fileio, locks"});
  const ProcessProfile with = facts({"/bin/prog", "/lib/libgeckoprofiler_hooks.so.0"});
  CHECK(with.features == Texts{"fileio", "cpu", "locks"});
  CHECK(with.problems.empty());
  CHECK(facts({}).features == with.features);  // unknown
  header->features = kFeatureCpu;
  CHECK(facts({"/bin/prog"}).problems.empty());
}

TEST_CASE("the clocks of the samples are named, with the reasons why others took none") {
  const auto facts = [](const auto& change) {
    const std::unique_ptr<SegmentHeader> header = Header();
    header->samples_by_clock[1] = 300;
    header->samples_by_clock[2] = 100;
    header->sampled_cpu_ns = 2'000 * kMs;
    change(*header);
    ProcessProfile profile;
    FillFromHeader(*header, profile);
    return profile;
  };
  const std::string clocks = "CPU timers 75 %, requests 25 %: 200 samples per second of CPU time";
  const ProcessProfile plain = facts([](SegmentHeader&) {});
  CHECK(plain.sampled_by == clocks);
  CHECK(plain.problems.empty());
  const ProcessProfile refused = facts([](SegmentHeader& header) {
    header.event_error = EACCES;
    header.timer_error = EAGAIN;
  });
  const std::string reasons = "the kernel refuses perf events (EACCES); a limit allows no more CPU timers (EAGAIN)";
  CHECK(refused.sampled_by == clocks + "; " + reasons);
  REQUIRE(refused.problems.size() == 1);
  CHECK(refused.problems[0] == "Running threads have 200 samples per second of CPU time, not 500: " + reasons +
                                   "; sysctl kernel.perf_event_paranoid=2 permits perf events");
  const ProcessProfile in_container = facts([](SegmentHeader& header) { header.event_error = EPERM; });
  REQUIRE(in_container.problems.size() == 1);
  CHECK(in_container.problems[0].ends_with("the kernel refuses perf events (EPERM)"));
  const ProcessProfile few_descriptors = facts([](SegmentHeader& header) { header.event_error = EMFILE; });
  CHECK(few_descriptors.sampled_by == clocks + "; a limit allows no more perf events (EMFILE)");
  const ProcessProfile in_sandbox = facts([](SegmentHeader& header) { header.clocks_forbidden = 1; });
  CHECK(in_sandbox.sampled_by == clocks + "; a filter of system calls forbids the kernel's clocks");
  // A recording that is fast enough, or short, has no problem.
  CHECK(facts([](SegmentHeader& header) {
          header.event_error = EACCES;
          header.sampled_cpu_ns = 500 * kMs;
        }).problems.empty());
  CHECK(facts([](SegmentHeader& header) {
          header.event_error = EACCES;
          header.sampled_cpu_ns = 50 * kMs;
        }).problems.empty());
}

TEST_CASE("time zero is the earliest that is known") {
  ProcessProfile without_exec;
  auto header = Header();
  header->exec_ns = 0;
  FillFromHeader(*header, without_exec);
  CHECK(without_exec.start_ns == 1'003 * kMs);
  ProcessProfile neither;
  header->constructor_ns = 0;
  header->heartbeat_ns = 0;
  FillFromHeader(*header, neither);
  CHECK(neither.start_ns == 1'005 * kMs);
  CHECK(neither.start_epoch_ms == 1'700'000'000'005.0);
  CHECK(neither.end_ns == neither.start_ns);
}

TEST_CASE("the last tick is told apart from the end, and lies in the recording") {
  auto header = Header();
  ProcessProfile without_ticks;
  FillFromHeader(*header, without_ticks);
  CHECK(without_ticks.last_tick_ns == 0);
  for (const auto& [tick_ns, told_ns] : {std::pair(1'400 * kMs, 1'400 * kMs), std::pair(1 * kMs, 1'000 * kMs)}) {
    WriteLatestPair(*header, {.cycles = 5, .ns = tick_ns});
    ProcessProfile profile;
    FillFromHeader(*header, profile);
    CHECK((profile.last_tick_ns == told_ns && profile.end_ns == 1'500 * kMs));
  }
}

TEST_CASE("recording begins with the process that is recorded from its exec on, else where it was started") {
  auto header = Header();
  ProcessProfile from_exec;
  FillFromHeader(*header, from_exec);
  CHECK(from_exec.recording_ns == 0);
  header->exec_ns = 0;
  header->created_ns = 1'400 * kMs;
  ProcessProfile later;
  FillFromHeader(*header, later);
  CHECK(later.start_ns == 1'003 * kMs);
  CHECK(later.recording_ns == 1'400 * kMs);
}

TEST_CASE("a pause that goes on has no end, and one that cannot be is none") {
  auto header = Header();
  ProcessProfile profile;
  header->paused_since_ns = 1'200 * kMs;
  header->pause_reason = static_cast<uint32_t>(PauseReason::kSampling);
  CHECK(FillFromHeader(*header, profile) == 0);
  REQUIRE(profile.paused.size() == 1);
  CHECK(profile.paused[0].start_ns == 1'200 * kMs);
  CHECK(profile.paused[0].end_ns == 0);
  CHECK(profile.paused[0].reason == "sampling-paused");
  for (const int64_t never : {INT64_MIN, int64_t{5}, INT64_MAX}) {
    ProcessProfile damaged;
    header->paused_since_ns = never;
    CHECK(FillFromHeader(*header, damaged) == 1);
    CHECK(damaged.paused.empty());
  }
}

TEST_CASE("a wall clock that makes no sense gives no time before the epoch") {
  const auto header = Header();
  header->created_epoch_ns = 1;
  ProcessProfile profile;
  FillFromHeader(*header, profile);
  CHECK(profile.start_epoch_ms == 0);
}

TEST_CASE("losses by name, the reason of the end, features and pauses") {
  auto header = Header();
  header->drops[static_cast<uint32_t>(DropReason::kMetadataFull)] = 4;
  header->drops[static_cast<uint32_t>(DropReason::kSendFailed)] = 5;
  header->stop_reason = static_cast<uint32_t>(StopReason::kExec);
  header->features = 1u << 14;
  header->pause_counts[3] = 6;
  header->handler_ns = 77;
  header->overhead_limit = 200;
  header->asked_interval_ns = 250'000;
  ProcessProfile profile;
  FillFromHeader(*header, profile);
  CHECK(profile.handler_ns == 77);
  CHECK(profile.overhead_limit == 200);
  CHECK(profile.asked_interval_ns == 250'000);
  REQUIRE(profile.losses.size() == 2);
  CHECK(profile.losses[0].what == "metadata-full");
  CHECK(profile.losses[0].count == 4);
  CHECK(profile.losses[1].what == "signal-not-sent");
  CHECK(profile.end_reason == "exec");
  CHECK(profile.features == std::vector<std::string>{"cpu"});
  REQUIRE(profile.pauses.counts.size() == kPauseBuckets);
  CHECK(profile.pauses.counts[3] == 6);
  CHECK(profile.pauses.upper_ns[2] == 3);
  CHECK(profile.pauses.upper_ns[3] == 4);
  header->stop_reason = 4'000'000'000;
  ProcessProfile unknown;
  FillFromHeader(*header, unknown);
  CHECK(unknown.end_reason == "unknown");
}

TEST_CASE("a recording that missed most of its ticks says so") {
  for (const uint64_t missed : {749, 750}) {  // of 1,500
    auto header = Header();
    header->heartbeat_ns = 4'000 * kMs;
    header->drops[static_cast<size_t>(DropReason::kMissedTick)] = missed;
    ProcessProfile profile;
    FillFromHeader(*header, profile);
    CHECK(profile.problems.size() == (missed == 750 ? 1 : 0));
    header->interval_ns = kMs / 2;
    header->drops[static_cast<size_t>(DropReason::kMissedTick)] = 5'900;  // of 6,000
    ProcessProfile short_interval;
    FillFromHeader(*header, short_interval);
    CHECK(short_interval.problems.empty());
  }
}

TEST_CASE("a buffer that is much smaller than asked for is told") {
  auto header = Header();
  header->capacity_bytes = uint64_t{128} << 20;
  header->chunk_count = 37;
  ProcessProfile profile;
  FillFromHeader(*header, profile);
  REQUIRE(profile.problems.size() == 1);
  CHECK(profile.problems[0] == "The buffer holds 592 KiB, not the 128 MiB asked for: too little space, or a limit");
  header->chunk_count = 0;
  FillFromHeader(*header, profile);
  CHECK(profile.problems[1].starts_with("The buffer holds nothing, not the 128 MiB"));
  header->capacity_bytes = uint64_t{5} << 19;
  header->chunk_count = 4;
  FillFromHeader(*header, profile);
  CHECK(profile.problems[2].starts_with("The buffer holds 64 KiB, not the 2.5 MiB"));
}

TEST_CASE("why the profile was not there at the end of the process") {
  const auto problem = [](uint32_t failure, int32_t detail) {
    auto header = Header();
    header->shutdown_failure = failure;
    header->shutdown_detail = detail;
    ProcessProfile profile;
    FillFromHeader(*header, profile);
    const std::string text = profile.problems.empty() ? std::string() : profile.problems[0];
    return text.substr(std::min(text.find(": ") + 2, text.size()));
  };
  const auto number = [](ShutdownFailure failure) { return static_cast<uint32_t>(failure); };
  CHECK(problem(number(ShutdownFailure::kDidNotFail), 0).empty());
  CHECK(problem(number(ShutdownFailure::kNoCommand), ENOENT) ==
        "the command geckoprof could not be started: execve failed with ENOENT");
  CHECK(problem(number(ShutdownFailure::kNoProcess), EAGAIN) ==
        "no process could be made for the command geckoprof: EAGAIN");
  CHECK(problem(number(ShutdownFailure::kNoHandOver), EFBIG) ==
        "the command geckoprof could not be given the data: EFBIG");
  CHECK(problem(number(ShutdownFailure::kExited), 1) == "the file could not be written");
  CHECK(problem(number(ShutdownFailure::kExited), 2) ==
        "the command geckoprof is of another version, which does not know how");
  CHECK(problem(number(ShutdownFailure::kExited), 77) == "the command geckoprof ended with status 77");
  CHECK(problem(number(ShutdownFailure::kKilled), 9) == "the command geckoprof was killed by signal 9");
  CHECK(problem(number(ShutdownFailure::kSlow), 0) ==
        "the command geckoprof took longer than the process waits for it");
  CHECK(problem(number(ShutdownFailure::kBadPath), EISDIR) == "the file cannot be written: EISDIR");
  CHECK(problem(number(ShutdownFailure::kBadPath), EACCES) ==
        "the file cannot be written: EACCES, no permission, or another user's file, FIFO or link in a folder that "
        "others may write to");
  CHECK(problem(4711, 1).empty());  // of a later version, or damaged
}

TEST_CASE("why recording stopped, where a system call failed") {
  const auto problem = [](StopReason reason, int32_t detail) {
    auto header = Header();
    header->stop_reason = static_cast<uint32_t>(reason);
    header->stop_detail = detail;
    ProcessProfile profile;
    FillFromHeader(*header, profile);
    return profile.problems.empty() ? std::string() : profile.problems[0];
  };
  CHECK(problem(StopReason::kSystemCall, SYS_openat << 16 | EMFILE) ==
        "Sampling ended early, since no threads could be listed in /proc: openat failed with EMFILE");
  CHECK(problem(StopReason::kSystemCall, 999 << 16 | 4000) ==
        "Sampling ended early: system call 999 failed with error 4000");
  CHECK(problem(StopReason::kNoThread, EAGAIN) ==
        "The sampler thread could not be made, no samples were taken of this process: clone failed with EAGAIN");
  CHECK(problem(StopReason::kSingleThreadCall, ENOMEM) ==
        "The sampler thread could not come back, no more samples were taken of this process: clone failed with ENOMEM");
  CHECK(problem(StopReason::kSingleThreadCall, 0).empty());
  CHECK(problem(StopReason::kNoMemory, 0) ==
        "Sampling ended early: there was no memory for it (a limit, as of ulimit -d or -v)");
  CHECK(problem(StopReason::kSeccomp, 0) == "Sampling ended early: the program restricted its system calls (seccomp)");
  CHECK(problem(StopReason::kAsked, EAGAIN).empty());
  CHECK_FALSE(problem(StopReason::kSystemCall, INT32_MIN).empty());
}

TEST_CASE("a header full of extremes gives times that can be subtracted") {
  for (const int64_t extreme : {INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_MIN + 1, int64_t{-1}}) {
    for (int kept = 0; kept < 5; ++kept) {  // one of them stays as it is
      auto header = Header();
      if (kept != 0) header->exec_ns = extreme;
      if (kept != 1) header->constructor_ns = extreme;
      if (kept != 2) header->created_ns = extreme;
      if (kept != 3) header->created_epoch_ns = extreme;
      if (kept != 4) header->heartbeat_ns = extreme;
      header->interval_ns = extreme;
      ProcessProfile profile;
      FillFromHeader(*header, profile);
      for (int64_t time_ns : {profile.exec_ns, profile.constructor_ns, profile.start_ns, profile.end_ns}) {
        CHECK(IsPlausibleTime(time_ns));
      }
      CHECK(profile.end_ns >= profile.start_ns);
      CHECK(profile.interval_ns == kMs);
    }
  }
}

TEST_CASE("plausible times: bounds") {
  CHECK(PlausibleTime(int64_t{5}) == 5);
  CHECK(PlausibleTime(int64_t{-5}) == 0);
  CHECK(PlausibleTime(INT64_MAX) == kLatestNs);
  CHECK(PlausibleTime(UINT64_MAX) == kLatestNs);
  CHECK(PlausibleTime(uint64_t{5}) == 5);
}

TEST_CASE("arguments are known before the process has written its metadata") {
  const auto header = Header();
  ProcessProfile profile;
  FillFromHeader(*header, profile);
  CHECK(profile.arguments.empty());
  constexpr char kArguments[] = "word\0\0--all\0cut o";
  memcpy(header->command_line, kArguments, sizeof(kArguments) - 1);
  header->command_line_bytes = sizeof(kArguments) - 1;
  profile = {};
  CHECK(FillFromHeader(*header, profile) == 0);
  CHECK(profile.arguments == std::vector<std::string>{"word", "", "--all", "cut o"});
  header->command_line_bytes = sizeof(header->command_line) + 1;  // damaged
  profile = {};
  CHECK(FillFromHeader(*header, profile) == 1);
  CHECK(profile.arguments.empty());
}

TEST_CASE("a normal end has a status and the resources that were used") {
  const auto header = Header();
  ProcessProfile profile;
  FillFromHeader(*header, profile);
  CHECK((profile.exit.status == -1 && profile.cpu_ns == -1));
  header->exit_word = kExitKnown | 3;
  header->user_cpu_ns = 20 * kMs;
  header->system_cpu_ns = 5 * kMs;
  header->peak_memory_bytes = 9 << 20;
  header->sampler_cpu_ns = 0;
  profile = {};
  CHECK(FillFromHeader(*header, profile) == 0);
  CHECK((profile.exit.status == 3 && profile.exit.user_cpu_ns == 20 * kMs && profile.exit.system_cpu_ns == 5 * kMs));
  CHECK((profile.exit.peak_memory_bytes == 9 << 20 && profile.cpu_ns == 25 * kMs));
  header->sampler_cpu_ns = 10 * kMs;  // of both in proportion
  profile = {};
  FillFromHeader(*header, profile);
  CHECK((profile.exit.user_cpu_ns == 12 * kMs && profile.exit.system_cpu_ns == 3 * kMs && profile.cpu_ns == 25 * kMs));
  header->sampler_cpu_ns = 99 * kMs;  // more than the process has
  profile = {};
  FillFromHeader(*header, profile);
  CHECK((profile.exit.user_cpu_ns == 0 && profile.exit.system_cpu_ns == 0));
  header->user_cpu_ns = -1;  // damaged
  profile = {};
  CHECK(FillFromHeader(*header, profile) == 1);
  CHECK((profile.exit.status == -1 && profile.cpu_ns == -1));
}

TEST_CASE("a crash is the end of a process that said nothing else") {
  const auto header = Header();
  header->crash.signal = 11;
  header->crash.code = 1;
  header->crash.address = 0x10;
  header->crash.pc = 0x401000;
  header->crash.time_ns = 1'600 * kMs;
  header->crash.tid = 71;
  ProcessProfile profile;
  CHECK(FillFromHeader(*header, profile) == 0);
  CHECK((profile.crash.signal == 11 && profile.crash.code == 1 && profile.crash.address == 0x10));
  CHECK((profile.crash.pc == 0x401000 && profile.crash.time_ns == 1'600 * kMs && profile.crash.tid == 71));
  CHECK(profile.end_reason == "killed by signal 11");
  CHECK(profile.end_ns == 1'600 * kMs);
  CHECK(profile.crash.sender.empty());
  std::ranges::fill(header->crash_sender, 'n');  // without its end
  profile = {};
  FillFromHeader(*header, profile);
  CHECK(profile.crash.sender == std::string(16, 'n'));
  for (const auto& damage : {+[](SegmentHeader& damaged) { damaged.crash.signal = 65; },
                             +[](SegmentHeader& damaged) { damaged.crash.signal = -1; },
                             +[](SegmentHeader& damaged) { damaged.crash.tid = 0; },
                             +[](SegmentHeader& damaged) { damaged.crash.time_ns = 1; },
                             +[](SegmentHeader& damaged) { damaged.crash.time_ns = INT64_MAX; }}) {
    const auto damaged = Header();
    damaged->crash.signal = 11;
    damaged->crash.time_ns = 1'600 * kMs;
    damaged->crash.tid = 71;
    damage(*damaged);
    profile = {};
    CHECK(FillFromHeader(*damaged, profile) == 1);
    CHECK((profile.crash.signal == 0 && profile.end_reason == "alive" && profile.end_ns == 1'500 * kMs));
  }
}

}  // namespace
}  // namespace geckoprof
