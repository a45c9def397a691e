#include "tools/compare/budget.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "tools/text/concat.h"

namespace geckoprof {
namespace {

using Metric = Budget::Metric;

constexpr std::array<std::pair<std::string_view, Metric>, 8> kMetrics = {{{"self", Metric::kSelf},
                                                                          {"total", Metric::kTotal},
                                                                          {"self-cpu", Metric::kSelfCpu},
                                                                          {"total-cpu", Metric::kTotalCpu},
                                                                          {"marker-count", Metric::kMarkerCount},
                                                                          {"marker-total", Metric::kMarkerTotal},
                                                                          {"marker-median", Metric::kMarkerMedian},
                                                                          {"cpu", Metric::kCpu}}};

bool IsShare(Metric metric) { return metric == Metric::kSelf || metric == Metric::kTotal; }
bool IsOfCpu(Metric metric) {
  return metric == Metric::kSelfCpu || metric == Metric::kTotalCpu || metric == Metric::kCpu;
}
bool IsCount(Metric metric) { return metric == Metric::kMarkerCount; }
bool IsOfMarker(Metric metric) {
  return metric == Metric::kMarkerCount || metric == Metric::kMarkerTotal || metric == Metric::kMarkerMedian;
}

struct Limit {
  bool is_change = false, is_relative = false;
  double value = 0;
};

std::optional<Limit> ParseLimit(std::string_view text, Metric metric) {
  Limit limit;
  double sign = 1;
  if (text.starts_with('+') || text.starts_with('-')) {
    limit.is_change = true;
    sign = text.front() == '-' ? -1 : 1;
    text.remove_prefix(1);
  }
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  constexpr double kMost = 1e15;
  if (error != std::errc() || !(number <= kMost)) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  const bool is_time = !IsShare(metric) && !IsCount(metric);
  if (text == "%") {
    if (!limit.is_change && !IsShare(metric)) return std::nullopt;
    limit.is_relative = limit.is_change;
    number /= 100;
  } else if (text == "pp" && limit.is_change && IsShare(metric)) {
    number /= 100;
  } else if (is_time && text == "s") {
    number *= 1000;
  } else if (is_time && text == "us") {
    number /= 1000;
  } else if (!(is_time && text == "ms") && !(IsCount(metric) && text.empty())) {
    return std::nullopt;
  }
  limit.value = sign * number;
  return limit;
}

absl::Status Fault(std::string_view text, std::string_view what) {
  return absl::InvalidArgumentError(Concat(text, ": ", what));
}

}  // namespace

absl::StatusOr<Budget> Budget::Parse(std::string_view text) {
  Budget budget;
  budget.text_ = std::string(text);
  const size_t compare = text.find_last_of("<>");
  if (compare == std::string_view::npos) return Fault(text, "has no > or <");
  std::string_view subject = text.substr(0, compare);
  const size_t colon = subject.find(':');
  const std::string_view metric_name = subject.substr(0, colon);
  const Metric* metric = nullptr;
  for (const auto& [name, known] : kMetrics) {
    if (name == metric_name) metric = &known;
  }
  if (metric == nullptr) {
    return Fault(text,
                 "begins with none of self, total, self-cpu, total-cpu, marker-count, marker-total, "
                 "marker-median, cpu");
  }
  budget.metric_ = *metric;
  if (colon != std::string_view::npos) budget.name_ = std::string(subject.substr(colon + 1));
  if ((*metric == Metric::kCpu) != budget.name_.empty() ||
      (*metric == Metric::kCpu && colon != std::string_view::npos)) {
    return Fault(text, *metric == Metric::kCpu ? "cpu takes no name" : "names nothing");
  }
  budget.may_be_prefix_ = budget.name_.ends_with('*');
  budget.is_upper_ = text[compare] == '>';
  const std::optional<Limit> limit = ParseLimit(text.substr(compare + 1), *metric);
  if (!limit.has_value()) {
    return Fault(text, IsShare(*metric)   ? "the limit is none like +5%, +2pp or 30%"
                       : IsCount(*metric) ? "the limit is none like +5%, +3 or 100"
                                          : "the limit is none like +5%, +10ms or 1.5s");
  }
  budget.limit_ = limit->value;
  budget.is_change_ = limit->is_change;
  budget.is_relative_ = limit->is_relative;
  return budget;
}

bool Budget::Matches(std::string_view name, bool as_prefix) const {
  if (as_prefix) return name.starts_with(std::string_view(name_).substr(0, name_.size() - 1));
  if (!name.starts_with(name_)) return false;
  if (name.size() == name_.size()) return true;
  return name[name_.size()] == '(' && !IsOfMarker(metric_);
}

bool Budget::IsMeasured(const Comparison& comparison) const {
  if (IsOfMarker(metric_)) return comparison.has_samples() || comparison.has_markers();
  return comparison.has_samples() && (!IsOfCpu(metric_) || comparison.has_cpu_times());
}

Change Budget::Measure(const Comparison& comparison, bool as_prefix, bool* is_known) const {
  *is_known = false;
  const auto by_function = [&](double RunFigures::Function::*figure) {
    return comparison.OfFunctions(
        [&](const RunFigures::FunctionKey& key) {
          const bool matches = Matches(key.first, as_prefix);
          *is_known = *is_known || matches;
          return matches;
        },
        figure);
  };
  const auto by_marker = [&](double RunFigures::Marker::*figure) {
    return comparison.OfMarkers(
        [&](std::string_view name) {
          const bool matches = Matches(name, as_prefix);
          *is_known = *is_known || matches;
          return matches;
        },
        figure);
  };
  switch (metric_) {
    case Metric::kSelf:
      return by_function(&RunFigures::Function::self_share);
    case Metric::kTotal:
      return by_function(&RunFigures::Function::total_share);
    case Metric::kSelfCpu:
      return by_function(&RunFigures::Function::self_cpu_ms);
    case Metric::kTotalCpu:
      return by_function(&RunFigures::Function::total_cpu_ms);
    case Metric::kMarkerCount:
      return by_marker(&RunFigures::Marker::count);
    case Metric::kMarkerTotal:
      return by_marker(&RunFigures::Marker::total_ms);
    case Metric::kMarkerMedian:
      return by_marker(&RunFigures::Marker::median_ms);
    case Metric::kCpu:
      break;
  }
  *is_known = true;
  return comparison.OfRun(&RunFigures::cpu_ms);
}

bool Budget::IsBeyond(const Change& change) const {
  double value = is_change_ ? change.difference() : change.after;
  double limit = limit_;
  if (is_relative_) limit *= change.before;
  // What sums of the same numbers in another order may differ by is no change.
  const double slack = 1e-9 * (std::abs(change.before) + std::abs(change.after));
  return is_upper_ ? value > limit + slack : value < limit - slack;
}

Budget::Result Budget::Check(const Comparison& comparison, double alpha) const {
  Result result;
  result.is_measured = IsMeasured(comparison);
  if (!result.is_measured) return result;
  result.change = Measure(comparison, /*as_prefix=*/false, &result.is_known);
  if (!result.is_known && may_be_prefix_) {
    result.change = Measure(comparison, /*as_prefix=*/true, &result.is_known);
  }
  result.is_exceeded = IsBeyond(result.change);
  const bool can_be_significant = comparison.test().is_possible() && comparison.test().least_p() <= alpha;
  if (is_change_ && can_be_significant && result.change.p.value_or(1) > alpha) result.is_exceeded = false;
  return result;
}

}  // namespace geckoprof
