// This benchmark measures what the recorder's looks at a hundred processes cost. Half of the processes sleep. The
// others run for half a millisecond ten times a second, so each look finds that most of them have changed. The
// benchmark takes the place of the recorder: it looks, and pauses for as long as ProcessCounters says.
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "geckoprof/base/clock.h"
#include "geckoprof/segment/segment_format.h"
#include "tools/record/counter_file.h"
#include "tools/record/process_counters.h"
#include "tools/support/process_state.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr int kProcesses = 100;
constexpr int64_t kMeasuredNs = 20 * kNsPerSecond;

[[noreturn]] void RunInBursts() {
  for (;;) {
    const int64_t end_ns = CurrentThreadCpuNs() + kNsPerMs / 2;
    while (CurrentThreadCpuNs() < end_ns) {
    }
    usleep(100'000);
  }
}

// Starts a process with the begin of a segment in the folder.
pid_t StartProcess(const std::string& folder, bool is_busy) {
  const pid_t pid = fork();
  if (pid == 0) {
    if (is_busy) RunInBursts();
    for (;;) pause();
  }
  SegmentHeader header = {};
  std::copy(std::begin(kSegmentMagic), std::end(kSegmentMagic), header.magic);
  header.pid_namespace = PidNamespaces::NumberOf("/proc/self");
  std::ofstream(Concat(folder, "/", pid, "-0", kSegmentSuffix))
      .write(reinterpret_cast<const char*>(&header), sizeof(header));
  return pid;
}

void Measure() {
  std::string folder = "/tmp/geckoprof-bench-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return;
  std::vector<pid_t> processes;
  for (int i = 0; i < kProcesses; ++i) processes.push_back(StartProcess(folder, i % 2 == 0));
  CounterFile file(folder, uint64_t{128} << 20);
  ProcessCounters counters(folder, file);
  (void)counters.Look();  // it finds the processes
  const int64_t begin_ns = MonotonicNs(), begin_cpu_ns = CurrentThreadCpuNs();
  int looks = 0;
  for (int64_t due_ns = begin_ns; due_ns < begin_ns + kMeasuredNs; ++looks) {
    SleepUntilNs(due_ns);
    const int64_t pause_ns = counters.Look();
    due_ns = MonotonicNs() + pause_ns;
  }
  const auto cpu_ns = static_cast<double>(CurrentThreadCpuNs() - begin_cpu_ns);
  const auto time_ns = static_cast<double>(MonotonicNs() - begin_ns);
  std::printf("%d processes | %.3f %% of a core | %.2f ms a look | a look each %.0f ms\n", kProcesses,
              100 * cpu_ns / time_ns, cpu_ns / looks / 1e6, time_ns / looks / 1e6);
  for (const pid_t pid : processes) kill(pid, SIGKILL);
  for (const pid_t pid : processes) waitpid(pid, nullptr, 0);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace geckoprof

int main() { geckoprof::Measure(); }
