// control_bench PID ROUNDS: starts and stops the recording of a process that computes. It prints two times for each
// round in us. The first one is from the command to the first sample of a running thread, and the second one to the
// answer.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "geckoprof/base/clock.h"
#include "geckoprof/control/controllable_process.h"
#include "geckoprof/control/running_segment.h"
#include "geckoprof/reader/process_profile.h"
#include "geckoprof/reader/segment_reader.h"

namespace geckoprof {
namespace {

// Returns the time of the first sample, or INT64_MAX if there is none.
int64_t FirstSampleNs(const RunningSegment& segment) {
  ProcessProfile profile;
  (void)ReadSegmentFile(segment.file.number(), profile);
  int64_t first_ns = INT64_MAX;
  for (const ThreadRow& thread : profile.threads) {
    for (const SampleRow& row : thread.samples) {
      if (row.state == SampleState::kRunning && row.stack != kNone) first_ns = std::min(first_ns, row.time_ns);
    }
  }
  return first_ns;
}

// Returns false, with a line on stderr, if a command fails.
bool RunRound(const ControllableProcess& process) {
  constexpr int64_t kRecordedNs = 50 * kNsPerMs;
  const int64_t begin_ns = MonotonicNs();
  std::string why;
  const bool is_started = process.Obey(ControlCommand::kStart, {}, why);
  const int64_t answered_ns = MonotonicNs();
  SleepUntilNs(answered_ns + kRecordedNs);
  (void)process.Send(ControlCommand::kFlush, {}, ControllableProcess::kPatienceNs, why);
  const std::optional<RunningSegment> segment = RunningSegment::Find(process, why);
  const int64_t first_ns = segment.has_value() ? FirstSampleNs(*segment) : INT64_MAX;
  if (!is_started || first_ns == INT64_MAX || !process.Obey(ControlCommand::kStop, {}, why)) {
    fprintf(stderr, "control_bench: %s\n", why.empty() ? "no sample" : why.c_str());
    return false;
  }
  printf("%lld %lld\n", static_cast<long long>((first_ns - begin_ns) / 1000),
         static_cast<long long>((answered_ns - begin_ns) / 1000));
  return true;
}

int Run(int pid, int rounds) {
  std::string why;
  const std::optional<ControllableProcess> process = ControllableProcess::Find(pid, why);
  if (!process.has_value()) {
    fprintf(stderr, "control_bench: %s\n", why.c_str());
    return 1;
  }
  for (int round = 0; round < rounds; ++round) {
    if (!RunRound(*process)) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace geckoprof

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  return geckoprof::Run(atoi(argv[1]), atoi(argv[2]));
}
