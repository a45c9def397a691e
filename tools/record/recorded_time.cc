#include "tools/record/recorded_time.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/reader/profile_facts.h"
#include "tools/record/unrecorded_processes.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr int64_t kNsPerTenthSecond = kNsPerSecond / 10;
constexpr int64_t kMostUnsampledNs = 100 * kNsPerMs;  // before the recording began
constexpr int64_t kLeastMissingNs = 50 * kNsPerMs;    // the ends of a few processes
constexpr int64_t kLeastMissingShare = 10;            // a tenth
constexpr int64_t kEndNs = kNsPerMs / 2;              // the kernel takes it to end a process
constexpr int64_t kLeastShownShare = 20;              // of the missing time

constexpr std::string_view kEndsOfPrograms[] = {"", "alive", "ended", "exec", "exited", "unknown"};

std::string Seconds(int64_t ns) {
  const int64_t tenths = (ns + kNsPerTenthSecond / 2) / kNsPerTenthSecond;
  return Concat(tenths / 10, ".", tenths % 10, " s");
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

// Returns false if a row that must have CPU time has none. Rows of idle ticks need none, and neither does the row at
// which a thread's clock was read first. Before that one there may be rows of waits.
bool HasAllTimes(const ProcessProfile& process) {
  for (const ThreadRow& thread : process.threads) {
    bool has_clock = false;
    for (const SampleRow& sample : thread.samples) {
      if (sample.cpu_delta_ns < 0 && has_clock && sample.idle_ticks <= 1) return false;
      has_clock |= sample.cpu_delta_ns != 0;
    }
  }
  return true;
}

}  // namespace

bool HasLostChunks(const ProcessProfile& process) {
  return std::any_of(process.losses.begin(), process.losses.end(),
                     [](const LossRow& loss) { return loss.what.ends_with("-chunk"); });
}

RecordedTime::RecordedTime(int64_t total, const RecordedProcesses& processes) : total_ns(total), unsampled(processes) {
  struct Process {  // with all its programs
    std::string name;
    int64_t told_ns = -1;  // by the last program that told it
    int64_t seen_ns = 0;   // of its samples and its sampler
    bool has_samples = false;
  };
  std::map<ProcessKey, Process> all;
  for (const ProcessProfile& process : processes) {
    if (IsUnrecorded(process)) continue;  // its time is missing
    is_comparable &= WasSampledThroughout(process) && HasAllTimes(process);
    const int64_t process_sampled_ns = SampledNs(process);
    const int64_t sampler_ns = std::max<int64_t>(process.sampler_cpu_ns, 0);
    sampled_ns = SumUpTo(INT64_MAX, sampled_ns, process_sampled_ns);
    samplers_ns = SumUpTo(INT64_MAX, samplers_ns, sampler_ns);
    Process& known = all[{process.pid, process.pid_space}];
    known.name = ProgramName(process);
    known.told_ns = std::max(known.told_ns, process.cpu_ns);
    known.seen_ns = SumUpTo(INT64_MAX, known.seen_ns, SumUpTo(INT64_MAX, process_sampled_ns, sampler_ns));
    known.has_samples |= HasSamples(process);
  }
  process_count = all.size();
  for (const auto& [key, known] : all) {
    const int64_t unseen_ns = known.told_ns - known.seen_ns;
    if (!known.has_samples || unseen_ns <= 0) continue;
    ++outside.count;
    outside.cpu_ns = SumUpTo(INT64_MAX, outside.cpu_ns, unseen_ns);
    if (unseen_ns <= outside.most_ns) continue;
    outside.most_name = known.name;
    outside.most_pid = key.first;
    outside.most_ns = unseen_ns;
  }
}

std::string RecordedTime::Note() const {
  if (!is_comparable || missing_ns() <= std::max(kLeastMissingNs, total_ns / kLeastMissingShare)) return "";
  const auto processes = [](uint64_t count) { return Concat(count, count == 1 ? " process" : " processes"); };
  // The samples of children that nobody waited for may hide some of the missing time.
  int64_t left_ns = missing_ns();
  std::vector<std::string> parts;
  const auto add = [&](int64_t ns, std::string_view where) {
    ns = std::min(ns, left_ns);
    left_ns -= ns;
    if (ns >= missing_ns() / kLeastShownShare) parts.push_back(Concat(Seconds(ns), where));
  };
  add(unsampled.cpu_ns, Concat(" in ", processes(unsampled.count), " that ended before the first sample"));
  add(outside.cpu_ns,
      Concat(" in ", processes(outside.count), " before the first sample or after the last one",
             outside.count > 1 ? ", most of it in " : ", in ", outside.most_name, " (", outside.most_pid, ")"));
  if (left_ns <= static_cast<int64_t>(process_count) * kEndNs) {
    add(left_ns, Concat(" at the ends of ", processes(process_count), ", after they told their times"));
  } else {
    add(left_ns,
        " in processes that were not recorded: statically linked and privileged programs, what they start without "
        "LD_PRELOAD, and children of vfork or raw clone before their exec, are not recorded");
  }
  return Concat("of the ", Seconds(program_ns()), " of CPU time that the program and its children took, ",
                Seconds(missing_ns()), " have no samples: ", absl::StrJoin(parts, "; "));
}

UnsampledProcesses::UnsampledProcesses(const RecordedProcesses& processes) {
  struct Process {
    int64_t told_ns = -1, samplers_ns = 0;
    bool has_samples = false;  // or had some, which were dropped
  };
  std::map<ProcessKey, Process> all;
  const auto has_dropped = [](const ProcessFacts& facts) {
    return std::ranges::any_of(facts.problems,
                               [](const SharedText& problem) { return problem->starts_with(kDroppedDataProblem); });
  };
  processes.VisitFacts([&](size_t, const ProcessFacts& facts) {
    Process& known = all[{facts.pid, facts.pid_space}];
    known.told_ns = std::max(known.told_ns, facts.cpu_ns);
    known.samplers_ns = SumUpTo(INT64_MAX, known.samplers_ns, std::max<int64_t>(facts.sampler_cpu_ns, 0));
    known.has_samples |= facts.has_samples || has_dropped(facts);
  });
  for (const auto& [key, known] : all) {
    if (known.has_samples || known.told_ns < 0) continue;
    ++count;
    cpu_ns = SumUpTo(INT64_MAX, cpu_ns, std::max<int64_t>(known.told_ns - known.samplers_ns, 0));
  }
}

}  // namespace geckoprof
