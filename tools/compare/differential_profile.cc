#include "tools/compare/differential_profile.h"

#include <algorithm>
#include <map>

#include "tools/profile/counted_samples.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

// Deeper paths are cut: each line of the folded format has the whole of its path.
constexpr size_t kMaxPathFrames = 1024;

// What a line of the folded format cannot hold as it is: what separates frames, ends lines or steers terminals.
std::string FoldedName(const std::string& name) {
  std::string folded = CleanText(name);
  for (char& c : folded) {
    if (c == ';') c = ':';
  }
  return folded.empty() ? "?" : folded;
}

// By row of the run's stacks.
std::vector<double> SamplesByStack(const ProfileModel& run, bool with_idle) {
  const IdleRule idle_rule(run);
  const MainMeasure measure(run);
  std::vector<double> samples(run.stacks.size(), 0);
  for (const ProfileThread& thread : run.threads) {
    if (!measure.Has(thread)) continue;
    for (const ProfileSample& sample : thread.samples) {
      if (sample.stack == kNoRow || (!with_idle && !measure.in_bytes() && idle_rule.IsIdle(sample))) continue;
      samples[static_cast<size_t>(sample.stack)] += sample.weight;
    }
  }
  return samples;
}

// Whether samples end at a row or below it.
std::vector<bool> WithSamples(const ProfileModel& run, const std::vector<double>& samples) {
  std::vector<bool> with(run.stacks.size(), false);
  for (size_t i = run.stacks.size(); i-- > 0;) {
    if (samples[i] > 0) with[i] = true;
    if (with[i] && run.stacks[i].prefix != kNoRow) with[static_cast<size_t>(run.stacks[i].prefix)] = true;
  }
  return with;
}

template <typename Map, typename Key, typename Make>
int32_t RowOf(Map& rows, const Key& key, const Make& make) {
  const auto [entry, is_new] = rows.try_emplace(key, 0);
  if (is_new) entry->second = make();
  return entry->second;
}

}  // namespace

void DifferentialProfile::Add(const ProfileModel& run, Side side, bool with_idle) {
  ++runs_[side];
  in_bytes_ = in_bytes_ || MainMeasure(run).in_bytes();
  const std::vector<double> samples = SamplesByStack(run, with_idle);
  const std::vector<bool> with = WithSamples(run, samples);
  double sum = 0;
  for (const double count : samples) sum += std::max(0.0, count);
  std::vector<int32_t> row_of(run.stacks.size(), kNoRow), functions(run.functions.size(), kNoRow);
  for (size_t i = 0; i < run.stacks.size(); ++i) {
    if (!with[i]) continue;
    const ProfileStack& stack = run.stacks[i];
    const int32_t prefix = stack.prefix == kNoRow ? kNoRow : row_of[static_cast<size_t>(stack.prefix)];
    int32_t& function = functions[static_cast<size_t>(stack.function)];
    if (function == kNoRow) function = FunctionRow(run, stack.function);
    row_of[i] =
        IsRootFunction(run, stack.function) ? prefix : StackRow(prefix, function, CategoryRow(run, stack.category));
    if (row_of[i] == kNoRow || samples[i] <= 0) continue;
    samples_[side][static_cast<size_t>(row_of[i])] += samples[i];
    shares_[side][static_cast<size_t>(row_of[i])] += samples[i] / sum;
  }
}

int32_t DifferentialProfile::StringRow(const std::string& text) {
  return RowOf(strings_, text, [&] {
    model_.strings.push_back(text);
    return static_cast<int32_t>(model_.strings.size()) - 1;
  });
}

int32_t DifferentialProfile::FunctionRow(const ProfileModel& run, int32_t function) {
  const ProfileFunction& of_run = run.functions[static_cast<size_t>(function)];
  const int32_t name = StringRow(run.Text(of_run.name));
  const int32_t library = of_run.library == kNoRow ? kNoRow : StringRow(run.Text(of_run.library));
  return RowOf(functions_, std::pair(name, library), [&] {
    model_.functions.push_back({name, library});
    return static_cast<int32_t>(model_.functions.size()) - 1;
  });
}

int32_t DifferentialProfile::CategoryRow(const ProfileModel& run, int32_t category) {
  if (category == kNoRow) return kNoRow;
  const auto row = static_cast<size_t>(category);
  return RowOf(categories_, run.categories[row], [&] {
    model_.categories.push_back(run.categories[row]);
    model_.category_colors.push_back(row < run.category_colors.size() ? run.category_colors[row] : "grey");
    return static_cast<int32_t>(model_.categories.size()) - 1;
  });
}

int32_t DifferentialProfile::StackRow(int32_t prefix, int32_t function, int32_t category) {
  return RowOf(stacks_, std::pair(prefix, function), [&] {
    model_.stacks.push_back({prefix, function, category, kNoRow});
    for (const Side side : {kBefore, kAfter}) {
      samples_[side].push_back(0);
      shares_[side].push_back(0);
    }
    return static_cast<int32_t>(model_.stacks.size()) - 1;
  });
}

std::string DifferentialProfile::PathText(int32_t stack) const {
  std::vector<const std::string*> names;  // from the innermost on
  while (stack != kNoRow && names.size() < kMaxPathFrames) {
    const ProfileStack& row = model_.stacks[static_cast<size_t>(stack)];
    names.push_back(&model_.Text(model_.functions[static_cast<size_t>(row.function)].name));
    stack = row.prefix;
  }
  std::string path;
  for (size_t i = names.size(); i-- > 0;) {
    if (!path.empty()) path += ';';
    path += FoldedName(*names[i]);
  }
  return path;
}

std::string DifferentialProfile::FoldedText() const {
  // Paths that differ in libraries alone are one here.
  std::map<std::string, std::pair<double, double>> lines;
  for (size_t i = 0; i < model_.stacks.size(); ++i) {
    if (samples_[kBefore][i] <= 0 && samples_[kAfter][i] <= 0) continue;
    auto& [before, after] = lines[PathText(static_cast<int32_t>(i))];
    before += samples_[kBefore][i];
    after += samples_[kAfter][i];
  }
  std::string text;
  WholeCounts before, after;
  for (const auto& [path, samples] : lines) {
    const int64_t count_before = before.Next(samples.first), count_after = after.Next(samples.second);
    text += Concat(path, " ", count_before, " ", count_after, "\n");
  }
  return text;
}

ProfileModel DifferentialProfile::TakeModel() {
  model_.format = ProfileFormat::kProcessed;
  model_.processes.resize(1);
  for (const Side side : {kBefore, kAfter}) {
    ProfileThread thread;
    thread.name = side == kBefore ? "before" : "after";
    if (in_bytes_) thread.weight_unit = ProfileWeightUnit::kBytes;
    const double runs = static_cast<double>(std::max<size_t>(1, runs_[side]));
    for (size_t i = 0; i < samples_[side].size(); ++i) {
      if (shares_[side][i] > 0) thread.samples.push_back({0, shares_[side][i] / runs, -1, static_cast<int32_t>(i)});
    }
    model_.threads.push_back(std::move(thread));
  }
  return std::move(model_);
}

}  // namespace geckoprof
