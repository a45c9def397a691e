#include "tools/processed_format/processed_file.h"

#include <algorithm>
#include <cmath>

#include "geckoprof/gecko_json/gecko_categories.h"
#include "geckoprof/gecko_json/gecko_meta_writer.h"
#include "geckoprof/labels/category_numbers.h"
#include "tools/processed_format/shared_tables.h"

namespace geckoprof {
namespace {

constexpr double kNsPerMs = 1e6;

// Returns what fills in the cells of one column.
template <typename Column>
auto FillOf(FillColumn<Column> fill, Column column) {
  return [fill, column](size_t first_row, std::span<JsonNumber> cells) { fill(column, first_row, cells); };
}

void WriteText(std::string_view key, std::string_view text, JsonWriter& writer) {
  if (!text.empty()) writer.StringProperty(key, text);
}

void WriteNumber(std::string_view key, JsonNumber number, JsonWriter& writer) {
  if (!number.IsNull()) writer.NumberProperty(key, number);
}

// Returns the color that the program chose, or else that of the category in the viewer.
std::string_view ColorOf(const CounterRow& counter) {
  if (IsGraphColor(counter.color)) return counter.color;
  if (counter.category == "Memory") return "orange";
  return counter.category == "Bandwidth" ? "blue" : "grey";
}

// A number with a scale is shown in W or Wh.
void WriteTooltipRow(std::string_view source, std::string_view unit, std::string_view label, JsonWriter& writer,
                     std::string_view scale = "", bool is_of_selection = false) {
  writer.StartObject();
  writer.StringProperty("type", "value");
  writer.StringProperty("source", source);
  writer.StartObjectProperty("format");
  writer.StringProperty("unit", unit);
  WriteText("scale", scale, writer);
  if (!scale.empty()) writer.StringProperty("co2", "per-watthour");
  writer.EndObject();
  writer.StringProperty("label", label);
  if (is_of_selection) writer.BoolProperty("requiresPreviewSelection", true);
  writer.EndObject();
}

// Energy is in pWh.
void WritePowerTooltip(JsonWriter& writer) {
  WriteTooltipRow("count", "number", "Power", writer, "power");
  WriteTooltipRow("selection-total", "number", "Energy in the selection", writer, "energy", true);
  WriteTooltipRow("selection-rate", "number", "Mean power in the selection", writer, "power", true);
  WriteTooltipRow("committed-range-total", "number", "Energy in the visible range", writer, "energy");
}

// The viewer formats bytes, and shows a time per time as a share. A number in another unit has the unit in its label.
void WriteTooltip(const CounterRow& counter, JsonWriter& writer) {
  const bool is_bytes = counter.unit == "bytes";
  const std::string_view unit = is_bytes ? "bytes" : "number";
  const std::string in_unit = is_bytes || counter.unit.empty() ? "" : " (" + counter.unit + ")";
  writer.StartArrayProperty("tooltipRows");
  if (counter.is_rate && counter.unit == "pWh") {
    WritePowerTooltip(writer);
  } else if (counter.is_rate && counter.unit == "ms") {
    WriteTooltipRow("rate", "percent", "of the time", writer);
    WriteTooltipRow("count", "number", "in this sample (ms)", writer);
  } else if (counter.is_rate) {
    // The viewer turns bytes of a ms into those of a second. It rounds other rates of a ms, most of them to 0.
    if (is_bytes) WriteTooltipRow("rate", "bytes-per-second", "speed", writer);
    WriteTooltipRow("count", unit, "in this sample" + in_unit, writer);
    WriteTooltipRow("selection-total", unit, "in the selection" + in_unit, writer, "", true);
    WriteTooltipRow("committed-range-total", unit, "in the visible range" + in_unit, writer);
  } else {
    WriteTooltipRow("accumulated", unit, "at this time, relative" + in_unit, writer);
    WriteTooltipRow("count-range", unit, "range in the graph" + in_unit, writer);
  }
  if (counter.has_number) WriteTooltipRow("sample-number", "number", "operations since the sample before", writer);
  writer.EndArray();
}

// Writes how a counter is drawn, and what its tooltip has.
void WriteCounterDisplay(const CounterRow& counter, JsonWriter& writer) {
  constexpr int64_t kMemoryWeight = 10, kOtherWeight = 50;  // lower is nearer the top
  const bool is_memory = counter.category == "Memory";
  writer.StartObjectProperty("display");
  writer.StringProperty("graphType", counter.is_rate ? "line-rate" : "line-accumulated");
  writer.StringProperty("unit", counter.unit);
  writer.StringProperty("color", ColorOf(counter));
  if (is_memory) {
    writer.StringProperty("markerSchemaLocation", "timeline-memory");
  } else {
    writer.NullProperty("markerSchemaLocation");
  }
  writer.IntProperty("sortWeight", is_memory ? kMemoryWeight : kOtherWeight);
  writer.StringProperty("label", counter.name);
  WriteTooltip(counter, writer);
  writer.EndObject();
}

}  // namespace

JsonNumber TimeCell(double time_ms) {
  const double time_ns = std::round(time_ms * kNsPerMs);
  return std::abs(time_ns) < 9e18 ? JsonNumber::TimeMs(static_cast<int64_t>(time_ns)) : JsonNumber::Double(time_ms);
}

// The threads come first: writing them fills the tables. The order of an object's keys means nothing to readers.
void WriteProcessedFile(ProcessedSource& source, const SharedTables& tables, JsonWriter& writer, int version) {
  writer.StartObject();
  writer.StartArrayProperty("threads");
  source.WriteThreads(writer);
  writer.EndArray();
  if (source.HasCounters()) {
    writer.StartArrayProperty("counters");
    source.WriteCounters(writer);
    writer.EndArray();
  }
  source.WriteOverhead(writer);
  writer.StartArrayProperty("pages");
  source.WritePages(writer);
  writer.EndArray();
  source.WriteMore(writer);
  WriteLibs(tables, writer);
  writer.StartObjectProperty("shared");
  WriteSharedTables(tables, version, writer);
  source.WriteMoreTables(writer);
  writer.EndObject();
  writer.StartObjectProperty("meta");
  source.WriteMeta(writer);
  writer.EndObject();
  writer.EndObject();
}

void StartThread(const ProcessedThread& thread, JsonWriter& writer) {
  writer.StartObject();
  writer.StringProperty("processType", thread.process_type);
  writer.NumberProperty("processStartupTime", thread.process_startup_time);
  writer.NumberProperty("processShutdownTime", thread.process_shutdown_time);
  writer.NumberProperty("registerTime", thread.register_time);
  writer.NumberProperty("unregisterTime", thread.unregister_time);
  writer.StartArrayProperty("pausedRanges");
  for (const ProcessedThread::Pause& pause : thread.paused) {
    writer.StartObject();
    writer.NumberProperty("startTime", pause.start_time);
    writer.NumberProperty("endTime", pause.end_time);
    writer.StringProperty("reason", pause.reason);
    writer.EndObject();
  }
  writer.EndArray();
  writer.StringProperty("name", thread.name);
  writer.BoolProperty("isMainThread", thread.is_main);
  WriteText("processName", thread.process_name, writer);
  writer.StringProperty("pid", thread.pid);
  WriteText("parentPid", thread.parent_pid, writer);
  if (thread.tid.has_value()) writer.IntProperty("tid", *thread.tid);
  if (thread.shows_markers) writer.BoolProperty("showMarkersInTimeline", true);
}

void WriteSamples(const SampleTable& table, FillColumn<SampleColumn> fill, JsonWriter& writer) {
  using Column = SampleColumn;
  const auto write = [&](std::string_view name, Column column) {
    WriteNumbers(name, table.rows, FillOf(fill, column), writer);
  };
  const auto is_known = [](JsonNumber cell) { return !cell.IsNull(); };
  const auto is_not = [](int64_t value) {
    return [value](JsonNumber cell) {
      if (cell.kind() == JsonNumber::Kind::kDouble) return cell.number() != static_cast<double>(value);
      return !cell.IsNull() && cell.value() != value;
    };
  };
  const auto write_if_any = [&](const auto& condition, std::string_view name, Column column) {
    bool any = false;
    VisitCells(table.rows, FillOf(fill, column), [&](std::span<const JsonNumber> cells) {
      any = std::any_of(cells.begin(), cells.end(), condition);
      return !any;
    });
    if (any) write(name, column);
    return any;
  };
  writer.StartObjectProperty("samples");
  write("stack", Column::kStack);
  write("time", Column::kTime);
  if (table.weight_type != "samples") {
    write("weight", Column::kWeight);
  } else if (!write_if_any(is_not(1), "weight", Column::kWeight)) {
    writer.NullProperty("weight");
  }
  writer.StringProperty("weightType", table.weight_type);
  write_if_any(is_known, "eventDelay", Column::kEventDelay);
  write_if_any(is_known, "threadCPUDelta", Column::kCpuDelta);
  if (table.has_states) write("state", Column::kState);
  write_if_any(is_not(0), "waitCause", Column::kWaitCause);
  write_if_any(is_not(0), "threadReadyDelta", Column::kReadyDelta);
  write_if_any(is_not(0), "lock", Column::kLock);
  write_if_any(is_not(0), "lockHolder", Column::kLockHolder);
  writer.UintProperty("length", table.rows);
  writer.EndObject();
}

void WriteMarkers(size_t rows, FillColumn<MarkerColumn> fill, absl::FunctionRef<void(size_t row)> write_data,
                  JsonWriter& writer) {
  const auto write = [&](std::string_view name, MarkerColumn column) {
    WriteNumbers(name, rows, FillOf(fill, column), writer);
  };
  writer.StartObjectProperty("markers");
  write("name", MarkerColumn::kName);
  write("startTime", MarkerColumn::kStartTime);
  write("endTime", MarkerColumn::kEndTime);
  write("phase", MarkerColumn::kPhase);
  write("category", MarkerColumn::kCategory);
  writer.StartArrayProperty("data");
  for (size_t row = 0; row < rows; ++row) write_data(row);
  writer.EndArray();
  writer.UintProperty("length", rows);
  writer.EndObject();
}

void WriteNativeAllocations(size_t rows, FillColumn<AllocationColumn> fill, JsonWriter& writer) {
  const auto write = [&](std::string_view name, AllocationColumn column) {
    WriteNumbers(name, rows, FillOf(fill, column), writer);
  };
  writer.StartObjectProperty("nativeAllocations");
  write("time", AllocationColumn::kTime);
  write("weight", AllocationColumn::kWeight);
  writer.StringProperty("weightType", "bytes");
  write("stack", AllocationColumn::kStack);
  write("memoryAddress", AllocationColumn::kAddress);
  write("threadId", AllocationColumn::kThread);
  writer.UintProperty("length", rows);
  writer.EndObject();
}

void WriteCause(JsonNumber tid, JsonNumber time, int32_t stack, JsonWriter& writer) {
  if (stack < 0) return;
  writer.StartObjectProperty("cause");
  WriteNumber("tid", tid, writer);
  WriteNumber("time", time, writer);
  writer.IntProperty("stack", stack);
  writer.EndObject();
}

void WriteCounter(const CounterRow& counter, std::string_view pid, size_t main_thread, size_t rows,
                  FillColumn<CounterColumn> fill, JsonWriter& writer) {
  writer.StartObject();
  writer.StringProperty("name", counter.name);
  writer.StringProperty("category", counter.category);
  writer.StringProperty("description", counter.description);
  writer.StringProperty("pid", pid);
  writer.UintProperty("mainThreadIndex", main_thread);
  writer.StartObjectProperty("samples");
  const auto write = [&](std::string_view name, CounterColumn column) {
    WriteNumbers(name, rows, FillOf(fill, column), writer);
  };
  write("time", CounterColumn::kTime);
  write("count", CounterColumn::kCount);
  if (counter.has_number) write("number", CounterColumn::kNumber);
  writer.UintProperty("length", rows);
  writer.EndObject();
  WriteCounterDisplay(counter, writer);
  writer.EndObject();
}

void StartMeta(std::span<const MarkerTypeRow> marker_types, bool has_symbols, JsonWriter& writer) {
  writer.IntProperty("preprocessedProfileVersion", ProcessedVersion::kWritten);
  writer.BoolProperty("symbolicated", has_symbols);
  writer.StartArrayProperty("markerSchema");
  for (const MarkerTypeRow& type : marker_types) WriteMarkerSchema(type, /*processed=*/true, writer);
  writer.EndArray();
}

void WriteHead(const ProfileHead& head, JsonWriter& writer) {
  writer.IntProperty("version", GeckoVersion::kWritten);
  StartMeta(head.marker_types, head.has_symbols, writer);
  writer.DoubleProperty("startTime", head.start_epoch_ms);
  WriteNumber("startTimeAsClockMonotonicNanosecondsSinceBoot", head.start_monotonic_ns, writer);
  WriteText("bootId", head.boot_id, writer);
  WriteNumber("profilingStartTime", head.recording_start_time, writer);
  WriteNumber("profilingEndTime", head.recording_end_time, writer);
  writer.NumberProperty("interval", head.interval);
  writer.IntProperty("processType", 0);
  writer.IntProperty("stackwalk", head.walked_stacks ? 1 : 0);
  writer.IntProperty("debug", 0);
  writer.StringProperty("product", head.product);
  writer.StringProperty("oscpu", head.oscpu);
  writer.StringProperty("platform", "");
  WriteText("CPUName", head.cpu_name, writer);
  if (head.logical_cpus != 0) writer.UintProperty("logicalCPUs", head.logical_cpus);
  writer.StringProperty("arguments", head.command_line);
  writer.StringProperty("importedFrom", head.imported_from);
  writer.Key("sampleUnits");
  writer.Splice(R"({"time":"ms","eventDelay":"ms","threadCPUDelta":"ns"})");
  writer.Key("categories");
  WriteCategories(head.categories, writer);
  // The viewer must know that the profile is not Firefox's.
  if (head.is_final) writer.BoolProperty("symbolicationNotSupported", true);
  for (const std::string_view flag : {"usesOnlyOneStackType", "sourceCodeIsNotOnSearchfox", "keepProfileThreadOrder"}) {
    writer.BoolProperty(flag, true);
  }
}

ExtraSection::ExtraSection(std::string_view label, JsonWriter& writer) : writer_(writer) {
  writer_.StartObject();
  writer_.StringProperty("label", label);
  writer_.StartArrayProperty("entries");
}

ExtraSection::~ExtraSection() {
  writer_.EndArray();
  writer_.EndObject();
}

void ExtraSection::Start(std::string_view label, std::string_view format) {
  writer_.StartObject();
  writer_.StringProperty("label", label);
  writer_.StringProperty("format", format);
  writer_.Key("value");
}

void ExtraSection::Text(std::string_view label, std::string_view value) {
  Start(label, "string");
  writer_.String(value);
  writer_.EndObject();
}

void ExtraSection::Number(std::string_view label, std::string_view format, uint64_t value) {
  Start(label, format);
  writer_.Uint(value);
  writer_.EndObject();
}

void ExtraSection::Duration(std::string_view label, int64_t ns) {
  Start(label, "duration");
  writer_.Double(static_cast<double>(ns) / kNsPerMs);
  writer_.EndObject();
}

}  // namespace geckoprof
