#include "tools/report/lock_waits.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace geckoprof {
namespace {

// Returns a number of a file that is no negative one and no absurd one.
int64_t Bounded(double number) { return static_cast<int64_t>(std::clamp(std::round(number), 0.0, 1e17)); }

int64_t NsOf(double ms) { return Bounded(ms * 1e6); }

void ReadField(const ProfileModel& model, const ProfileMarkerField& field, LockWaitFigures* wait) {
  const std::string_view key = model.Text(field.key);
  if (field.kind == ProfileMarkerField::Kind::kText) {
    if (key == "kind") wait->kind = model.Text(field.text);
    if (key == "lock") wait->address = model.Text(field.text);
  } else if (field.kind == ProfileMarkerField::Kind::kNumber) {
    if (key == "waits") wait->waits = Bounded(field.number);
    if (key == "total") wait->total_ns = NsOf(field.number);
    if (key == "longest") wait->longest_ns = NsOf(field.number);
  }
}

}  // namespace

bool HasLockWaits(const ProfileModel& model) {
  return std::any_of(model.marker_data.begin(), model.marker_data.end(), [&model](const ProfileMarkerData& data) {
    return data.lock_wait != kNoRow || (data.type != kNoRow && model.Text(data.type) == "LockWaitSums");
  });
}

std::string LockMarkersText(const ProfileModel& model) {
  bool is_recorded = false, is_of_holder = false;
  for (const ProfileThread& thread : model.threads) {
    for (const ProfileMarker& marker : thread.markers) {
      is_recorded |= model.Text(marker.name) == "LockWait";
      is_of_holder |= model.Text(marker.name) == "lock wait";
    }
  }
  if (!is_recorded || !is_of_holder) return "";
  return "A \"lock wait\" (type geckoprofLockWait) repeats a LockWait, with the stack of the holder. Do not add them "
         "up.";
}

std::vector<LockWaitFigures> LockWaitsOf(const ProfileModel& model, const ProfileThread& thread) {
  std::vector<LockWaitFigures> waits;
  for (const ProfileMarker& marker : thread.markers) {
    if (marker.data == kNoRow || marker.phase != ProfileMarkerPhase::kInterval) continue;
    const ProfileMarkerData& data = model.marker_data[static_cast<size_t>(marker.data)];
    const std::string_view type = data.type == kNoRow ? std::string_view() : model.Text(data.type);
    if (type != "LockWaitSums" && (type != "LockWait" || data.lock_wait == kNoRow)) continue;
    LockWaitFigures wait;
    for (uint32_t i = 0; i < data.field_count; ++i) {
      ReadField(model, model.marker_fields[data.first_field + i], &wait);
    }
    wait.begin_ms = marker.start_ms;
    wait.end_ms = std::max(marker.start_ms, marker.end_ms);
    if (type == "LockWait") {
      wait.lock_wait = data.lock_wait;
      wait.stack = data.stack;
      wait.waits = 1;
      wait.total_ns = wait.longest_ns = NsOf(wait.end_ms - wait.begin_ms);
    }
    waits.push_back(wait);
  }
  std::stable_sort(waits.begin(), waits.end(),
                   [](const LockWaitFigures& a, const LockWaitFigures& b) { return a.end_ms < b.end_ms; });
  return waits;
}

}  // namespace geckoprof
