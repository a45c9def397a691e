#include "geckoprof/reader/recent_rows.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "geckoprof/base/hash_mix.h"
#include "geckoprof/reader/profile_facts.h"
#include "index_map.h"

namespace geckoprof {
namespace {

int64_t FirstTickNs(const SampleRow& row) {
  return row.time_ns - (static_cast<int64_t>(row.idle_ticks) - 1) * row.apart_ns;
}

// Returns true if the thread waited at `since_ns`, between two rows.
bool WaitedThen(int64_t since_ns, const SampleRow& before, const SampleRow& after) {
  return before.state == SampleState::kWaiting && after.cpu_delta_ns >= 0 && FirstTickNs(after) > since_ns &&
         after.time_ns - after.cpu_delta_ns - after.ready_ns > since_ns;
}

void TrimSamples(int64_t since_ns, bool was_paused, SampleList& samples) {
  if (samples.empty() || FirstTickNs(samples.front()) >= since_ns) return;
  SampleList kept;
  SampleRow before;
  for (SampleRow row : samples) {
    if (row.time_ns < since_ns) {
      before = row;
      continue;
    }
    if (FirstTickNs(row) < since_ns && row.apart_ns > 0) {
      row.idle_ticks = static_cast<uint32_t>((row.time_ns - since_ns) / row.apart_ns + 1);
    }
    if (kept.empty() && !was_paused && WaitedThen(since_ns, before, row)) {
      SampleRow waits = before;
      waits.apart_ns = std::max<int64_t>(since_ns - before.time_ns, 1);
      waits.time_ns = since_ns;
      waits.idle_ticks = 1;
      waits.cpu_delta_ns = -1;
      waits.ready_ns = 0;
      kept.push_back(waits);
    }
    if (kept.empty()) {
      if (row.cpu_delta_ns > 0) row.cpu_delta_ns = -1;
      row.ready_ns = 0;
    }
    kept.push_back(row);
  }
  samples = std::move(kept);
}

// Returns which markers of a thread reach into the window. A start belongs to the next end with its name.
std::vector<bool> MarkersInWindow(int64_t since_ns, const MarkerList& markers) {
  std::vector<bool> stays;
  IndexMap names;             // rows of `open`
  std::vector<int32_t> open;  // by name, the last start before the window that has no end yet
  std::vector<int32_t> next;  // by marker, the one that is open after the end of this one
  for (const MarkerRow& marker : markers) {
    const auto row = static_cast<int32_t>(stays.size());
    const bool is_within = (marker.HasEnd() ? marker.end_ns : marker.start_ns) >= since_ns;
    const bool is_start = marker.phase == MarkerPhase::kIntervalStart && !is_within;
    stays.push_back(is_within || is_start);  // a start stays unless it has an end before the window
    next.push_back(kNone);
    const uint64_t key = MixBits(static_cast<uint32_t>(marker.name));
    int32_t name = names.Find(key);
    if (is_start && name == kNone) {
      name = static_cast<int32_t>(open.size());
      names.Insert(key, name);
      open.push_back(kNone);
    }
    if (name == kNone) continue;
    int32_t& last = open[static_cast<size_t>(name)];
    if (is_start) {
      next.back() = std::exchange(last, row);
    } else if (marker.phase == MarkerPhase::kIntervalEnd && last != kNone) {
      stays[static_cast<size_t>(last)] = is_within;
      last = next[static_cast<size_t>(last)];
    }
  }
  return stays;
}

void TrimMarkers(int64_t since_ns, MarkerList& markers) {
  const std::vector<bool> stays = MarkersInWindow(since_ns, markers);
  if (std::ranges::find(stays, false) == stays.end()) return;
  MarkerList kept;
  size_t row = 0;
  for (const MarkerRow& marker : markers) {
    if (stays[row++]) kept.push_back(marker);
  }
  markers = std::move(kept);
}

void TrimCounter(int64_t since_ns, CounterRow& counter) {
  std::vector<CounterSample>& samples = counter.samples;
  const auto first = std::ranges::find_if(samples, [&](const CounterSample& row) { return row.time_ns >= since_ns; });
  if (first == samples.begin()) return;
  CounterSample before{.time_ns = since_ns};
  for (auto row = samples.begin(); row != first; ++row) {
    before.count += row->count;
    before.number += row->number;
  }
  samples.erase(samples.begin(), first);
  samples.insert(samples.begin(), before);
}

}  // namespace

void KeepRowsSince(int64_t since_ns, ProcessProfile& profile) {
  if (since_ns <= RecordingStartNs(profile)) return;
  since_ns = std::min(since_ns, profile.end_ns);
  profile.recording_ns = since_ns;
  const bool was_paused = std::ranges::any_of(profile.paused, [since_ns](const PausedRange& range) {
    return range.start_ns <= since_ns && (range.end_ns == 0 || range.end_ns > since_ns);
  });
  for (ThreadRow& thread : profile.threads) {
    TrimSamples(since_ns, was_paused, thread.samples);
    TrimMarkers(since_ns, thread.markers);
  }
  std::erase_if(profile.threads, [since_ns](const ThreadRow& thread) {
    const bool has_ended = thread.unregistered_ns != 0 && thread.unregistered_ns < since_ns;
    return has_ended && !thread.is_main && thread.samples.empty() && thread.markers.empty();
  });
  for (CounterRow& counter : profile.counters) TrimCounter(since_ns, counter);
  std::erase_if(profile.counters,
                [since_ns](const CounterRow& counter) { return counter.ended_ns != 0 && counter.ended_ns < since_ns; });
  std::erase_if(profile.paused,
                [since_ns](const PausedRange& range) { return range.end_ns != 0 && range.end_ns < since_ns; });
}

}  // namespace geckoprof
