#include "geckoprof/gecko_json/gecko_meta_writer.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/gecko_json/format_versions.h"
#include "geckoprof/gecko_json/marker_field_writer.h"
#include "geckoprof/reader/profile_facts.h"

namespace geckoprof {

GeckoMachine ReadGeckoMachine() {
  GeckoMachine machine;
  struct utsname names = {};
  if (RawSyscall(SYS_uname, &names) == 0) {
    machine.oscpu = names.sysname;
    machine.oscpu += ' ';
    machine.oscpu += names.machine;
  }
  std::string cpuinfo;
  if (ReadWholeFile("/proc/cpuinfo", cpuinfo) == 0) ReadCpuInfo(cpuinfo, machine);
  return machine;
}

std::string ReadBootId(int64_t start_ns, double start_epoch_ms) {
  // The clocks of one boot keep their distance, apart from small corrections.
  constexpr double kToleranceMs = 1000;
  const double here_ms = static_cast<double>(RealtimeNs() - MonotonicNs()) / 1e6;
  const double there_ms = start_epoch_ms - static_cast<double>(start_ns) / 1e6;
  std::string id;
  if (std::abs(here_ms - there_ms) > kToleranceMs) return id;
  if (ReadWholeFile("/proc/sys/kernel/random/boot_id", id) != 0) return {};
  if (const size_t end = id.find('\n'); end != std::string::npos) id.resize(end);
  return id;
}

void ReadCpuInfo(const std::string& cpuinfo, GeckoMachine& machine) {
  std::string_view rest = cpuinfo;
  while (!rest.empty()) {
    const size_t newline = rest.find('\n');
    const std::string_view line = rest.substr(0, newline);
    rest.remove_prefix(newline == std::string_view::npos ? rest.size() : newline + 1);
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    std::string_view value = line.substr(colon + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    if (line.starts_with("processor")) ++machine.logical_cpus;
    if (line.starts_with("model name") && machine.cpu_name.empty()) machine.cpu_name = value;
  }
}

namespace {

void WriteStrings(std::string_view key, const std::vector<std::string>& texts, JsonWriter& writer) {
  writer.StartArrayProperty(key);
  for (const std::string& text : texts) writer.String(text);
  writer.EndArray();
}

void WriteOptional(std::string_view key, std::string_view text, JsonWriter& writer) {
  if (!text.empty()) writer.StringProperty(key, text);
}

void WriteMachine(const ProcessProfile& process, std::string_view product, JsonWriter& writer) {
  const GeckoMachine machine = ReadGeckoMachine();
  WriteOptional("bootId", ReadBootId(process.start_ns, process.start_epoch_ms), writer);
  WriteOptional("oscpu", machine.oscpu, writer);
  writer.StringProperty("product", product);
  WriteOptional("CPUName", machine.cpu_name, writer);
  if (machine.logical_cpus != 0) writer.UintProperty("logicalCPUs", machine.logical_cpus);
}

// Returns the earliest time of the contents that are still in the buffer.
int64_t EarliestContentNs(const ProcessProfile& process) {
  const int64_t start_ns = RecordingStartNs(process);
  int64_t earliest_ns = INT64_MAX;
  for (const ThreadRow& thread : process.threads) {
    if (!thread.samples.empty()) earliest_ns = std::min(earliest_ns, thread.samples.front().time_ns);
    for (const MarkerRow& marker : thread.markers) {
      const int64_t time_ns = marker.phase == MarkerPhase::kIntervalEnd ? marker.end_ns : marker.start_ns;
      if (time_ns >= start_ns) earliest_ns = std::min(earliest_ns, time_ns);
    }
  }
  return earliest_ns <= process.end_ns ? std::max(earliest_ns, start_ns) : start_ns;
}

void WriteTimes(const ProcessProfile& process, JsonWriter& writer) {
  writer.DoubleProperty("startTime", process.start_epoch_ms);
  writer.IntProperty("startTimeAsClockMonotonicNanosecondsSinceBoot", process.start_ns);
  writer.TimeMsProperty("profilingStartTime", RelativeNs(RecordingStartNs(process), process.start_ns));
  writer.TimeMsProperty("contentEarliestTime", RelativeNs(EarliestContentNs(process), process.start_ns));
  writer.TimeMsProperty("profilingEndTime", RelativeNs(RecordingEndNs(process), process.start_ns));
  if (process.end_reason == "alive") {
    writer.NullProperty("shutdownTime");
  } else {
    writer.TimeMsProperty("shutdownTime", RelativeNs(process.end_ns, process.start_ns));
  }
}

// Each library of a program may have its own copy of a type.
bool HasFirstUseOfName(const ProcessProfile& process, const MarkerTypeRow& type) {
  const auto same = [&](const MarkerTypeRow& other) { return other.has_schema && other.name == type.name; };
  return &*std::find_if(process.marker_types.begin(), process.marker_types.end(), same) == &type;
}

bool HasFeature(const ProcessProfile& process, std::string_view name) {
  return std::find(process.features.begin(), process.features.end(), name) != process.features.end();
}

void WriteEntry(std::string_view label, std::string_view value, JsonWriter& writer) {
  writer.StartObject();
  writer.StringProperty("label", label);
  writer.StringProperty("format", "string");
  writer.StringProperty("value", value);
  writer.EndObject();
}

// The processed format has more sections of this kind.
void WriteEnd(const ProcessProfile& process, JsonWriter& writer) {
  writer.StartArrayProperty("extra");
  writer.StartObject();
  writer.StringProperty("label", "Recording");
  writer.StartArrayProperty("entries");
  WriteEntry("End", process.end_text, writer);
  if (process.exit.status >= 0) WriteEntry("Exit status", std::to_string(process.exit.status), writer);
  writer.EndArray();
  writer.EndObject();
  writer.EndArray();
}

}  // namespace

void WriteGeckoMeta(const ProcessProfile& process, const GeckoCategories& categories, bool is_parent,
                    std::string_view product, JsonWriter& writer) {
  writer.StartObjectProperty("meta");
  writer.IntProperty("version", GeckoVersion::kWritten);
  WriteTimes(process, writer);
  writer.Key("categories");
  WriteCategories(categories.rows(), writer);
  writer.StartArrayProperty("markerSchema");
  for (const MarkerTypeRow& type : process.marker_types) {
    if (type.has_schema && HasFirstUseOfName(process, type)) WriteMarkerSchema(type, /*processed=*/false, writer);
  }
  writer.EndArray();
  writer.Key("configuration");
  WriteConfiguration(process, writer);
  writer.TimeMsProperty("interval", AskedInterval(process));
  writer.IntProperty("stackwalk", HasFeature(process, "stackwalk") ? 1 : 0);
  writer.IntProperty("debug", 0);
  writer.IntProperty("gcpoison", 0);
  writer.IntProperty("asyncstack", 0);
  writer.IntProperty("processType", 0);
  if (!process.end_text.empty()) WriteEnd(process, writer);
  if (is_parent) WriteMachine(process, product.empty() ? ProgramName(process) : product, writer);
  writer.Key("sampleUnits");
  writer.Splice(R"({"time":"ms","eventDelay":"ms","threadCPUDelta":"ns"})");
  writer.EndObject();
}

namespace {

void WriteNote(std::string_view label, std::string_view value, JsonWriter& writer) {
  writer.StartObject();
  writer.StringProperty("label", label);
  writer.StringProperty("value", value);
  writer.EndObject();
}

void WriteNotes(const MarkerTypeRow& type, JsonWriter& writer) {
  for (const MarkerTypeNote& note : type.notes) WriteNote(note.label, note.value, writer);
  if (!type.description.empty()) WriteNote("Description", type.description, writer);
}

// The processed format has no notes of their own.
std::string DescriptionWithNotes(const MarkerTypeRow& type) {
  std::string text = type.description;
  for (const MarkerTypeNote& note : type.notes) {
    if (!text.empty()) text += ' ';
    text += note.label == "Description" ? note.value : note.label + ": " + note.value;
  }
  return text;
}

// A table's is "table", and for each column a record separator, its label, a unit separator, and its format.
void WriteFormat(std::string_view format, JsonWriter& writer) {
  size_t at = format.find('\x1e');
  if (at == std::string_view::npos) return writer.StringProperty("format", format);
  writer.StartObjectProperty("format");
  writer.StringProperty("type", format.substr(0, at));
  writer.StartArrayProperty("columns");
  while (at < format.size()) {
    const size_t end = std::min(format.find('\x1e', at + 1), format.size());
    const std::string_view column = format.substr(at + 1, end - at - 1);
    const size_t middle = std::min(column.find('\x1f'), column.size());
    writer.StartObject();
    WriteOptional("label", column.substr(0, middle), writer);
    WriteOptional("type", column.substr(std::min(middle + 1, column.size())), writer);
    writer.EndObject();
    at = end;
  }
  writer.EndArray();
  writer.EndObject();
}

// Types of the older style say at run time how they are shown, and no check comes before. Parts that the viewer cannot
// show are left out.
bool IsField(const MarkerTypeRow& type, const MarkerTypeField& field) {
  const auto first = std::find_if(type.fields.begin(), type.fields.end(),
                                  [&](const MarkerTypeField& other) { return other.key == field.key; });
  return &*first == &field && !IsReservedMarkerKey(field.key);
}

bool HasField(const MarkerTypeRow& type, std::string_view key) {
  return std::any_of(type.fields.begin(), type.fields.end(),
                     [&](const MarkerTypeField& field) { return field.key == key && IsField(type, field); });
}

void WriteLabel(std::string_view name, std::string_view label, JsonWriter& writer) {
  bool is_open = false;
  for (const char c : label) {
    if (c == '{' || c == '}') is_open = c == '{';
  }
  if (!is_open) WriteOptional(name, label, writer);
}

void WriteGraphs(const MarkerTypeRow& type, JsonWriter& writer) {
  const auto is_of_field = [&](const MarkerTypeGraph& graph) {
    return !graph.type.empty() && HasField(type, graph.key);
  };
  if (std::none_of(type.graphs.begin(), type.graphs.end(), is_of_field)) return;
  writer.StartArrayProperty("graphs");
  for (const MarkerTypeGraph& graph : type.graphs) {
    if (!is_of_field(graph)) continue;
    writer.StartObject();
    writer.StringProperty("key", graph.key);
    writer.StringProperty("type", graph.type);
    WriteOptional("color", graph.color, writer);
    writer.EndObject();
  }
  writer.EndArray();
}

}  // namespace

void WriteMarkerSchema(const MarkerTypeRow& type, bool processed, JsonWriter& writer) {
  writer.StartObject();
  writer.StringProperty("name", type.name);
  WriteLabel("chartLabel", type.chart_label, writer);
  WriteLabel("tooltipLabel", type.tooltip_label, writer);
  WriteLabel("tableLabel", type.table_label, writer);
  if (type.is_stack_based) writer.BoolProperty("isStackBased", true);
  WriteOptional("colorField", type.color_field, writer);
  WriteStrings("display", type.display, writer);
  writer.StartArrayProperty(processed ? "fields" : "data");
  for (const MarkerTypeField& field : type.fields) {
    if (!IsField(type, field)) continue;
    writer.StartObject();
    writer.StringProperty("key", field.key);
    WriteOptional("label", field.label, writer);
    WriteFormat(field.format, writer);
    if (field.hidden) writer.BoolProperty("hidden", true);
    writer.EndObject();
  }
  if (!processed) WriteNotes(type, writer);
  writer.EndArray();
  WriteGraphs(type, writer);
  if (processed) WriteOptional("description", DescriptionWithNotes(type), writer);
  writer.EndObject();
}

void WriteConfiguration(const ProcessProfile& process, JsonWriter& writer) {
  constexpr uint64_t kBytesPerEntry = 8;  // the viewer multiplies by it
  writer.StartObject();
  WriteStrings("features", process.features, writer);
  WriteStrings("threads", process.filters, writer);
  writer.TimeMsProperty("interval", AskedInterval(process));
  writer.UintProperty("capacity", process.capacity_bytes / kBytesPerEntry);
  writer.EndObject();
}

void WriteRecordingFacts(const ProcessProfile& process, JsonWriter& writer) {
  writer.StartObject();
  writer.StringProperty("endReason", process.end_reason);
  if (process.exit.status >= 0) writer.IntProperty("exitStatus", process.exit.status);
  if (process.crash.signal != 0) writer.IntProperty("crashSignal", process.crash.signal);
  writer.UintProperty("samplesAsked", process.samples_asked);
  writer.UintProperty("samplesTaken", process.samples_taken);
  if (!process.sampled_by.empty()) writer.StringProperty("sampledBy", process.sampled_by);
  writer.TimeMsProperty("samplerCPUTime", process.sampler_cpu_ns);
  if (process.handler_ns != 0) writer.TimeMsProperty("handlerTime", process.handler_ns);
  writer.UintProperty("samplerBytes", process.segment_bytes_used);
  writer.StartArrayProperty("losses");
  for (const LossRow& loss : process.losses) {
    writer.StartObject();
    writer.StringProperty("what", loss.what);
    writer.UintProperty("count", loss.count);
    writer.EndObject();
  }
  writer.EndArray();
  WriteStrings("problems", process.problems, writer);
  writer.StartObjectProperty("pauses");
  writer.StartArrayProperty("upperNs");
  for (uint64_t upper_ns : process.pauses.upper_ns) writer.Uint(upper_ns);
  writer.EndArray();
  writer.StartArrayProperty("counts");
  for (uint64_t count : process.pauses.counts) writer.Uint(count);
  writer.EndArray();
  writer.EndObject();
  writer.EndObject();
}

}  // namespace geckoprof
