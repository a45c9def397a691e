#include "tools/report/html/page_markers.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "tools/report/html/page_columns.h"

namespace geckoprof {
namespace {

// Markers of one thread and name.
using MarkerGroup = std::vector<MarkerTime>;
using MarkerGroups =
    std::map<int32_t, MarkerGroup>;  // in the order of the names' rows, so that a page is the same every time

MarkerGroups GroupsOf(const ProfileThread& thread) {
  MarkerGroups groups;
  for (const MarkerTime& time : MarkerTimesOf(thread)) {
    groups[thread.markers[static_cast<size_t>(time.marker)].name].push_back(time);
  }
  return groups;
}

// The largest quota with which no more than `most` are shown; at least 1.
size_t QuotaOf(const std::vector<MarkerGroups>& threads, size_t most) {
  size_t low = 1, high = most;
  while (low < high) {
    const size_t quota = low + (high - low + 1) / 2;
    size_t shown = 0;
    for (const MarkerGroups& groups : threads) {
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

void Choose(size_t quota, MarkerGroup* group) {
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
  std::vector<MarkerGroups> all;
  for (const ProfileThread& thread : model.threads) {
    all.push_back(GroupsOf(thread));
    for (const auto& [name, group] : all.back()) count += group.size();
  }
  const size_t quota = count > most_markers ? QuotaOf(all, most_markers) : count;
  for (MarkerGroups& groups : all) {
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

// d: duration in µs, -1: a point. y: type, f: see WriteFields, s: node + 1 of where it was added.
void PageMarkerWriter::WriteMarkers(const ProfileThread& thread, const PageMarkers::Thread& chosen) {
  const auto write = [&](std::string_view key, auto write_cell) {
    writer_.StartArrayProperty(key);
    for (const MarkerTime& time : chosen.shown) write_cell(time, thread.markers[static_cast<size_t>(time.marker)]);
    writer_.EndArray();
  };
  const auto data_of = [&](const ProfileMarker& marker) {
    return marker.data == kNoRow ? nullptr : &model_.marker_data[static_cast<size_t>(marker.data)];
  };
  writer_.StartObjectProperty("markers");
  {
    PageColumn times(writer_, "t");
    for (const MarkerTime& time : chosen.shown) times.Add(time.start_ms);
  }
  write("d", [&](const MarkerTime& time, const ProfileMarker&) {
    writer_.Int(time.has_duration ? Microseconds(time.end_ms) - Microseconds(time.start_ms) : -1);
  });
  write("n", [&](const MarkerTime&, const ProfileMarker& marker) { writer_.Int(strings_->OfRow(marker.name)); });
  write("g", [&](const MarkerTime&, const ProfileMarker& marker) { writer_.Int(marker.category); });
  write("y", [&](const MarkerTime&, const ProfileMarker& marker) {
    const ProfileMarkerData* const data = data_of(marker);
    if (data != nullptr && data->type != kNoRow) marker_types_.insert(data->type);
    writer_.Int(data == nullptr ? kNoRow : strings_->OfRow(data->type));
  });
  write("s", [&](const MarkerTime&, const ProfileMarker& marker) {
    const ProfileMarkerData* const data = data_of(marker);
    writer_.Int(data == nullptr ? 0 : tree_.NodeOf(data->stack) + 1);
  });
  write("f", [&](const MarkerTime&, const ProfileMarker& marker) { WriteFields(marker); });
  writer_.StartArrayProperty("left");
  for (const auto& [name, count] : chosen.left_out) {
    writer_.Int(strings_->OfRow(name));
    writer_.Uint(count);
  }
  writer_.EndArray();
  writer_.EndObject();
}

// [key, value, key, value ...], 0: none. A value: a number, true or false, or [number of a text].
void PageMarkerWriter::WriteFields(const ProfileMarker& marker) {
  const ProfileMarkerData* const data =
      marker.data == kNoRow ? nullptr : &model_.marker_data[static_cast<size_t>(marker.data)];
  if (data == nullptr || data->field_count == 0) return writer_.Int(0);
  writer_.StartArray();
  for (uint32_t i = 0; i < data->field_count; ++i) {
    const ProfileMarkerField& field = model_.marker_fields[data->first_field + i];
    writer_.Int(strings_->OfRow(field.key));
    switch (field.kind) {
      case ProfileMarkerField::Kind::kNumber:
        WriteNumber(writer_, field.number);
        break;
      case ProfileMarkerField::Kind::kBool:
        writer_.Bool(field.number != 0);
        break;
      case ProfileMarkerField::Kind::kText:
      case ProfileMarkerField::Kind::kJson:
        writer_.StartArray();
        writer_.Int(strings_->OfRow(field.text));
        writer_.EndArray();
        break;
    }
  }
  writer_.EndArray();
}

// Writes the schemas of the markers on the page.
void PageMarkerWriter::WriteSchemas() {
  absl::flat_hash_set<std::string_view> used;
  for (const int32_t type : marker_types_) used.insert(model_.strings[static_cast<size_t>(type)]);
  writer_.StartArrayProperty("schemas");
  for (const MarkerTypeRow& schema : model_.marker_schemas) {
    if (!used.contains(schema.name)) continue;
    writer_.StartObject();
    WriteShown(writer_, "name", schema.name);
    WriteShown(writer_, "description", schema.description);
    WriteShown(writer_, "tooltipLabel", schema.tooltip_label);
    WriteShown(writer_, "tableLabel", schema.table_label);
    WriteShown(writer_, "chartLabel", schema.chart_label);
    writer_.StartArrayProperty("fields");
    for (const MarkerTypeField& field : schema.fields) {
      writer_.StartObject();
      WriteShown(writer_, "key", field.key);
      WriteShown(writer_, "label", field.label);
      WriteShown(writer_, "format", field.format_name());
      writer_.BoolProperty("hidden", field.hidden);
      writer_.EndObject();
    }
    writer_.EndArray();
    writer_.EndObject();
  }
  writer_.EndArray();
}

}  // namespace geckoprof
