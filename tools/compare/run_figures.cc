#include "tools/compare/run_figures.h"

#include "tools/profile/idle_rule.h"
#include "tools/profile/terminal_text.h"
#include "tools/report/call_tree.h"
#include "tools/report/duration_figures.h"
#include "tools/report/marker_times.h"
#include "tools/report/sample_groups.h"

namespace geckoprof {
namespace {

// Deeper paths are cut: each line of the folded format has the whole of its path.
constexpr size_t kMaxPathFrames = 1024;

const std::string& Text(const ProfileModel& model, int32_t row) { return model.strings[static_cast<size_t>(row)]; }

void AddFunctions(const ProfileModel& model, bool with_idle, RunFigures* run) {
  std::vector<int32_t> group_of_stack;
  group_of_stack.reserve(model.stacks.size());
  for (const ProfileStack& stack : model.stacks) {
    group_of_stack.push_back(IsRootFunction(model, stack.function) ? SampleGroups::kLeftOut : stack.function);
  }
  const SampleGroups sums = SampleGroups::Of(model, group_of_stack, model.functions.size(), with_idle);
  run->samples = sums.samples;
  run->cpu_ms = sums.cpu_ms;
  for (size_t i = 0; i < sums.groups.size(); ++i) {
    const SampleGroups::Group& sum = sums.groups[i];
    if (sum.total_samples <= 0) continue;
    const ProfileFunction& function = model.functions[i];
    RunFigures::Function& figures = run->functions[{
        Text(model, function.name), function.library == kNoRow ? std::string() : Text(model, function.library)}];
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
    run->markers[Text(model, name)] = {static_cast<double>(sum.count()), sum.total_ms(),
                                       sum.has_durations() ? sum.Percentile(50) : 0};
  }
}

// What a line of the folded format cannot hold as it is: what separates frames, ends lines or steers terminals.
std::string FoldedName(const std::string& name) {
  std::string folded = CleanText(name);
  for (char& c : folded) {
    if (c == ';') c = ':';
  }
  return folded.empty() ? "?" : folded;
}

void AddStacks(const ProfileModel& model, bool with_idle, RunFigures* run) {
  const IdleRule idle_rule(model);
  std::vector<double> weights(model.stacks.size(), 0);
  for (const ProfileThread& thread : model.threads) {
    for (const ProfileSample& sample : thread.samples) {
      if (sample.stack == kNoRow || (!with_idle && idle_rule.IsIdle(sample))) continue;
      weights[static_cast<size_t>(sample.stack)] += sample.weight;
    }
  }
  const CallTree tree(model, weights);
  for (const CallTree::Node& end : tree.nodes()) {
    if (end.self_weight <= 0) continue;
    std::vector<int32_t> functions;  // from the innermost on
    for (const CallTree::Node* node = &end;; node = &tree.nodes()[static_cast<size_t>(node->parent)]) {
      if (!IsRootFunction(model, node->function)) functions.push_back(node->function);
      if (node->parent == kNoRow || functions.size() == kMaxPathFrames) break;
    }
    std::string path;
    for (size_t i = functions.size(); i-- > 0;) {
      if (!path.empty()) path += ';';
      path += FoldedName(Text(model, model.functions[static_cast<size_t>(functions[i])].name));
    }
    if (!path.empty()) run->stacks[path] += end.self_weight;
  }
}

}  // namespace

RunFigures RunFigures::Of(const ProfileModel& model, bool with_idle, bool with_stacks) {
  RunFigures run;
  run.has_cpu_times = model.has_cpu_times;
  AddFunctions(model, with_idle, &run);
  AddMarkers(model, &run);
  if (with_stacks) AddStacks(model, with_idle, &run);
  return run;
}

}  // namespace geckoprof
