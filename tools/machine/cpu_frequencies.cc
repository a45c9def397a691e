#include "tools/machine/cpu_frequencies.h"

#include <errno.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <utility>

#include "tools/machine/cpu_list.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr uint64_t kLeastKhz = 1'000, kMostKhz = 100'000'000;
constexpr uint64_t kKhzPerStep = 10'000, kMhzPerStep = 10;

// Returns how many files may stay open, so that enough are left for the rest of the process.
size_t MostPolicies() {
  constexpr rlim_t kMost = 1024, kShare = 4;
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return static_cast<size_t>(std::min(limit.rlim_cur / kShare, kMost));
}

}  // namespace

CpuFrequencies::CpuFrequencies(const MachineRoots& roots) {
  const std::string folder = roots.sys + "/devices/system/cpu/cpufreq";
  const size_t most = MostPolicies();
  for (const std::string& name : NamesIn(folder)) {
    if (!name.starts_with("policy")) continue;
    if (policies_.size() == most) {
      Note(MachineFault::kFrequencyUnreadable, EMFILE, Concat(folder, "/", name));
      break;
    }
    const std::vector<int> cpus = ParseCpuList(FirstLineOf(Concat(folder, "/", name, "/affected_cpus")));
    MachineFile frequency(Concat(folder, "/", name, "/scaling_cur_freq"));
    if (cpus.empty()) continue;  // all of them are offline
    if (frequency.error() != 0) {
      Note(MachineFault::kFrequencyUnreadable, frequency.error(), frequency.path());
      continue;
    }
    AddSeries(MachineMeasure::kFrequency, CpuListText(cpus));
    policies_.push_back(std::move(frequency));
  }
  if (policies_.empty() && notes().empty()) Note(MachineFault::kNoFrequencies);
}

void CpuFrequencies::Read(int64_t now_ns, std::span<uint64_t> values) {
  for (size_t row = 0; row < policies_.size(); ++row) {
    MachineFile& file = policies_[row];
    const uint64_t khz = file.ReadNumber(now_ns);
    const bool is_read = khz != kNoReading || file.error() == EBADMSG;
    const bool is_sound = khz >= kLeastKhz && khz <= kMostKhz;
    values[row] = is_sound ? (khz + kKhzPerStep / 2) / kKhzPerStep * kMhzPerStep : kNoReading;
    if (!is_read) Note(MachineFault::kFrequencyUnreadable, file.error(), file.path());
    if (is_read && !is_sound) Note(MachineFault::kFrequencyNonsense, 0, file.path());
  }
}

}  // namespace geckoprof
