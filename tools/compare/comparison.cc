#include "tools/compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace geckoprof {
namespace {

// Sums in one fixed order: equal sets of values have equal means, to the last bit.
double Mean(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Sums of a name over the runs of each side.
struct Sides {
  double first_before = 0, first_after = 0, second_before = 0, second_after = 0;
};

// Names by how much the mean of the first figure differs, then the second's, then by name.
template <typename Key>
std::vector<Key> Sorted(const absl::flat_hash_map<Key, Sides>& names, double before, double after) {
  std::vector<std::tuple<double, double, Key>> rows;
  rows.reserve(names.size());
  for (const auto& [key, sides] : names) {
    rows.emplace_back(-std::abs(sides.first_after / after - sides.first_before / before),
                      -std::abs(sides.second_after / after - sides.second_before / before), key);
  }
  std::sort(rows.begin(), rows.end());
  std::vector<Key> keys;
  keys.reserve(rows.size());
  for (auto& row : rows) keys.push_back(std::move(std::get<2>(row)));
  return keys;
}

}  // namespace

std::vector<Comparison::FunctionKey> Comparison::Functions() const {
  absl::flat_hash_map<FunctionKey, Sides> names;
  for (const RunFigures& run : before_) {
    for (const auto& [key, function] : run.functions) {
      names[key].first_before += function.self_share;
      names[key].second_before += function.total_share;
    }
  }
  for (const RunFigures& run : after_) {
    for (const auto& [key, function] : run.functions) {
      names[key].first_after += function.self_share;
      names[key].second_after += function.total_share;
    }
  }
  return Sorted(names, static_cast<double>(before_.size()), static_cast<double>(after_.size()));
}

std::vector<std::string> Comparison::Markers() const {
  absl::flat_hash_map<std::string, Sides> names;
  for (const RunFigures& run : before_) {
    for (const auto& [name, marker] : run.markers) {
      names[name].first_before += marker.total_ms;
      names[name].second_before += marker.count;
    }
  }
  for (const RunFigures& run : after_) {
    for (const auto& [name, marker] : run.markers) {
      names[name].first_after += marker.total_ms;
      names[name].second_after += marker.count;
    }
  }
  return Sorted(names, static_cast<double>(before_.size()), static_cast<double>(after_.size()));
}

Change Comparison::OfFunction(const FunctionKey& key, double RunFigures::Function::*figure) const {
  return Of([&](const RunFigures& run) {
    const auto found = run.functions.find(key);
    return found == run.functions.end() ? 0.0 : found->second.*figure;
  });
}

Change Comparison::OfMarker(const std::string& name, double RunFigures::Marker::*figure) const {
  return Of([&](const RunFigures& run) {
    const auto found = run.markers.find(name);
    return found == run.markers.end() ? 0.0 : found->second.*figure;
  });
}

Change Comparison::OfRun(double RunFigures::*figure) const {
  return Of([&](const RunFigures& run) { return run.*figure; });
}

bool Comparison::has_cpu_times() const {
  const auto has = [](const RunFigures& run) { return run.has_cpu_times; };
  return std::all_of(before_.begin(), before_.end(), has) && std::all_of(after_.begin(), after_.end(), has);
}

bool Comparison::has_samples() const {
  const auto has = [](const RunFigures& run) { return run.samples > 0 || run.bytes > 0; };
  return std::any_of(before_.begin(), before_.end(), has) && std::any_of(after_.begin(), after_.end(), has);
}

bool Comparison::has_markers() const {
  const auto has = [](const RunFigures& run) { return !run.markers.empty(); };
  return std::any_of(before_.begin(), before_.end(), has) && std::any_of(after_.begin(), after_.end(), has);
}

Change Comparison::Test(const std::vector<double>& before, const std::vector<double>& after) const {
  Change change{Mean(before), Mean(after), std::nullopt};
  if (test_.is_possible()) change.p = test_.P(before, after);
  return change;
}

}  // namespace geckoprof
