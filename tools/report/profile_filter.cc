#include "tools/report/profile_filter.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "tools/profile/counter_peak.h"
#include "tools/report/marker_times.h"

namespace geckoprof {
namespace {

constexpr double kMaxTimeMs = 1e15;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Range {
  double from_ms = -kInfinity, to_ms = kInfinity;
  bool Has(double time_ms) const { return time_ms >= from_ms && time_ms < to_ms; }
  bool Overlaps(const MarkerTime& time) const {
    return time.start_ms < to_ms && (time.end_ms > from_ms || time.start_ms >= from_ms);
  }
};

// Which rows of model.stacks have a function of that name at or above them.
std::vector<bool> StacksWith(const ProfileModel& model, const std::string& function) {
  std::vector<bool> named(model.functions.size()), has(model.stacks.size());
  for (size_t i = 0; i < named.size(); ++i) {
    named[i] = ContainsIgnoringCase(model.strings[static_cast<size_t>(model.functions[i].name)], function);
  }
  for (size_t i = 0; i < has.size(); ++i) {
    const ProfileStack& stack = model.stacks[i];
    has[i] = named[static_cast<size_t>(stack.function)] ||
             (stack.prefix != kNoRow && has[static_cast<size_t>(stack.prefix)]);
  }
  return has;
}

bool IsNamed(const ProfileModel& model, const ProfileMarker& marker, const std::string& part) {
  const auto has = [&](int32_t string) {
    return string != kNoRow && ContainsIgnoringCase(model.strings[static_cast<size_t>(string)], part);
  };
  return has(marker.name) || (marker.data != kNoRow && has(model.marker_data[static_cast<size_t>(marker.data)].type));
}

// Times that overlap become one; in order.
std::vector<Range> Merged(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.from_ms < b.from_ms; });
  std::vector<Range> merged;
  for (const Range& range : ranges) {
    if (merged.empty() || range.from_ms > merged.back().to_ms) {
      merged.push_back(range);
    } else {
      merged.back().to_ms = std::max(merged.back().to_ms, range.to_ms);
    }
  }
  return merged;
}

bool IsInOne(const std::vector<Range>& ranges, double time_ms) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), time_ms,
                                      [](double time, const Range& range) { return time < range.from_ms; });
  return after != ranges.begin() && std::prev(after)->Has(time_ms);
}

// Returns when the markers that are left were open.
std::vector<Range> FilterMarkers(const ProfileModel& model, const std::string& name, const Range& range,
                                 ProfileThread* thread) {
  std::vector<ProfileMarker> left;
  std::vector<Range> open;
  for (const MarkerTime& time : MarkerTimesOf(*thread)) {
    ProfileMarker marker = thread->markers[static_cast<size_t>(time.marker)];
    // Nothing closed it: it is open until the thread has no more samples.
    const bool is_endless = !time.has_duration && marker.phase == ProfileMarkerPhase::kIntervalStart;
    const bool is_in_range = is_endless ? time.start_ms < range.to_ms : range.Overlaps(time);
    if (!is_in_range || (!name.empty() && !IsNamed(model, marker, name))) continue;
    if (time.has_duration) {
      marker.phase = ProfileMarkerPhase::kInterval;
      marker.start_ms = time.start_ms;
      marker.end_ms = time.end_ms;
      open.push_back({time.start_ms, time.end_ms});
    }
    if (is_endless) open.push_back({time.start_ms, kInfinity});
    left.push_back(marker);
  }
  thread->markers = std::move(left);
  return Merged(std::move(open));
}

// A wait has the time up to the thread's next sample, so it may reach into the range or out of it. It keeps the part of
// its time, and of its ticks, that lies in the range.
void CutWait(const Range& range, ProfileSample* sample) {
  const double end_ms = sample->time_ms + static_cast<double>(sample->wait_ns) / 1e6;
  const double from_ms = std::max(sample->time_ms, range.from_ms), to_ms = std::min(end_ms, range.to_ms);
  const bool is_cut = from_ms > sample->time_ms || to_ms < end_ms;
  if (sample->wait_ns <= 0 || !is_cut || from_ms >= to_ms) return;
  if (sample->weight > 1) sample->weight *= (to_ms - from_ms) / (end_ms - sample->time_ms);
  if (from_ms > sample->time_ms) {
    sample->time_ms = from_ms;
    sample->cpu_ns = std::min<int64_t>(sample->cpu_ns, 0);  // it was used before
    sample->ready_ns = sample->short_wait_ns = 0;
  }
  sample->wait_ns = static_cast<int64_t>((to_ms - from_ms) * 1e6);
}

void FilterCounters(const ProfileFilter& filter, const Range& range, ProfileModel* model) {
  const auto is_of_other = [&](const auto& row) {
    return !filter.process.empty() && model->processes[static_cast<size_t>(row.process)].pid != filter.process;
  };
  std::erase_if(model->counters, is_of_other);
  std::erase_if(model->overheads, is_of_other);
  if (!filter.has_times()) return;
  for (ProfileCounter& counter : model->counters) {
    std::vector<ProfileCounter::Row> left;
    counter.total = counter.operations = 0;
    CounterPeak peak(counter.is_rate, model->interval_ms);
    for (size_t i = 0; i < counter.rows.size(); ++i) {
      const ProfileCounter::Row& row = counter.rows[i];
      peak.Add(row.time_ms, row.count, range.Has(row.time_ms));
      if (!range.Has(row.time_ms)) continue;
      left.push_back(row);
      if (i == 0) continue;
      counter.total += row.count;
      counter.operations += row.operations;
    }
    counter.first_ms = left.empty() ? 0 : left.front().time_ms;
    counter.last_ms = left.empty() ? 0 : left.back().time_ms;
    counter.rows = std::move(left);
    counter.peak = peak.value();
  }
}

}  // namespace

bool ContainsIgnoringCase(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), [](unsigned char a, unsigned char b) {
           return absl::ascii_tolower(a) == absl::ascii_tolower(b);
         }) != text.end();
}

void FilterProfile(const ProfileFilter& filter, ProfileModel* model) {
  std::erase_if(model->threads, [&](const ProfileThread& thread) {
    return (!filter.process.empty() && model->processes[static_cast<size_t>(thread.process)].pid != filter.process) ||
           (!filter.thread.empty() && !ContainsIgnoringCase(thread.name, filter.thread));
  });
  const Range range{filter.from_ms.value_or(-kInfinity), filter.to_ms.value_or(kInfinity)};
  FilterCounters(filter, range, model);
  if (filter.function.empty() && filter.marker.empty() && !filter.has_times()) return;
  const std::vector<bool> has_function =
      filter.function.empty() ? std::vector<bool>() : StacksWith(*model, filter.function);
  for (ProfileThread& thread : model->threads) {
    const std::vector<Range> open =
        filter.needs_detail() ? FilterMarkers(*model, filter.marker, range, &thread) : std::vector<Range>();
    const auto is_left_out = [&](const ProfileSample& sample) {
      return !range.Has(sample.time_ms) || (!filter.marker.empty() && !IsInOne(open, sample.time_ms)) ||
             (!filter.function.empty() && (sample.stack == kNoRow || !has_function[static_cast<size_t>(sample.stack)]));
    };
    if (thread.samples.empty()) continue;
    if (filter.has_times()) {
      for (ProfileSample& sample : thread.samples) CutWait(range, &sample);
    }
    thread.starts_later = thread.starts_later || is_left_out(thread.samples.front());
    std::erase_if(thread.samples, is_left_out);
    std::erase_if(thread.frees, is_left_out);
  }
  if (filter.has_times() && model->duration_ms > 0) {
    const double end_ms = std::min(range.to_ms, model->begin_ms + model->duration_ms);
    model->begin_ms = std::max(range.from_ms, model->begin_ms);
    model->duration_ms = std::max(0.0, end_ms - model->begin_ms);
  }
}

std::optional<double> ParseTimeMs(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (text == "s") {
    number *= 1000;
  } else if (!text.empty() && text != "ms") {
    return std::nullopt;
  }
  if (!std::isfinite(number) || number < 0 || number > kMaxTimeMs) return std::nullopt;
  return number;
}

}  // namespace geckoprof
