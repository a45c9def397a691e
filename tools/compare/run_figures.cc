#include "tools/compare/run_figures.h"

#include "tools/profile/idle_rule.h"
#include "tools/report/duration_figures.h"
#include "tools/report/marker_times.h"
#include "tools/report/sample_groups.h"

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

}  // namespace geckoprof
