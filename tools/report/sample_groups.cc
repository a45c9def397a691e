#include "tools/report/sample_groups.h"

#include "tools/profile/idle_rule.h"
#include "tools/profile/main_measure.h"

namespace geckoprof {
namespace {

struct Weight {
  double samples = 0, cpu_ms = 0;
  bool is_zero() const { return samples == 0 && cpu_ms == 0; }
};

std::vector<Weight> OwnWeights(const ProfileModel& model, bool with_idle, SampleGroups* sums) {
  const IdleRule idle_rule(model);
  const MainMeasure measure(model);
  sums->in_bytes = measure.in_bytes();
  std::vector<Weight> weights(model.stacks.size());
  for (const ProfileThread& thread : model.threads) {
    if (!measure.Has(thread)) continue;
    bool first = !thread.starts_later;
    for (const ProfileSample& sample : thread.samples) {
      const bool counts_cpu = !first && sample.cpu_ns > 0;
      first = false;
      if (sample.stack == kNoRow || (!with_idle && !sums->in_bytes && idle_rule.IsIdle(sample))) continue;
      const double cpu_ms = counts_cpu ? static_cast<double>(sample.cpu_ns) / 1e6 : 0;
      Weight& weight = weights[static_cast<size_t>(sample.stack)];
      weight.samples += sample.weight;
      weight.cpu_ms += cpu_ms;
      sums->samples += sample.weight;
      sums->cpu_ms += cpu_ms;
    }
  }
  return weights;
}

}  // namespace

SampleGroups SampleGroups::Of(const ProfileModel& model, const std::vector<int32_t>& group_of_stack, size_t groups,
                              bool with_idle) {
  SampleGroups result;
  result.groups.resize(groups);
  const std::vector<Weight> own = OwnWeights(model, with_idle, &result);
  const size_t rows = own.size();
  std::vector<Weight> below = own;  // of the row and all that it is a prefix of
  // Children of each row as a linked list; those of the outside stand behind all rows.
  std::vector<int32_t> first_child(rows + 1, kNoRow), sibling(rows, kNoRow);
  for (size_t row = rows; row-- > 0;) {
    if (below[row].is_zero()) continue;
    const int32_t prefix = model.stacks[row].prefix;
    const size_t parent = prefix == kNoRow ? rows : static_cast<size_t>(prefix);
    if (prefix != kNoRow) {
      below[parent].samples += below[row].samples;
      below[parent].cpu_ms += below[row].cpu_ms;
    }
    sibling[row] = first_child[parent];
    first_child[parent] = static_cast<int32_t>(row);
  }
  std::vector<int32_t> on_path(groups, 0);
  std::vector<int32_t> pending;  // rows to enter; ~row: to leave
  const auto push_children = [&](size_t parent) {
    for (int32_t child = first_child[parent]; child != kNoRow; child = sibling[static_cast<size_t>(child)]) {
      pending.push_back(child);
    }
  };
  push_children(rows);
  while (!pending.empty()) {
    const int32_t next = pending.back();
    pending.pop_back();
    const size_t row = static_cast<size_t>(next < 0 ? ~next : next);
    const int32_t group = group_of_stack[row];
    if (next < 0) {
      if (group >= 0) --on_path[static_cast<size_t>(group)];
      continue;
    }
    if (group >= 0) {
      Group& sum = result.groups[static_cast<size_t>(group)];
      sum.self_samples += own[row].samples;
      sum.self_cpu_ms += own[row].cpu_ms;
      if (on_path[static_cast<size_t>(group)]++ == 0) {
        sum.total_samples += below[row].samples;
        sum.total_cpu_ms += below[row].cpu_ms;
      }
    }
    pending.push_back(~next);
    push_children(row);
  }
  return result;
}

}  // namespace geckoprof
