#include "tools/record/recorded_time.h"

#include <algorithm>

#include "geckoprof/base/clock.h"
#include "tools/profile/concat.h"

namespace geckoprof {
namespace {

constexpr int64_t kNsPerTenthSecond = kNsPerSecond / 10;
constexpr int64_t kImageAllowanceNs = 10 * kNsPerMs;  // exec, the dynamic linker's work, exit
constexpr int64_t kLeastMissingNs = 100 * kNsPerMs;
constexpr int64_t kLeastMissingShare = 4;  // a quarter

std::string Seconds(int64_t ns) {
  const int64_t tenths = (ns + kNsPerTenthSecond / 2) / kNsPerTenthSecond;
  return Concat(tenths / 10, ".", tenths % 10, " s");
}

// Many rows at once; the time of a single one that is lost is in the next.
bool HasLostChunks(const ProcessProfile& process) {
  return std::any_of(process.losses.begin(), process.losses.end(),
                     [](const LossRow& loss) { return loss.what.ends_with("-chunk"); });
}

}  // namespace

RecordedTime::RecordedTime(int64_t total, std::span<const ProcessProfile> processes) : total_ns(total) {
  for (const ProcessProfile& process : processes) {
    is_partial_ |= !process.problems.empty() || process.recording_ns != 0 || HasLostChunks(process);
    allowance_ns += kImageAllowanceNs;
    for (const ThreadRow& thread : process.threads) {
      allowance_ns += process.interval_ns;
      for (size_t i = 0; i < thread.samples.size(); ++i) {
        const int64_t cpu_ns = thread.samples[i].cpu_delta_ns;
        is_partial_ |= cpu_ns < 0 && i != 0 && thread.samples[i].idle_ticks <= 1;  // rows of idle ticks need none
        sampled_ns += std::clamp<int64_t>(cpu_ns, 0, INT64_MAX - sampled_ns);
      }
    }
  }
}

std::string RecordedTime::Note() const {
  const int64_t missing_ns = total_ns - std::min(sampled_ns, total_ns);
  const int64_t least_ns = std::max(kLeastMissingNs, total_ns / kLeastMissingShare);
  if (is_partial_ || missing_ns <= allowance_ns || missing_ns - allowance_ns < least_ns) return "";
  return Concat(
      "of the ", Seconds(total_ns), " of CPU time that the program and its children took, the profile has ",
      Seconds(sampled_ns),
      ": statically linked and privileged programs, and what they start without LD_PRELOAD, are not recorded");
}

}  // namespace geckoprof
