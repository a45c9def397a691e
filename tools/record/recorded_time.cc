#include "tools/record/recorded_time.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/reader/profile_facts.h"
#include "tools/profile/concat.h"

namespace geckoprof {
namespace {

constexpr int64_t kNsPerTenthSecond = kNsPerSecond / 10;
constexpr int64_t kMostUnsampledNs = 100 * kNsPerMs;  // before the recording began
constexpr int64_t kLeastMissingNs = 50 * kNsPerMs;    // the ends of a few processes
constexpr int64_t kLeastMissingShare = 10;            // a tenth

constexpr std::string_view kEndsOfPrograms[] = {"", "alive", "ended", "exec", "exited", "unknown"};

std::string Seconds(int64_t ns) {
  const int64_t tenths = (ns + kNsPerTenthSecond / 2) / kNsPerTenthSecond;
  return Concat(tenths / 10, ".", tenths % 10, " s");
}

// Many rows at once; the time of a single one that is lost is in the next.
bool HasLostChunks(const ProcessProfile& process) {
  return std::any_of(process.losses.begin(), process.losses.end(),
                     [](const LossRow& loss) { return loss.what.ends_with("-chunk"); });
}

// The sampler was there to the end, as far as anybody said.
bool EndedWithProgram(std::string_view end_reason) {
  return end_reason.starts_with("killed") ||
         std::ranges::find(kEndsOfPrograms, end_reason) != std::end(kEndsOfPrograms);
}

// Where exec's time is not known: of a process that was forked, say, on a machine that lets it wait.
int64_t UnsampledNs(const ProcessProfile& process) {
  return process.recording_ns != 0 ? process.recording_ns - process.start_ns : 0;
}

bool WasSampledThroughout(const ProcessProfile& process) {
  return UnsampledNs(process) <= kMostUnsampledNs && EndedWithProgram(process.end_reason) && process.paused.empty() &&
         process.problems.empty() && !HasLostChunks(process);
}

int64_t SumUpTo(int64_t most, int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? most : std::min(sum, most);
}

int64_t SampledNs(const ProcessProfile& process) {
  int64_t sum_ns = 0;
  for (const ThreadRow& thread : process.threads) {
    for (const SampleRow& sample : thread.samples) {
      sum_ns = SumUpTo(INT64_MAX, sum_ns, std::max<int64_t>(sample.cpu_delta_ns, 0));
    }
  }
  return sum_ns;
}

// The processes by pid and pid_space.
using ProcessKey = std::pair<int32_t, uint32_t>;

// Returns false if a row that must have CPU time has none. Rows of idle ticks, and a first row, need none.
bool HasAllTimes(const ProcessProfile& process) {
  for (const ThreadRow& thread : process.threads) {
    bool is_first = true;
    for (const SampleRow& sample : thread.samples) {
      if (sample.cpu_delta_ns < 0 && !is_first && sample.idle_ticks <= 1) return false;
      is_first = false;
    }
  }
  return true;
}

}  // namespace

RecordedTime::RecordedTime(int64_t total, const RecordedProcesses& processes) : total_ns(total) {
  struct Times {           // of a process with all its programs
    int64_t told_ns = -1;  // by the last program that told it
    int64_t seen_ns = 0;   // of its samples and its sampler
  };
  std::map<ProcessKey, Times> times;
  for (const ProcessProfile& process : processes) {
    is_comparable &= WasSampledThroughout(process) && HasAllTimes(process);
    const int64_t process_sampled_ns = SampledNs(process);
    const int64_t sampler_ns = std::max<int64_t>(process.sampler_cpu_ns, 0);
    sampled_ns = SumUpTo(INT64_MAX, sampled_ns, process_sampled_ns);
    samplers_ns = SumUpTo(INT64_MAX, samplers_ns, sampler_ns);
    Times& known = times[{process.pid, process.pid_space}];
    known.told_ns = std::max(known.told_ns, process.cpu_ns);
    known.seen_ns = SumUpTo(INT64_MAX, known.seen_ns, SumUpTo(INT64_MAX, process_sampled_ns, sampler_ns));
  }
  for (const auto& [key, known] : times) {
    accounted_ns = SumUpTo(total_ns, accounted_ns, std::max(known.told_ns, known.seen_ns));
  }
}

std::string RecordedTime::Note() const {
  const int64_t missing_ns = total_ns - accounted_ns;
  if (!is_comparable || missing_ns <= std::max(kLeastMissingNs, total_ns / kLeastMissingShare)) return "";
  return Concat(
      "of the ", Seconds(program_ns()), " of CPU time that the program and its children took, ", Seconds(missing_ns),
      " are of processes that were not recorded (the samples have ", Seconds(sampled_ns),
      "): statically linked and privileged programs, what they start without LD_PRELOAD, and children of vfork or raw "
      "clone before their exec, are not recorded");
}

UnsampledProcesses::UnsampledProcesses(const RecordedProcesses& processes) {
  struct Process {
    int64_t told_ns = -1;
    bool has_samples = false;
  };
  std::map<ProcessKey, Process> all;
  processes.VisitFacts([&all](size_t, const ProcessFacts& facts) {
    Process& known = all[{facts.pid, facts.pid_space}];
    known.told_ns = std::max(known.told_ns, facts.cpu_ns);
    known.has_samples |= facts.has_samples;
  });
  for (const auto& [key, known] : all) {
    if (known.has_samples || known.told_ns < 0) continue;
    ++count;
    cpu_ns = SumUpTo(INT64_MAX, cpu_ns, known.told_ns);
  }
}

}  // namespace geckoprof
