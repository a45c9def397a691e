#include "tools/merge/merged_part.h"

#include <algorithm>
#include <utility>

#include "geckoprof/gecko_json/marker_field_writer.h"
#include "tools/json/json_copy.h"
#include "tools/processed_format/processed_file.h"
#include "tools/profile/marker_data_loader.h"
#include "tools/profile/model_builder.h"
#include "tools/profile/overhead_copy.h"
#include "tools/symbolicate/library_symbols.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// Writes the members of an object. Those for which `write_other(key, value)` returns true are written by it.
template <typename WriteOther>
void CopyMembers(JsonView object, JsonWriter& writer, const WriteOther& write_other) {
  if (!object.IsObject()) return CopyJson(object, writer);
  writer.StartObject();
  object.ForEachMember([&](std::string_view key, JsonView value) {
    writer.Key(key);
    if (!write_other(key, value)) CopyJson(value, writer);
  });
  writer.EndObject();
}

// Writes a column by cell_of(row, cell).
template <typename CellOf>
void WriteColumn(JsonView column, JsonWriter& writer, const CellOf& cell_of) {
  if (!column.IsArray()) return CopyJson(column, writer);
  writer.StartArray();
  for (size_t i = 0; i < column.size(); ++i) writer.Number(cell_of(i, column.At(i)));
  writer.EndArray();
}

int64_t NewId(const absl::flat_hash_map<int64_t, int64_t>& ids, int64_t id) {
  const auto found = ids.find(id);
  return found == ids.end() ? id : found->second;
}

void WriteId(JsonView id, const absl::flat_hash_map<int64_t, int64_t>& ids, JsonWriter& writer) {
  const std::optional<int64_t> number = id.AsInteger();
  if (!number.has_value()) return CopyJson(id, writer);
  writer.Int(NewId(ids, *number));
}

}  // namespace

SharedTables::Frame MergedPart::PlaceOf(size_t frame) const {
  SharedTables::Frame place = reader_.PlaceOf(frame);
  const CategoryNumbers& categories = numbers_.categories;
  place.subcategory = categories.Subcategory(place.category, place.subcategory);
  const bool is_known = place.category >= 0 && static_cast<size_t>(place.category) < categories.rows.size();
  place.category = is_known ? categories.rows[static_cast<size_t>(place.category)].category : kNoTableRow;
  place.inner_window_id = NewId(numbers_.pages, place.inner_window_id);
  return place;
}

absl::Status MergedPart::Load(int32_t fallback) {
  fallback_ = numbers_.categories.fallback >= 0 ? numbers_.categories.fallback : fallback;
  if (absl::Status status = reader_.Load(); !status.ok()) return status;
  frames_.assign(reader_.frames(), kNoTableRow);
  root_frames_.assign(reader_.frames(), kNoTableRow);
  // A stack without a category has the first grey one, which may be another one here.
  const bool names_fallback = fallback_ != fallback;
  return reader_.LoadStacks([&](size_t frame, bool is_root) -> absl::StatusOr<std::span<const int32_t>> {
    int32_t& row = (is_root && names_fallback ? root_frames_ : frames_)[frame];
    if (row == kNoTableRow) {
      SharedTables::Frame place = PlaceOf(frame);
      if (absl::Status status = reader_.Complete(frame, &place); !status.ok()) return status;
      if (is_root && names_fallback && place.category == kNoTableRow) place.category = fallback_;
      row = tables_.AddFrame(place);
    }
    return std::span<const int32_t>(&row, 1);
  });
}

JsonNumber MergedPart::TimeOf(JsonView time) const {
  return time.IsNumber() ? TimeCell(time.NumberOr(0) + numbers_.shift_ms) : JsonNumber::Null();
}

bool MergedPart::WriteTimes(std::string_view key, JsonView column, JsonWriter& writer) const {
  if (key == "time") {
    WriteColumn(column, writer, [&](size_t, JsonView cell) { return TimeOf(cell); });
  } else if (key == "timeDeltas") {
    WriteColumn(column, writer,
                [&](size_t row, JsonView cell) { return row == 0 ? TimeOf(cell) : TimeCell(cell.NumberOr(0)); });
  }
  return key == "time" || key == "timeDeltas";
}

void MergedPart::WriteThreads(JsonWriter& writer) {
  const JsonView threads = profile_["threads"];
  for (size_t i = 0; i < threads.size(); ++i) WriteThread(threads.At(i), writer);
}

void MergedPart::WriteThread(JsonView thread, JsonWriter& writer) {
  writer.StartObject();
  WriteNames(thread, writer);
  thread.ForEachMember([&](std::string_view key, JsonView value) {
    // The viewer draws jsTracer in Firefox's own profiles alone.
    if (key == "pid" || key == "parentPid" || key == "processName" || key == "jsTracer") return;
    writer.Key(key);
    if (key == "processStartupTime" || key == "processShutdownTime" || key == "registerTime" ||
        key == "unregisterTime") {
      WriteTime(value, writer);
    } else if (key == "samples" || key == "jsAllocations" || key == "nativeAllocations") {
      WriteStackTable(value, writer);
    } else if (key == "markers") {
      WriteMarkers(value, writer);
    } else if (key == "pausedRanges") {
      WritePauses(value, writer);
    } else if (key == "usedInnerWindowIDs" && value.IsArray()) {
      writer.StartArray();
      for (size_t i = 0; i < value.size(); ++i) WriteId(value.At(i), numbers_.pages, writer);
      writer.EndArray();
    } else {
      CopyJson(value, writer);
    }
  });
  writer.EndObject();
}

void MergedPart::WriteNames(JsonView thread, JsonWriter& writer) const {
  writer.StringProperty("pid", numbers_.pids.Of(TextOf(thread["pid"])));
  std::string name(thread["processName"].AsString());
  if (!numbers_.host.empty()) name = name.empty() ? numbers_.host : Concat(name, " (", numbers_.host, ")");
  if (!name.empty()) writer.StringProperty("processName", name);
  const std::string parent = TextOf(thread["parentPid"]);
  if (parent.empty()) return;
  // A parent that is in no profile could have the pid of another host's process.
  const bool is_meant = numbers_.pids.Has(parent) || numbers_.may_name_pids_of_others || !numbers_.pids.IsTaken(parent);
  if (is_meant) writer.StringProperty("parentPid", numbers_.pids.Of(parent));
}

void MergedPart::WritePauses(JsonView ranges, JsonWriter& writer) const {
  writer.StartArray();
  for (size_t i = 0; i < ranges.size(); ++i) {
    CopyMembers(ranges.At(i), writer, [&](std::string_view key, JsonView value) {
      const bool is_time = key == "startTime" || key == "endTime";
      if (is_time) WriteTime(value, writer);
      return is_time;
    });
  }
  writer.EndArray();
}

void MergedPart::WriteStackTable(JsonView table, JsonWriter& writer) const {
  if (!table.IsObject()) return CopyJson(table, writer);
  writer.StartObject();
  table.ForEachMember([&](std::string_view key, JsonView value) {
    if (key == "threadCPUDelta" && !numbers_.cpu_factor.has_value()) return;
    writer.Key(key);
    if (key == "stack") {
      WriteColumn(value, writer, [&](size_t, JsonView cell) { return RowCell(reader_.Stack(cell)); });
    } else if (key == "threadCPUDelta" && *numbers_.cpu_factor != 1) {
      WriteColumn(value, writer, [&](size_t, JsonView cell) {
        return cell.IsNumber() ? JsonNumber::Double(cell.NumberOr(0) * *numbers_.cpu_factor) : JsonNumber::Null();
      });
    } else if (!WriteTimes(key, value, writer)) {
      CopyJson(value, writer);
    }
  });
  writer.EndObject();
}

void MergedPart::WriteMarkers(JsonView markers, JsonWriter& writer) {
  const JsonView phases = markers["phase"];
  const auto write_times = [&](JsonView column, bool (*has_time)(int64_t phase)) {
    WriteColumn(column, writer, [&](size_t row, JsonView cell) {
      return has_time(phases.At(row).AsInteger().value_or(0)) ? TimeOf(cell) : JsonNumber::Null();
    });
  };
  CopyMembers(markers, writer, [&](std::string_view key, JsonView value) {
    if (key == "name") {
      WriteColumn(value, writer, [&](size_t, JsonView cell) { return RowCell(reader_.String(cell)); });
    } else if (key == "startTime") {
      write_times(value, HasStartTime);
    } else if (key == "endTime") {
      write_times(value, HasEndTime);
    } else if (key == "category") {
      WriteColumn(value, writer, [&](size_t, JsonView cell) {
        return JsonNumber::Int(numbers_.categories.Category(cell, fallback_));
      });
    } else if (key == "data" && value.IsArray()) {
      writer.StartArray();
      for (size_t i = 0; i < value.size(); ++i) WriteMarkerData(value.At(i), writer);
      writer.EndArray();
    } else {
      return false;
    }
    return true;
  });
}

const MergedMarkerTypes::Type& MergedPart::TypeOf(std::string_view type) {
  const auto [entry, is_new] = numbers_.marker_types.try_emplace(std::string(type));
  if (is_new) entry->second.name = types_.NameOfUndeclared(type);
  return entry->second;
}

void MergedPart::WriteMarkerData(JsonView data, JsonWriter& writer) {
  const std::string_view name = data["type"].AsString();
  const MergedMarkerTypes::Type& type = TypeOf(name);
  CopyMembers(data, writer, [&](std::string_view key, JsonView value) {
    if (key == "type" && value.IsString()) {
      writer.String(type.name);
    } else if (key == "cause" && value.IsObject()) {
      WriteCause(value, writer);
    } else if (value.IsNumber() && IsInStringTable(type.declared, key)) {
      writer.Number(RowCell(reader_.String(value)));
    } else if (value.IsNumber() && IsMarkerTime(name, &type.declared, key)) {
      WriteTime(value, writer);
    } else if (key == "innerWindowID") {
      WriteId(value, numbers_.pages, writer);
    } else if (key == "otherPid" && name == "IPC") {
      writer.String(numbers_.pids.Of(TextOf(value)));
    } else {
      return false;
    }
    return true;
  });
}

void MergedPart::WriteCause(JsonView cause, JsonWriter& writer) const {
  CopyMembers(cause, writer, [&](std::string_view key, JsonView value) {
    if (key == "stack") {
      writer.Number(RowCell(reader_.Stack(value)));
    } else if (key == "time") {
      WriteTime(value, writer);
    } else {
      return false;
    }
    return true;
  });
}

std::optional<size_t> MergedPart::MainThreadOf(JsonView owned) const {
  const int64_t thread = NumberOrNone(owned["mainThreadIndex"]);
  const bool is_known = thread >= 0 && static_cast<uint64_t>(thread) < profile_["threads"].size();
  return is_known ? std::optional(numbers_.first_thread + static_cast<size_t>(thread)) : std::nullopt;
}

void MergedPart::WriteTimedTable(JsonView table, JsonWriter& writer) const {
  CopyMembers(table, writer, [&](std::string_view key, JsonView column) { return WriteTimes(key, column, writer); });
}

void MergedPart::WriteOverhead(JsonWriter& writer) const {
  const JsonView overheads = profile_["profilerOverhead"];
  for (size_t i = 0; i < overheads.size(); ++i) {
    const JsonView overhead = overheads.At(i);
    const std::optional<size_t> thread = MainThreadOf(overhead);
    if (!thread.has_value()) continue;
    CopyOverhead(
        overhead, numbers_.pids.Of(TextOf(overhead["pid"])), *thread,
        [&](JsonView looks) { WriteTimedTable(looks, writer); }, writer);
  }
}

void MergedPart::WriteCounters(JsonWriter& writer) const {
  const JsonView counters = profile_["counters"];
  for (size_t i = 0; i < counters.size(); ++i) {
    const std::optional<size_t> thread = MainThreadOf(counters.At(i));
    const bool has_rows = counters.At(i)["samples"]["count"].IsArray();
    if (thread.has_value() && has_rows) WriteCounter(counters.At(i), *thread, writer);
  }
}

void MergedPart::WriteCounter(JsonView counter, size_t thread, JsonWriter& writer) const {
  const std::string pid = numbers_.pids.Of(TextOf(counter["pid"]));
  if (!counter["display"]["tooltipRows"].IsArray()) return WriteOlderCounter(counter, pid, thread, writer);
  CopyMembers(counter, writer, [&](std::string_view key, JsonView value) {
    if (key == "pid") {
      writer.String(pid);
    } else if (key == "mainThreadIndex") {
      writer.Uint(thread);
    } else if (key == "samples") {
      WriteTimedTable(value, writer);
    } else {
      return false;
    }
    return true;
  });
}

// Before version 63 the viewer knew how to draw a counter.
void MergedPart::WriteOlderCounter(JsonView counter, std::string_view pid, size_t thread, JsonWriter& writer) const {
  const JsonView display = counter["display"], samples = counter["samples"], times = samples["time"],
                 deltas = samples["timeDeltas"];
  CounterRow row;
  row.name = counter["name"].AsString();
  row.category = counter["category"].AsString();
  row.description = counter["description"].AsString();
  row.color = display["color"].AsString();
  row.unit = display["unit"].AsString();
  if (!display.Exists() && (row.category == "Memory" || row.category == "Bandwidth")) row.unit = "bytes";
  row.is_rate = display.Exists() ? display["graphType"].AsString() == "line-rate" : row.category != "Memory";
  row.has_number = samples["number"].IsArray();
  double time_ms = 0;
  const auto fill = [&](CounterColumn column, size_t first_row, std::span<JsonNumber> cells) {
    const JsonView numbers = samples[column == CounterColumn::kCount ? "count" : "number"];
    for (size_t i = 0; i < cells.size(); ++i) {
      if (column != CounterColumn::kTime) {
        cells[i] = JsonNumber::Double(numbers.At(first_row + i).NumberOr(0));
      } else {
        time_ms =
            times.IsArray() ? times.At(first_row + i).NumberOr(0) : time_ms + deltas.At(first_row + i).NumberOr(0);
        cells[i] = TimeCell(time_ms + numbers_.shift_ms);
      }
    }
  };
  geckoprof::WriteCounter(row, pid, thread, samples["count"].size(), fill, writer);
}

void MergedPart::WritePages(JsonWriter& writer) const {
  const JsonView pages = profile_["pages"];
  for (size_t i = 0; i < pages.size(); ++i) {
    CopyMembers(pages.At(i), writer, [&](std::string_view key, JsonView value) {
      const bool is_page = key == "innerWindowID" || key == "embedderInnerWindowID";
      if (is_page) WriteId(value, numbers_.pages, writer);
      if (key == "tabID") WriteId(value, numbers_.tabs, writer);
      return is_page || key == "tabID";
    });
  }
}

void MergedPart::WriteLog(std::string_view key, JsonWriter& writer) const {
  profile_[key].ForEachMember([&](std::string_view pid, JsonView value) {
    writer.Key(numbers_.pids.Of(pid));
    CopyJson(value, writer);
  });
}

}  // namespace geckoprof
