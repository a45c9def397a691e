#include "tools/report/html/page_markers.h"

#include <algorithm>
#include <map>

namespace geckoprof {
namespace {

// Markers of one thread and name.
using Group = std::vector<MarkerTime>;
using Groups = std::map<int32_t, Group>;  // in the order of the names' rows, so that a page is the same every time

Groups GroupsOf(const ProfileThread& thread) {
  Groups groups;
  for (const MarkerTime& time : MarkerTimesOf(thread)) {
    groups[thread.markers[static_cast<size_t>(time.marker)].name].push_back(time);
  }
  return groups;
}

// The largest quota with which no more than `most` are shown; at least 1.
size_t QuotaOf(const std::vector<Groups>& threads, size_t most) {
  size_t low = 1, high = most;
  while (low < high) {
    const size_t quota = low + (high - low + 1) / 2;
    size_t shown = 0;
    for (const Groups& groups : threads) {
      for (const auto& [name, group] : groups) shown += std::min(group.size(), quota);
    }
    if (shown <= most) {
      low = quota;
    } else {
      high = quota - 1;
    }
  }
  return low;
}

void Choose(size_t quota, Group* group) {
  std::stable_sort(group->begin(), group->end(), [](const MarkerTime& a, const MarkerTime& b) {
    return a.end_ms - a.start_ms > b.end_ms - b.start_ms;
  });
  const auto is_long = [](const MarkerTime& time) { return time.end_ms > time.start_ms; };
  const size_t lasting =
      static_cast<size_t>(std::partition_point(group->begin(), group->end(), is_long) - group->begin());
  if (lasting < quota) {
    const size_t points = group->size() - lasting, wanted = quota - lasting;
    for (size_t i = 0; i < wanted; ++i) (*group)[lasting + i] = (*group)[lasting + i * points / wanted];
  }
  group->resize(quota);
}

}  // namespace

PageMarkers::PageMarkers(const ProfileModel& model, size_t most_markers) {
  std::vector<Groups> all;
  for (const ProfileThread& thread : model.threads) {
    all.push_back(GroupsOf(thread));
    for (const auto& [name, group] : all.back()) count += group.size();
  }
  const size_t quota = count > most_markers ? QuotaOf(all, most_markers) : count;
  for (Groups& groups : all) {
    Thread& thread = threads.emplace_back();
    for (auto& [name, group] : groups) {
      if (group.size() > quota) {
        thread.left_out.push_back({name, group.size() - quota});
        left_out += group.size() - quota;
        Choose(quota, &group);
      }
      thread.shown.insert(thread.shown.end(), group.begin(), group.end());
    }
    std::stable_sort(thread.shown.begin(), thread.shown.end(),
                     [](const MarkerTime& a, const MarkerTime& b) { return a.start_ms < b.start_ms; });
  }
}

}  // namespace geckoprof
