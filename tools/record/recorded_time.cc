#include "tools/record/recorded_time.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "geckoprof/base/clock.h"
#include "tools/profile/concat.h"

namespace geckoprof {
namespace {

constexpr int64_t kNsPerTenthSecond = kNsPerSecond / 10;
constexpr int64_t kImageAllowanceNs = 10 * kNsPerMs;  // exec, the dynamic linker's work, exit
constexpr int64_t kMostUnsampledNs = 100 * kNsPerMs;  // before the recording began
constexpr int64_t kLeastMissingNs = 100 * kNsPerMs;
constexpr int64_t kLeastMissingShare = 4;  // a quarter

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

// In ns. Of a damaged segment it may be any number.
double AllowanceOf(const ProcessProfile& process) {
  double allowance_ns = static_cast<double>(process.sampler_cpu_ns) + static_cast<double>(UnsampledNs(process)) +
                        static_cast<double>(kImageAllowanceNs);
  // The last tick may be long ago, where no core was left for the sampler.
  const int64_t since_tick_ns = process.last_tick_ns != 0 ? process.end_ns - process.last_tick_ns : 0;
  for (const ThreadRow& thread : process.threads) {
    // The first row may be charged with nothing, and the last one comes before the end.
    allowance_ns += 2 * static_cast<double>(process.interval_ns);
    if (thread.unregistered_ns == 0) allowance_ns += static_cast<double>(since_tick_ns);
  }
  return allowance_ns;
}

}  // namespace

void RecordedTime::Add(const ProcessProfile& process) {
  is_comparable &= WasSampledThroughout(process);
  samplers_ns += std::clamp<int64_t>(process.sampler_cpu_ns, 0, INT64_MAX - samplers_ns);
  const double allowance = static_cast<double>(allowance_ns) + AllowanceOf(process);
  allowance_ns = allowance < static_cast<double>(total_ns) ? static_cast<int64_t>(allowance) : total_ns;
  for (const ThreadRow& thread : process.threads) {
    bool is_first = true;
    for (const SampleRow& sample : thread.samples) {
      is_comparable &= sample.cpu_delta_ns >= 0 || is_first || sample.idle_ticks > 1;  // rows of idle ticks need none
      sampled_ns += std::clamp<int64_t>(sample.cpu_delta_ns, 0, INT64_MAX - sampled_ns);
      is_first = false;
    }
  }
}

std::string RecordedTime::Note() const {
  const int64_t missing_ns = total_ns - std::min(sampled_ns, total_ns);
  const int64_t least_ns = std::max(kLeastMissingNs, total_ns / kLeastMissingShare);
  if (!is_comparable || missing_ns <= allowance_ns || missing_ns - allowance_ns < least_ns) return "";
  return Concat(
      "of the ", Seconds(program_ns()), " of CPU time that the program and its children took, the profile has ",
      Seconds(sampled_ns),
      ": statically linked and privileged programs, what they start without LD_PRELOAD, and children of vfork or raw "
      "clone before their exec, are not recorded");
}

}  // namespace geckoprof
