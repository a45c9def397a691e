#include "tools/compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "tools/profile/counted_samples.h"
#include "tools/report/marker_times.h"
#include "tools/report/sample_tables.h"

namespace geckoprof {
namespace {

void AddFunctions(const ProfileModel& model, bool with_idle, RunFigures* run) {
  std::vector<int32_t> group_of_stack;
  group_of_stack.reserve(model.stacks.size());
  for (const ProfileStack& stack : model.stacks) {
    group_of_stack.push_back(IsRootFunction(model, stack.function) ? SampleGroups::kLeftOut : stack.function);
  }
  const SampleGroups sums = SampleGroups::Of(model, group_of_stack, model.functions.size(), with_idle);
  (sums.in_bytes ? run->bytes : run->samples) = sums.samples;
  run->cpu_ms = sums.cpu_ms;
  for (size_t i = 0; i < sums.groups.size(); ++i) {
    const SampleGroups::Group& sum = sums.groups[i];
    if (sum.total_samples <= 0) continue;
    const ProfileFunction& function = model.functions[i];
    RunFigures::Function& figures = run->functions[{
        model.Text(function.name), function.library == kNoRow ? std::string() : model.Text(function.library)}];
    figures.self_share += sum.self_samples / sums.samples;
    figures.total_share += sum.total_samples / sums.samples;
    figures.self_cpu_ms += sum.self_cpu_ms;
    figures.total_cpu_ms += sum.total_cpu_ms;
  }
}

void AddMarkers(const ProfileModel& model, RunFigures* run) {
  absl::flat_hash_map<int32_t, DurationFigures> sums;
  for (const ProfileThread& thread : model.threads) {
    for (const MarkerTime& time : MarkerTimesOf(thread)) {
      DurationFigures& sum = sums[thread.markers[static_cast<size_t>(time.marker)].name];
      time.has_duration ? sum.Add(time.end_ms - time.start_ms) : sum.AddInstant();
    }
  }
  for (auto& [name, sum] : sums) {
    run->markers[model.Text(name)] = {static_cast<double>(sum.count()), sum.total_ms(),
                                      sum.has_durations() ? sum.Percentile(50) : 0};
  }
}

}  // namespace

RunFigures RunFigures::Of(const ProfileModel& model, bool with_idle) {
  RunFigures run;
  run.has_cpu_times = model.has_cpu_times;
  AddFunctions(model, with_idle, &run);
  AddMarkers(model, &run);
  return run;
}

namespace {

double Sum(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// How much means of the same values, added in another order, may differ in their last bits. That is of the size of the
// values: their difference may be nothing but that.
double SlackOf(std::span<const double> all) {
  double most = 0;
  for (const double value : all) most = std::max(most, std::abs(value));
  return 1e-12 * most;
}

// Whether a split is as extreme as the one given.
bool IsAtLeast(double difference, double limit, double slack) {
  return difference >= limit - 1e-9 * std::abs(limit) - slack;
}

}  // namespace

PermutationTest::PermutationTest(size_t before, size_t after) : before_(before), after_(after), splits_(1) {
  for (size_t i = 1; i <= before_ && splits_ <= kMaxSplits; ++i) {
    splits_ = splits_ * static_cast<double>(after_ + i) / static_cast<double>(i);
  }
}

// The split that was given counts. If the groups are equal, its mirror image counts as well.
double PermutationTest::least_p() const {
  if (splits_ > kMaxSplits) return 1.0 / static_cast<double>(kMaxSplits + 1);
  return (before_ == after_ ? 2 : 1) / splits_;
}

double PermutationTest::P(std::span<const double> before, std::span<const double> after) const {
  if (!is_possible() || before.size() != before_ || after.size() != after_) return 1;
  std::vector<double> all(before.begin(), before.end());
  all.insert(all.end(), after.begin(), after.end());
  const double difference =
      std::abs(Sum(before) / static_cast<double>(before_) - Sum(after) / static_cast<double>(after_));
  return splits_ > kMaxSplits ? RandomP(all, difference) : ExactP(all, difference);
}

double PermutationTest::ExactP(std::span<const double> all, double difference) const {
  const double total = Sum(all), slack = SlackOf(all);
  std::vector<size_t> chosen(before_);  // ascending rows: one group
  std::iota(chosen.begin(), chosen.end(), size_t{0});
  size_t splits = 0, extreme = 0;
  while (true) {
    double sum = 0;
    for (const size_t row : chosen) sum += all[row];
    const double found = std::abs(sum / static_cast<double>(before_) - (total - sum) / static_cast<double>(after_));
    ++splits;
    extreme += IsAtLeast(found, difference, slack) ? 1 : 0;
    // The next combination: the last row that can move does, those behind it follow it.
    size_t i = before_;
    while (i > 0 && chosen[i - 1] == all.size() - before_ + i - 1) --i;
    if (i == 0) break;
    ++chosen[i - 1];
    for (; i < before_; ++i) chosen[i] = chosen[i - 1] + 1;
  }
  return static_cast<double>(extreme) / static_cast<double>(splits);
}

double PermutationTest::RandomP(std::span<const double> all, double difference) const {
  const double total = Sum(all), slack = SlackOf(all);
  std::vector<double> shuffled(all.begin(), all.end());
  std::mt19937_64 random(0x9e3779b97f4a7c15);
  size_t extreme = 1;  // the split that was given
  for (size_t round = 0; round < kMaxSplits; ++round) {
    double sum = 0;
    for (size_t i = 0; i < before_; ++i) {
      std::swap(shuffled[i], shuffled[i + random() % (shuffled.size() - i)]);
      sum += shuffled[i];
    }
    const double found = std::abs(sum / static_cast<double>(before_) - (total - sum) / static_cast<double>(after_));
    extreme += IsAtLeast(found, difference, slack) ? 1 : 0;
  }
  return static_cast<double>(extreme) / static_cast<double>(kMaxSplits + 1);
}

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
