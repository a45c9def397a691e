#include "tools/report/profile_summary.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tools/profile/counted_samples.h"
#include "tools/profile/system_pid.h"
#include "tools/profile/wait_times.h"
#include "tools/report/cell_text.h"
#include "tools/report/marker_times.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// A callee with less than 1 / kNegligible of the path's samples says nothing of the program any more.
constexpr double kNegligible = 100;

}  // namespace

CallTree::CallTree(const ProfileModel& model, const std::vector<double>& weights) : functions_(model.functions.size()) {
  // A stack without samples at or below it is left out, so the tree is as large as the selection, not as the file.
  const size_t rows = model.stacks.size();
  std::vector<bool> used(rows);
  for (size_t row = rows; row-- > 0;) {
    if (row < weights.size() && weights[row] > 0) used[row] = true;
    if (used[row] && model.stacks[row].prefix != kNoRow) used[static_cast<size_t>(model.stacks[row].prefix)] = true;
  }
  absl::flat_hash_map<uint64_t, int32_t> children;  // parent and function -> node
  std::vector<int32_t> node_of(rows, kNoRow);
  for (size_t row = 0; row < rows; ++row) {
    if (!used[row]) continue;
    const ProfileStack& stack = model.stacks[row];
    const int32_t parent = stack.prefix == kNoRow ? kNoRow : node_of[static_cast<size_t>(stack.prefix)];
    const uint64_t key = uint64_t{static_cast<uint32_t>(parent)} << 32 | static_cast<uint32_t>(stack.function);
    const auto [entry, added] = children.try_emplace(key, static_cast<int32_t>(nodes_.size()));
    if (added) nodes_.push_back({parent, stack.function, 0, 0});
    node_of[row] = entry->second;
    Node& node = nodes_[static_cast<size_t>(entry->second)];
    node.self_weight += weights[row];
    node.weight += weights[row];
  }
  for (size_t i = nodes_.size(); i-- > 0;) {
    if (nodes_[i].parent != kNoRow) nodes_[static_cast<size_t>(nodes_[i].parent)].weight += nodes_[i].weight;
  }
}

std::vector<CallTree::FunctionWeights> CallTree::ByFunction() const {
  std::vector<FunctionWeights> result(functions_);
  std::vector<int32_t> first_child(nodes_.size(), kNoRow), sibling(nodes_.size(), kNoRow);
  std::vector<int32_t> pending;  // nodes to enter; ~node: to leave
  for (size_t i = nodes_.size(); i-- > 0;) {
    const int32_t node = static_cast<int32_t>(i);
    if (nodes_[i].parent == kNoRow) {
      pending.push_back(node);
    } else {
      int32_t& first = first_child[static_cast<size_t>(nodes_[i].parent)];
      sibling[i] = first;
      first = node;
    }
  }
  std::vector<int32_t> on_path(functions_, 0);
  while (!pending.empty()) {
    const int32_t next = pending.back();
    pending.pop_back();
    if (next < 0) {
      const int32_t left = ~next;
      --on_path[static_cast<size_t>(nodes_[static_cast<size_t>(left)].function)];
      continue;
    }
    const Node& node = nodes_[static_cast<size_t>(next)];
    const size_t function = static_cast<size_t>(node.function);
    result[function].self_weight += node.self_weight;
    if (on_path[function]++ == 0) result[function].total_weight += node.weight;
    pending.push_back(~next);
    for (int32_t child = first_child[static_cast<size_t>(next)]; child != kNoRow;
         child = sibling[static_cast<size_t>(child)]) {
      pending.push_back(child);
    }
  }
  return result;
}

std::vector<int32_t> CallTree::HeaviestPath() const {
  std::vector<int32_t> heaviest(nodes_.size() + 1, kNoRow);  // callee of each node; the last: of the outside
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const size_t parent = nodes_[i].parent == kNoRow ? nodes_.size() : static_cast<size_t>(nodes_[i].parent);
    int32_t& best = heaviest[parent];
    if (best == kNoRow || nodes_[i].weight > nodes_[static_cast<size_t>(best)].weight) best = static_cast<int32_t>(i);
  }
  std::vector<int32_t> path;
  for (int32_t node = heaviest[nodes_.size()]; node != kNoRow; node = heaviest[static_cast<size_t>(node)]) {
    const double self = path.empty() ? 0 : nodes_[static_cast<size_t>(path.back())].self_weight;
    const double weight = nodes_[static_cast<size_t>(node)].weight;
    if (self > weight || (!path.empty() && weight * kNegligible < nodes_[static_cast<size_t>(path[0])].weight)) break;
    path.push_back(node);
  }
  return path;
}

namespace {

std::string BytesInText(double bytes, double count, std::string_view one) {
  return Concat(GroupedText(bytes), bytes == 1 ? " byte in " : " bytes in ", GroupedText(count), " ", one,
                count == 1 ? "" : "s");
}

}  // namespace

void AllocationSums::Add(const ProfileThread& thread) {
  if (thread.weight_unit != ProfileWeightUnit::kBytes) return;
  for (const ProfileSample& sample : thread.samples) {
    if (sample.weight > 0) ++count;
    bytes += sample.weight;
  }
  for (const ProfileSample& sample : thread.frees) {
    ++frees;
    freed_bytes += sample.weight;
  }
}

std::string AllocationSums::Text(std::string_view one) const {
  std::string text = BytesInText(bytes, count, one);
  if (frees > 0) text += Concat(", ", BytesInText(freed_bytes, frees, "free"));
  return text;
}

size_t RowsWithoutWeight(const ProfileThread& thread) {
  const auto rows =
      static_cast<size_t>(std::count_if(thread.samples.begin(), thread.samples.end(), [&](const ProfileSample& row) {
        const bool is_sample = row.stack != kNoRow || (row.cpu_ns != 0 && !thread.has_states);
        return is_sample && !(row.weight > 0);
      }));
  return rows - std::min(rows, thread.frees.size());
}

namespace {

std::string NsText(int64_t ns) { return DurationText(static_cast<double>(ns) / 1e6); }

}  // namespace

void GapSums::Add(int64_t gap_cpu_ns) { Add({1, gap_cpu_ns, gap_cpu_ns}); }

void GapSums::Add(const GapSums& other) {
  count += other.count;
  cpu_ns += std::min(other.cpu_ns, INT64_MAX - cpu_ns);
  longest_ns = std::max(longest_ns, other.longest_ns);
}

std::string GapSums::Text(int64_t all_cpu_ns) const {
  const std::string share =
      all_cpu_ns > 0 ? Concat(" (", PercentText(static_cast<double>(cpu_ns), static_cast<double>(all_cpu_ns)), ")")
                     : std::string();
  const std::string gaps =
      count == 1 ? std::string("1 gap")
                 : Concat(GroupedText(static_cast<double>(count)), " gaps, the longest ", NsText(longest_ns));
  return Concat(NsText(cpu_ns), share, " without samples, in ", gaps);
}

namespace {

// Counts markers by name.
class MarkerCounter {
 public:
  // Returns how many they are: a start and its end are one.
  size_t AddThread(const ProfileThread& thread) {
    size_t count = 0;
    for (const MarkerTime& time : MarkerTimesOf(thread)) {
      ProfileSummary::Marker& sum = sums_[thread.markers[static_cast<size_t>(time.marker)].name];
      ++sum.count;
      if (time.has_duration) sum.total_ms += time.end_ms - time.start_ms;
      ++count;
    }
    return count;
  }

  std::vector<ProfileSummary::Marker> Sorted(const ProfileModel& model) const {
    std::vector<ProfileSummary::Marker> result;
    result.reserve(sums_.size());
    for (const auto& [name, sum] : sums_) result.push_back({name, sum.count, sum.total_ms});
    std::sort(result.begin(), result.end(), [&model](const auto& a, const auto& b) {
      return std::tie(b.count, b.total_ms, model.strings[static_cast<size_t>(a.name)]) <
             std::tie(a.count, a.total_ms, model.strings[static_cast<size_t>(b.name)]);
    });
    return result;
  }

 private:
  absl::flat_hash_map<int32_t, ProfileSummary::Marker> sums_;
};

// The first sample's time is that of before the recording, as is its CPU time.
void SumWaits(const ProfileThread& thread, ProfileSummary::Thread* sum) {
  int64_t ready_ns = 0, wait_ns = 0;
  const auto add = [](int64_t more_ns, int64_t* total_ns) { *total_ns += std::min(more_ns, INT64_MAX - *total_ns); };
  bool first = !thread.starts_later;
  for (const ProfileSample& sample : thread.samples) {
    if (!first) add(sample.ready_ns, &ready_ns);
    first = false;
    add(sample.wait_ns, &wait_ns);
    add(sample.short_wait_ns, &wait_ns);
  }
  sum->ready_ns = ready_ns;
  sum->wait_ns = wait_ns;
}

ProfileSummary::Thread SumThread(const ProfileThread& thread, int32_t row, const SummarySelection& selection,
                                 const IdleRule& idle_rule, std::vector<double>* stack_weights) {
  ProfileSummary::Thread sum;
  sum.row = row;
  sum.allocations.Add(thread);
  const bool of_bytes = thread.weight_unit == ProfileWeightUnit::kBytes;
  if (thread.has_states) sum.gaps = GapSums();
  bool first = !thread.starts_later, unknown = false;
  for (const ProfileSample& sample : thread.samples) {
    unknown = unknown || (!first && sample.cpu_ns < 0);
    if (sample.cpu_ns >= 0) sum.cpu_ns = sum.cpu_ns.value_or(0);
    // A file may add up to more than 2^63 ns; its sum then stays at the limit.
    if (!first && sample.cpu_ns > 0) *sum.cpu_ns += std::min(sample.cpu_ns, INT64_MAX - *sum.cpu_ns);
    first = false;
    if (IsGap(thread, sample)) sum.gaps->Add(sample.cpu_ns);
    const bool idle = !of_bytes && idle_rule.IsIdle(sample);
    if (!of_bytes) (idle ? sum.idle_samples : sum.samples) += sample.weight;
    if (sample.stack != kNoRow && (!idle || selection.with_idle) && stack_weights != nullptr) {
      (*stack_weights)[static_cast<size_t>(sample.stack)] += sample.weight;
    }
  }
  if (unknown && sum.cpu_ns == 0) sum.cpu_ns.reset();  // known of idle rows only
  if (HasWaitTimes(thread)) SumWaits(thread, &sum);
  return sum;
}

void SumFunctions(const ProfileModel& model, const std::vector<double>& stack_weights, ProfileSummary* summary) {
  const CallTree tree(model, stack_weights);
  const std::vector<CallTree::FunctionWeights> weights = tree.ByFunction();
  for (size_t i = 0; i < weights.size(); ++i) {
    if (IsRootFunction(model, static_cast<int32_t>(i))) continue;
    const ProfileSummary::Function row{static_cast<int32_t>(i), weights[i].self_weight, weights[i].total_weight};
    if (row.self_samples > 0) summary->by_self.push_back(row);
    if (row.total_samples > 0) summary->by_total.push_back(row);
  }
  std::stable_sort(summary->by_self.begin(), summary->by_self.end(), [](const auto& a, const auto& b) {
    return std::tie(a.self_samples, a.total_samples) > std::tie(b.self_samples, b.total_samples);
  });
  std::stable_sort(summary->by_total.begin(), summary->by_total.end(),
                   [](const auto& a, const auto& b) { return a.total_samples > b.total_samples; });
  for (const int32_t number : tree.HeaviestPath()) {
    const CallTree::Node& node = tree.nodes()[static_cast<size_t>(number)];
    if (IsRootFunction(model, node.function)) continue;
    summary->heaviest_path.push_back({node.function, node.weight, node.self_weight});
  }
}

bool HasStack(const ProfileModel& model, const ProfileSample& sample) {
  return sample.stack != kNoRow && !IsRootFunction(model, model.stacks[static_cast<size_t>(sample.stack)].function);
}

void AddTimes(const ProfileSummary::Thread& thread, ProfileSummary* summary) {
  if (thread.gaps.has_value()) {
    summary->gaps = summary->gaps.value_or(GapSums());
    summary->gaps->Add(*thread.gaps);
  }
  if (thread.cpu_ns.has_value()) {
    const int64_t so_far_ns = summary->cpu_ns.value_or(0);
    summary->cpu_ns = so_far_ns + std::min(*thread.cpu_ns, INT64_MAX - so_far_ns);
  }
}

size_t CountProcesses(const ProfileModel& model, const absl::flat_hash_set<int32_t>& images) {
  absl::flat_hash_set<std::string> pids;
  for (const int32_t image : images) {
    pids.insert(SystemPid(model.processes[static_cast<size_t>(image)].pid));
  }
  return pids.size();
}

}  // namespace

ProfileSummary Summarize(const ProfileModel& model, const SummarySelection& selection) {
  ProfileSummary summary;
  const IdleRule idle_rule(model);
  const MainMeasure measure(model);
  summary.in_bytes = measure.in_bytes();
  std::vector<double> stack_weights(model.stacks.size(), 0);
  MarkerCounter markers;
  absl::flat_hash_set<int32_t> images;
  double first_ms = 0, last_ms = 0;
  bool any = false;
  for (size_t i = 0; i < model.threads.size(); ++i) {
    const ProfileThread& thread = model.threads[i];
    images.insert(thread.process);
    auto sum = SumThread(thread, static_cast<int32_t>(i), selection, idle_rule,
                         measure.Has(thread) ? &stack_weights : nullptr);
    sum.markers = markers.AddThread(thread);
    summary.samples += sum.samples;
    summary.idle_samples += sum.idle_samples;
    summary.allocations.Add(thread);
    AddTimes(sum, &summary);
    summary.has_wait_times |= sum.wait_ns.has_value();
    summary.rows_without_weight += RowsWithoutWeight(thread);
    summary.markers += sum.markers;
    summary.threads.push_back(sum);
    for (const ProfileSample& sample : thread.samples) {
      first_ms = any ? std::min(first_ms, sample.time_ms) : sample.time_ms;
      last_ms = any ? std::max(last_ms, sample.time_ms) : sample.time_ms;
      any = true;
      summary.has_stacks = summary.has_stacks || HasStack(model, sample);
    }
  }
  for (size_t i = 0; i < model.counters.size(); ++i) {
    summary.counters.push_back(static_cast<int32_t>(i));
  }
  for (const double weight : stack_weights) summary.counted_samples += weight;
  summary.program_images = images.size();
  summary.processes = CountProcesses(model, images);
  summary.duration_ms = model.duration_ms > 0 ? model.duration_ms : last_ms - first_ms;
  std::stable_sort(summary.threads.begin(), summary.threads.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.cpu_ns.value_or(-1), a.samples, a.allocations.bytes) >
           std::tuple(b.cpu_ns.value_or(-1), b.samples, b.allocations.bytes);
  });
  SumFunctions(model, stack_weights, &summary);
  summary.marker_names = markers.Sorted(model);
  return summary;
}

}  // namespace geckoprof
