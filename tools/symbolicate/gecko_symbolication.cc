#include "tools/symbolicate/gecko_symbolication.h"

#include <algorithm>
#include <utility>

#include "geckoprof/base/thread_name.h"
#include "geckoprof/gecko_json/format_versions.h"
#include "geckoprof/reader/marker_formats.h"
#include "tools/json/json_copy.h"
#include "tools/processed_format/processed_file.h"
#include "tools/processed_format/shared_tables_writer.h"
#include "tools/profile/gecko_loader.h"
#include "tools/profile/model_builder.h"
#include "tools/profile/profile_model.h"
#include "tools/profile/system_pid.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

void TimeOrNull(JsonView time, double shift_ms, JsonWriter& writer) {
  if (time.IsNumber()) {
    writer.Double(time.NumberOr(0) + shift_ms);
  } else {
    writer.Null();
  }
}

// A column of a Gecko table as an array of its own; what `write_cell` makes of each cell.
template <typename WriteCell>
void WriteCells(std::string_view name, const GeckoTable& table, JsonWriter& writer, const WriteCell& write_cell) {
  const auto column = table.Column(name);
  writer.StartArrayProperty(name);
  for (size_t i = 0; i < table.rows(); ++i) write_cell(GeckoTable::Cell(table.Row(i), column));
  writer.EndArray();
}

bool HasAny(const GeckoTable& table, std::string_view name) {
  const auto column = table.Column(name);
  for (size_t i = 0; i < table.rows(); ++i) {
    if (GeckoTable::Cell(table.Row(i), column).IsNumber()) return true;
  }
  return false;
}

bool Contains(const absl::flat_hash_map<std::string_view, std::vector<std::string_view>>& keys, std::string_view type,
              std::string_view key) {
  const auto found = keys.find(type);
  return found != keys.end() && std::find(found->second.begin(), found->second.end(), key) != found->second.end();
}

// Times that payloads without a schema have.
bool IsTimeKey(std::string_view type, std::string_view key) {
  if (key == "startTime" || key == "endTime") return true;
  constexpr std::string_view kNetworkKeys[] = {
      "domainLookupStart",     "domainLookupEnd", "connectStart",  "tcpConnectEnd", "connectEnd",
      "secureConnectionStart", "requestStart",    "responseStart", "responseEnd",   "fetchStart"};
  return type == "Network" &&
         std::find(std::begin(kNetworkKeys), std::end(kNetworkKeys), key) != std::end(kNetworkKeys);
}

void WriteGeckoCounter(JsonView counter, std::string_view pid, size_t main_thread, double shift_ms,
                       JsonWriter& writer) {
  const GeckoTable samples(counter["samples"]);
  CounterRow row;
  row.name = counter["name"].AsString();
  row.category = counter["category"].AsString();
  row.has_number = samples.Column("number").has_value();
  row.is_rate = row.category != "Memory";
  if (row.category == "Memory" || row.category == "Bandwidth") row.unit = "bytes";
  row.description = counter["description"].AsString();
  const auto time = samples.Column("time"), count = samples.Column("count"), number = samples.Column("number");
  const auto fill = [&](CounterColumn column, size_t first_row, std::span<JsonNumber> cells) {
    for (size_t i = 0; i < cells.size(); ++i) {
      const JsonView sample = samples.Row(first_row + i);
      if (column == CounterColumn::kTime) {
        cells[i] = TimeCell(GeckoTable::Cell(sample, time).NumberOr(0) + shift_ms);
        continue;
      }
      // The first one is the total before the recording: no change.
      const JsonView cell = GeckoTable::Cell(sample, column == CounterColumn::kCount ? count : number);
      cells[i] = JsonNumber::Double(first_row + i == 0 ? 0 : cell.NumberOr(0));
    }
  };
  WriteCounter(row, pid, main_thread, samples.rows(), fill, writer);
}

void WriteMarkerSchema(JsonView schema, JsonWriter& writer) {
  std::string_view description;
  const JsonView data = schema["data"];
  for (size_t i = 0; i < data.size(); ++i) {
    const JsonView entry = data.At(i);
    if (!entry["value"].IsString()) continue;
    if (description.empty() || entry["label"].AsString() == "Description") description = entry["value"].AsString();
  }
  writer.StartObject();
  schema.ForEachMember([&](std::string_view key, JsonView value) {
    if (key == "data" || key == "fields" || key == "description") return;
    writer.Key(key);
    CopyJson(value, writer);
  });
  if (!description.empty()) writer.StringProperty("description", description);
  writer.StartArrayProperty("fields");
  for (size_t i = 0; i < data.size(); ++i) {
    const JsonView entry = data.At(i);
    if (!entry["key"].IsString()) continue;
    writer.StartObject();
    entry.ForEachMember([&](std::string_view key, JsonView value) {
      if (key == "searchable") return;
      writer.Key(key);
      CopyJson(value, writer);
    });
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
}

}  // namespace

absl::Status GeckoSymbolication::Load() {
  const JsonPath path;
  const JsonPath meta_path = path / "meta";
  const std::optional<int64_t> version = profile_["meta"]["version"].AsInteger();
  if (!version.has_value()) return FaultAt(meta_path / "version", "is missing: no Gecko or processed profile");
  if (*version < 0 || *version > GeckoVersion::kNewest) {
    return FaultAt(meta_path / "version",
                   Concat("Gecko format version ", *version, " is not known; the newest is ", GeckoVersion::kNewest));
  }
  if (absl::Status status = LoadProcess(profile_, 0, path); !status.ok()) return status;
  const double zero_ms = profile_["meta"]["startTime"].NumberOr(0);
  const JsonView children = profile_["processes"];
  const JsonPath children_path = path / "processes";
  for (size_t i = 0; i < children.size(); ++i) {
    const JsonView child = children.At(i);
    const double shift_ms = child["meta"]["startTime"].NumberOr(zero_ms) - zero_ms;
    if (absl::Status status = LoadProcess(child, shift_ms, children_path / i); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status GeckoSymbolication::LoadProcess(JsonView profile, double shift_ms, const JsonPath& path) {
  const absl::StatusOr<JsonView> libs = NeedArray(profile, "libs", path);
  if (!libs.ok()) return libs.status();
  const absl::StatusOr<JsonView> threads = NeedArray(profile, "threads", path);
  if (!threads.ok()) return threads.status();
  processes_.push_back({profile, shift_ms, GeckoProcessTables::Read(profile, tables_), {}, {}, {}});
  Process& process = processes_.back();
  ReadSchemas(process);
  const JsonPath threads_path = path / "threads";
  for (size_t i = 0; i < threads->size(); ++i) {
    const JsonPath thread_path = threads_path / i;
    for (const std::string_view table : {"samples", "markers"}) {
      if (!GeckoTable(threads->At(i)[table]).IsTable()) return FaultAt(thread_path / table, "is missing or no table");
    }
    process.threads.push_back(std::make_unique<GeckoFrames>(threads->At(i), process.tables, tables_, symbols_));
    if (absl::Status status = process.threads.back()->Check(thread_path); !status.ok()) return status;
  }
  return absl::OkStatus();
}

void GeckoSymbolication::ReadSchemas(Process& process) {
  const JsonView schemas = process.profile["meta"]["markerSchema"];
  for (size_t i = 0; i < schemas.size(); ++i) {
    const std::string_view name = schemas.At(i)["name"].AsString();
    const JsonView data = schemas.At(i)["data"];
    for (size_t j = 0; j < data.size(); ++j) {
      const std::string_view key = data.At(j)["key"].AsString(), format = data.At(j)["format"].AsString();
      if (IsStringIndexFormat(format)) process.string_keys[name].push_back(key);
      if (format == "time") process.time_keys[name].push_back(key);
    }
  }
}

void GeckoSymbolication::Write(JsonWriter& writer) {
  writer.StartObject();
  writer.Key("meta");
  WriteMeta(writer);
  writer.StartArrayProperty("threads");
  for (const Process& process : processes_) {
    for (size_t i = 0; i < process.threads.size(); ++i) WriteThread(process, i, writer);
  }
  writer.EndArray();
  WriteCounters(writer);
  writer.StartArrayProperty("pages");
  for (const Process& process : processes_) {
    const JsonView pages = process.profile["pages"];
    for (size_t i = 0; i < pages.size(); ++i) CopyJson(pages.At(i), writer);
  }
  writer.EndArray();
  WriteJoined("profilingLog", writer);
  WriteJoined("profileGatheringLog", writer);
  // Complete now that every thread is written.
  WriteLibs(tables_, writer);
  writer.StartObjectProperty("shared");
  WriteSharedTables(tables_, ProcessedVersion::kWritten, writer);
  writer.EndObject();
  writer.EndObject();
}

// Objects with one member a process.
void GeckoSymbolication::WriteJoined(std::string_view key, JsonWriter& writer) const {
  if (!profile_[key].IsObject()) return;
  writer.StartObjectProperty(key);
  std::set<std::string_view> written;
  for (const Process& process : processes_) {
    process.profile[key].ForEachMember([&](std::string_view name, JsonView value) {
      if (!written.insert(name).second) return;
      writer.Key(ProcessedPidOfGecko(name));
      CopyJson(value, writer);
    });
  }
  writer.EndObject();
}

void GeckoSymbolication::WriteThread(const Process& process, size_t number, JsonWriter& writer) {
  const JsonView thread = process.profile["threads"].At(number);
  GeckoFrames& frames = *process.threads[number];
  const double shift_ms = process.shift_ms;
  writer.StartObject();
  writer.StringProperty("processType", thread["processType"].IsString() ? thread["processType"].AsString() : "default");
  writer.DoubleProperty("processStartupTime", shift_ms);
  writer.Key("processShutdownTime");
  TimeOrNull(process.profile["meta"]["shutdownTime"], shift_ms, writer);
  writer.DoubleProperty("registerTime", thread["registerTime"].NumberOr(0) + shift_ms);
  writer.Key("unregisterTime");
  TimeOrNull(thread["unregisterTime"], shift_ms, writer);
  writer.StartArrayProperty("pausedRanges");
  const JsonView paused = process.profile["pausedRanges"];
  for (size_t i = 0; i < paused.size(); ++i) {
    writer.StartObject();
    for (const std::string_view key : {"startTime", "endTime"}) {
      writer.Key(key);
      TimeOrNull(paused.At(i)[key], shift_ms, writer);
    }
    writer.StringProperty("reason", paused.At(i)["reason"].AsString());
    writer.EndObject();
  }
  writer.EndArray();
  writer.StringProperty("name", ShownThreadName(thread, IsFirefoxProfile(process.profile)));
  writer.BoolProperty("isMainThread", thread["name"].AsString() == kMainThreadName);
  writer.StringProperty("pid", ProcessedPidOfGecko(TextOf(thread["pid"])));
  for (const std::string_view key : {"tid", "processName", "eTLD+1", "isPrivateBrowsing", "userContextId"}) {
    if (!thread[key].Exists()) continue;
    writer.Key(key);
    CopyJson(thread[key], writer);
  }
  WriteSamples(thread, shift_ms, frames, writer);
  WriteMarkers(process, thread, frames, writer);
  writer.EndObject();
}

void GeckoSymbolication::WriteSamples(JsonView thread, double shift_ms, GeckoFrames& frames, JsonWriter& writer) {
  const GeckoTable samples(thread["samples"]);
  writer.StartObjectProperty("samples");
  const auto stack_column = samples.Column("stack"), time_column = samples.Column("time");
  writer.StartArrayProperty("stack");
  for (size_t i = 0; i < samples.rows(); ++i) {
    const JsonView row = samples.Row(i);
    const int32_t stack = frames.SampleStack(GeckoTable::Cell(row, stack_column), GeckoTable::Cell(row, time_column));
    if (stack < 0) {
      writer.Null();
    } else {
      writer.Int(stack);
    }
  }
  writer.EndArray();
  WriteCells("time", samples, writer, [&](JsonView cell) { writer.Double(cell.NumberOr(0) + shift_ms); });
  writer.NullProperty("weight");
  writer.StringProperty("weightType", "samples");
  for (const std::string_view column :
       {"eventDelay", "threadCPUDelta", "waitCause", "threadReadyDelta", "lock", "lockHolder"}) {
    if (!HasAny(samples, column)) continue;
    // Firefox's clock steps back at times: a delay below zero is none that is known.
    WriteCells(column, samples, writer,
               [&](JsonView cell) { cell.NumberOr(0) < 0 ? writer.Null() : CopyJson(cell, writer); });
  }
  // The column alone says that states are known. A running thread has none in this format.
  if (samples.Column("state").has_value()) {
    WriteCells("state", samples, writer, [&](JsonView cell) { writer.Int(cell.AsInteger().value_or(0)); });
  }
  writer.UintProperty("length", samples.rows());
  writer.EndObject();
}

void GeckoSymbolication::WriteMarkers(const Process& process, JsonView thread, GeckoFrames& frames,
                                      JsonWriter& writer) {
  const GeckoTable markers(thread["markers"]);
  const auto phase = markers.Column("phase");
  writer.StartObjectProperty("markers");
  WriteCells("name", markers, writer, [&](JsonView cell) { writer.Uint(frames.String(cell)); });
  for (const std::string_view name : {"startTime", "endTime"}) {
    const auto column = markers.Column(name);
    const int64_t other_phase = name == "startTime" ? 3 : 2;  // the one that has the other time alone
    writer.StartArrayProperty(name);
    for (size_t i = 0; i < markers.rows(); ++i) {
      const JsonView row = markers.Row(i);
      const int64_t kind = GeckoTable::Cell(row, phase).AsInteger().value_or(0);
      const bool has_time = kind != other_phase && (kind != 0 || name == "startTime");
      TimeOrNull(has_time ? GeckoTable::Cell(row, column) : JsonView(), process.shift_ms, writer);
    }
    writer.EndArray();
  }
  WriteCells("phase", markers, writer, [&](JsonView cell) { writer.Int(cell.AsInteger().value_or(0)); });
  WriteCells("category", markers, writer, [&](JsonView cell) { writer.Int(cell.AsInteger().value_or(0)); });
  WriteCells("data", markers, writer, [&](JsonView cell) { WriteMarkerData(process, cell, frames, writer); });
  writer.UintProperty("length", markers.rows());
  writer.EndObject();
}

void GeckoSymbolication::WriteMarkerData(const Process& process, JsonView data, GeckoFrames& frames,
                                         JsonWriter& writer) {
  if (!data.IsObject()) return writer.Null();
  const std::string_view type = data["type"].AsString();
  writer.StartObject();
  data.ForEachMember([&](std::string_view key, JsonView value) {
    if (key == "stack" && value.IsObject()) return WriteCause(value, process.shift_ms, frames, writer);
    writer.Key(key);
    if (value.IsNumber() && Contains(process.string_keys, type, key)) {
      writer.Uint(frames.String(value));
    } else if (value.IsNumber() && (IsTimeKey(type, key) || Contains(process.time_keys, type, key))) {
      writer.Double(value.NumberOr(0) + process.shift_ms);
    } else if (type == "IPC" && key == "otherPid" && value.IsString()) {
      writer.String(ProcessedPidOfGecko(value.AsString()));
    } else {
      CopyJson(value, writer);
    }
  });
  writer.EndObject();
}

// The stack of a marker is a thread with one sample, whose tables are the thread's around it.
void GeckoSymbolication::WriteCause(JsonView stack, double shift_ms, GeckoFrames& frames, JsonWriter& writer) {
  const GeckoTable samples(stack["samples"]);
  const JsonView row = samples.Row(0);
  const JsonView time = GeckoTable::Cell(row, samples.Column("time"));
  const int32_t number = frames.MarkerStack(GeckoTable::Cell(row, samples.Column("stack")), time);
  if (number < 0) return;
  writer.StartObjectProperty("cause");
  if (stack["tid"].Exists()) {
    writer.Key("tid");
    CopyJson(stack["tid"], writer);
  }
  if (time.IsNumber()) writer.DoubleProperty("time", time.NumberOr(0) + shift_ms);
  writer.IntProperty("stack", number);
  writer.EndObject();
}

// Of all processes: those below may go on for longer than the first.
double GeckoSymbolication::LatestEndMs() const {
  double end_ms = 0;
  for (const Process& process : processes_) {
    const JsonView end = process.profile["meta"]["profilingEndTime"];
    if (end.IsNumber()) end_ms = std::max(end_ms, end.NumberOr(0) + process.shift_ms);
  }
  return end_ms;
}

void GeckoSymbolication::WriteMeta(JsonWriter& writer) const {
  writer.StartObject();
  profile_["meta"].ForEachMember([&](std::string_view key, JsonView value) {
    if (key == "markerSchema" || key == "presymbolicated" || key == "symbolicated" || key == "shutdownTime" ||
        key == "preprocessedProfileVersion") {
      return;
    }
    writer.Key(key);
    if (key == "profilingEndTime" && value.IsNumber()) return writer.Double(LatestEndMs());
    if (key != "extensions") return CopyJson(value, writer);
    const GeckoTable table(value);
    writer.StartObject();
    for (const std::string_view column : {"id", "name", "baseURL"}) {
      WriteCells(column, table, writer, [&](JsonView cell) { writer.String(cell.AsString()); });
    }
    writer.UintProperty("length", table.rows());
    writer.EndObject();
  });
  writer.IntProperty("preprocessedProfileVersion", ProcessedVersion::kWritten);
  writer.BoolProperty("symbolicated", symbols_.looks_up() || profile_["meta"]["presymbolicated"].IsTrue());
  WriteMarkerSchemas(writer);
  writer.EndObject();
}

// Types of the same name in several processes are one: the first wins, as in the viewer.
void GeckoSymbolication::WriteMarkerSchemas(JsonWriter& writer) const {
  std::set<std::string_view> written;
  writer.StartArrayProperty("markerSchema");
  for (const Process& process : processes_) {
    const JsonView schemas = process.profile["meta"]["markerSchema"];
    for (size_t i = 0; i < schemas.size(); ++i) {
      if (written.insert(schemas.At(i)["name"].AsString()).second) WriteMarkerSchema(schemas.At(i), writer);
    }
  }
  writer.EndArray();
}

// A process without a main thread has no track for its counters: the viewer drops them.
void GeckoSymbolication::WriteCounters(JsonWriter& writer) const {
  const auto has_any = [](const Process& process) { return process.profile["counters"].size() != 0; };
  if (std::none_of(processes_.begin(), processes_.end(), has_any)) return;
  writer.StartArrayProperty("counters");
  size_t first_thread = 0;
  for (const Process& process : processes_) {
    const JsonView threads = process.profile["threads"], counters = process.profile["counters"];
    size_t main = 0;
    while (main < threads.size() && threads.At(main)["name"].AsString() != kMainThreadName) ++main;
    for (size_t i = 0; i < counters.size() && main < threads.size(); ++i) {
      WriteGeckoCounter(counters.At(i), ProcessedPidOfGecko(TextOf(threads.At(main)["pid"])), first_thread + main,
                        process.shift_ms, writer);
    }
    first_thread += threads.size();
  }
  writer.EndArray();
}

}  // namespace geckoprof
