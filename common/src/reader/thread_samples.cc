#include "thread_samples.h"

#include <algorithm>
#include <utility>

#include "geckoprof/reader/profile_facts.h"

namespace geckoprof {
namespace {

constexpr int64_t kGapIntervals = 5;

// The samples on each side of a sample that show what is usual there.
constexpr uint64_t kNeighbours = 16;
constexpr uint64_t kRingSize = 64;
static_assert(kRingSize > 2 * kNeighbours);

// Fewer neighbours do not show it. The longest tick of a kernel (HZ = 100) is then the least value.
constexpr size_t kFewestNeighbours = 8;
constexpr int64_t kLongestTickNs = 10'000'000;

// After so many rows, the samples among them are the neighbours. The thread hardly runs then.
constexpr size_t kMostHeld = 256;

// Rows of ticks have their distance. Like rows of a thread that waited for a core, they were made by the reader.
bool IsRecorded(const SampleRow& row) { return row.apart_ns == 0 && row.state != SampleState::kReady; }

MarkerTypeRow GapMarkerType() {
  MarkerTypeRow type;
  type.name = "geckoprofGap";
  type.description =
      "The thread ran and had no samples for more than five times as long as usual. The profile does not know what it "
      "did in this time.";
  type.tooltip_label = "gap in the samples";
  type.chart_label = type.table_label = "{marker.data.cpuTime}";
  type.display = {"marker-chart", "marker-table", "timeline-overview"};
  type.fields = {{"cpuTime", "CPU time without samples", "duration"}};
  return type;
}

}  // namespace

GapMarkers::GapMarkers(ProcessProfile* profile, SegmentTables* tables)
    : profile_(*profile), tables_(*tables), shortest_gap_ns_(profile->interval_ns) {
  for (const EarlierInterval& earlier : profile_.earlier_intervals) {
    shortest_gap_ns_ = std::min(shortest_gap_ns_, earlier.interval_ns);
  }
  shortest_gap_ns_ *= kGapIntervals;
  for (const PausedRange& pause : profile_.paused) {
    pauses_.push_back({pause.start_ns, pause.end_ns != 0 ? pause.end_ns : INT64_MAX});
  }
  std::sort(pauses_.begin(), pauses_.end(), [](const Pause& a, const Pause& b) { return a.start_ns < b.start_ns; });
  for (size_t i = 1; i < pauses_.size(); ++i) {
    pauses_[i].end_ns = std::max(pauses_[i].end_ns, pauses_[i - 1].end_ns);
  }
}

MarkerRow GapMarkers::Make(int64_t begin_ns, int64_t end_ns, int64_t cpu_ns) {
  if (marker_type_ == kNone) {
    marker_type_ = static_cast<int32_t>(profile_.marker_types.size());
    profile_.marker_types.push_back(GapMarkerType());
  }
  MarkerRow marker;
  marker.name = tables_.Name("gap");
  marker.phase = MarkerPhase::kInterval;
  marker.start_ns = begin_ns;
  marker.end_ns = end_ns;
  marker.category = kNone;
  marker.type = marker_type_;
  marker.fields = {{tables_.String("cpuTime"), MarkerFieldKind::kNs, kNone, 0, cpu_ns}};
  return marker;
}

bool GapMarkers::IsPausedBetween(int64_t from_ns, int64_t to_ns) const {
  const auto later = std::partition_point(pauses_.begin(), pauses_.end(),
                                          [to_ns](const Pause& pause) { return pause.start_ns < to_ns; });
  return later != pauses_.begin() && (later - 1)->end_ns > from_ns;
}

bool GapMarkers::IsReason(int32_t stack) const {
  if (stack == kNone) return false;
  const int32_t frame = profile_.stacks[static_cast<size_t>(stack)].frame;
  return profile_.frames[static_cast<size_t>(frame)].kind == FrameKind::kReason;
}

void ThreadSamples::push_back(const SampleRow& row) {
  const bool is_running = row.state == SampleState::kRunning;
  // The first row's CPU time is no measure, because it may be from before the recording.
  const bool is_sample = is_running && row.cpu_delta_ns > 0 && has_recorded_;
  const int64_t run_ns = is_sample ? std::min(row.cpu_delta_ns, row.time_ns - back().time_ns) : 0;
  const int64_t limit_ns = run_ns > markers_.shortest_gap_ns() ? GapLimitNs(row, run_ns) : 0;
  if (limit_ns > 0 || !held_.empty()) {
    held_.push_back({row, limit_ns, run_ns, samples_});
  } else {
    thread_.samples.push_back(row);
  }
  if (is_sample) {
    if (cpu_ns_.empty()) cpu_ns_.resize(kRingSize);
    cpu_ns_[samples_++ % kRingSize] = row.cpu_delta_ns;
  }
  // A first row without a stack and CPU time only says when the thread began.
  const bool is_begin = !has_recorded_ && is_running && row.stack == kNone && row.cpu_delta_ns == 0;
  if (IsRecorded(row) && !is_begin) {
    has_recorded_ = true;
    recorded_ns_ = row.time_ns;
    waits_ = is_running ? 0 : waits_ + 1;
  }
  while (!held_.empty() && (samples_ > held_.front().place + kNeighbours || held_.size() > kMostHeld)) Release();
}

void ThreadSamples::Finish() {
  while (!held_.empty()) Release();
}

// The row has a gap if the result is longer than a row's usual CPU time. It is 0 if the row has none in any case.
int64_t ThreadSamples::GapLimitNs(const SampleRow& row, int64_t run_ns) const {
  const int64_t limit_ns = run_ns / (kGapIntervals * (1 + waits_));
  if (limit_ns <= IntervalAt(markers_.profile(), row.time_ns) || markers_.IsReason(row.stack)) return 0;
  return markers_.IsPausedBetween(recorded_ns_, row.time_ns) ? 0 : limit_ns;
}

// Lets the first held row go, and the rows after it that have no gap.
void ThreadSamples::Release() {
  AddFirst(held_.front());
  size_t count = 1;
  for (; count < held_.size() && held_[count].limit_ns == 0; ++count) thread_.samples.push_back(held_[count].row);
  held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(count));
}

void ThreadSamples::AddFirst(const Held& held) {
  SampleRow row = held.row;
  const int64_t usual_ns = UsualNs(held);
  if (held.limit_ns > usual_ns) {
    SampleRow gap;
    gap.time_ns = row.time_ns - usual_ns;
    gap.cpu_delta_ns = row.cpu_delta_ns - usual_ns;
    gap.ready_ns = std::exchange(row.ready_ns, 0);
    thread_.samples.push_back(gap);
    thread_.markers.push_back(markers_.Make(row.time_ns - held.run_ns, gap.time_ns, gap.cpu_delta_ns));
    row.cpu_delta_ns = usual_ns;
  }
  thread_.samples.push_back(row);
}

int64_t ThreadSamples::UsualNs(const Held& held) const {
  int64_t neighbours[2 * kNeighbours];
  size_t count = 0;
  const uint64_t end = std::min(samples_, held.place + kNeighbours + 1);
  for (uint64_t i = held.place - std::min(held.place, kNeighbours); i < end; ++i) {
    if (i != held.place) neighbours[count++] = cpu_ns_[i % kRingSize];
  }
  int64_t usual_ns = IntervalAt(markers_.profile(), held.row.time_ns);
  if (count < kFewestNeighbours) usual_ns = std::max(usual_ns, kLongestTickNs);
  if (count == 0) return usual_ns;
  // The larger one of the two in the middle counts. The first sample of a coarser source then has enough neighbours of
  // its own kind.
  int64_t* const middle = neighbours + count / 2;
  std::nth_element(neighbours, middle, neighbours + count);
  return std::max(usual_ns, *middle);
}

}  // namespace geckoprof
