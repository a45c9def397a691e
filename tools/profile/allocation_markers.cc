#include "tools/profile/allocation_markers.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace geckoprof {
namespace {

std::optional<ProfileAllocation> AllocationOf(const ProfileModel& model, const ProfileMarker& marker) {
  if (marker.data == kNoRow) return std::nullopt;
  const ProfileMarkerData& data = model.marker_data[static_cast<size_t>(marker.data)];
  if (data.type == kNoRow || model.Text(data.type) != "Native allocation") return std::nullopt;
  ProfileAllocation row;
  for (uint32_t i = 0; i < data.field_count; ++i) {
    const ProfileMarkerField& field = model.marker_fields[data.first_field + i];
    if (field.kind != ProfileMarkerField::Kind::kNumber) continue;
    const std::string_view key = model.Text(field.key);
    if (key == "size") row.bytes = field.number;
    constexpr double kMostAddress = 9007199254740992.0;  // 2^53, where doubles are still whole
    const bool is_address = field.number >= 0 && field.number < kMostAddress;
    if (key == "memoryAddress" && is_address) row.address = static_cast<int64_t>(field.number);
  }
  if (row.address < 0) return std::nullopt;
  row.time_ms = marker.start_ms;
  row.stack = data.stack;
  return row;
}

}  // namespace

void TakeAllocationMarkers(ProfileModel* model) {
  for (ProfileThread& thread : model->threads) {
    const size_t known = thread.allocations.size();
    std::erase_if(thread.markers, [&](const ProfileMarker& marker) {
      const std::optional<ProfileAllocation> row = AllocationOf(*model, marker);
      if (row.has_value()) thread.allocations.push_back(*row);
      return row.has_value();
    });
    if (thread.allocations.size() == known) continue;
    std::stable_sort(thread.allocations.begin(), thread.allocations.end(),
                     [](const ProfileAllocation& a, const ProfileAllocation& b) { return a.time_ms < b.time_ms; });
  }
}

}  // namespace geckoprof
