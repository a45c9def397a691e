#include "tools/compare/differential_stacks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "tools/profile/concat.h"

namespace geckoprof {

std::string WriteDifferentialStacks(const std::vector<RunFigures>& before, const std::vector<RunFigures>& after) {
  absl::flat_hash_map<std::string, std::pair<double, double>> sums;
  for (const RunFigures& run : before) {
    for (const auto& [path, samples] : run.stacks) sums[path].first += samples;
  }
  for (const RunFigures& run : after) {
    for (const auto& [path, samples] : run.stacks) sums[path].second += samples;
  }
  std::vector<const std::string*> paths;
  paths.reserve(sums.size());
  for (const auto& entry : sums) paths.push_back(&entry.first);
  std::sort(paths.begin(), paths.end(), [](const std::string* a, const std::string* b) { return *a < *b; });
  const auto rounded = [](double samples) {
    constexpr double kMost = 1e15;
    return static_cast<int64_t>(std::llround(std::clamp(samples, 0.0, kMost)));
  };
  std::string text;
  for (const std::string* path : paths) {
    const auto& [samples_before, samples_after] = sums[*path];
    text += Concat(*path, " ", rounded(samples_before), " ", rounded(samples_after), "\n");
  }
  return text;
}

}  // namespace geckoprof
