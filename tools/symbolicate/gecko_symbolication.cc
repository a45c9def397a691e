#include "tools/symbolicate/gecko_symbolication.h"

#include <algorithm>
#include <utility>

#include "geckoprof/base/thread_name.h"
#include "geckoprof/gecko_json/format_versions.h"
#include "geckoprof/gecko_json/marker_field_writer.h"
#include "tools/json/json_copy.h"
#include "tools/profile/gecko_loader.h"
#include "tools/profile/marker_data_loader.h"
#include "tools/profile/model_builder.h"
#include "tools/profile/overhead_copy.h"
#include "tools/profile/profile_model.h"
#include "tools/profile/system_pid.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

JsonNumber TimeOrNull(JsonView time, double shift_ms) {
  return time.IsNumber() ? TimeCell(time.NumberOr(0) + shift_ms) : JsonNumber::Null();
}

JsonNumber NumberOrNull(JsonView value) {
  if (const std::optional<int64_t> integer = value.AsInteger()) return JsonNumber::Int(*integer);
  return value.IsNumber() ? JsonNumber::Double(value.NumberOr(0)) : JsonNumber::Null();
}

// Fills in what `cell_of` makes of the cells of a column.
template <typename CellOf>
void FillFromColumn(const GeckoTable& table, std::optional<size_t> column, size_t first_row,
                    std::span<JsonNumber> cells, const CellOf& cell_of) {
  for (size_t i = 0; i < cells.size(); ++i) cells[i] = cell_of(GeckoTable::Cell(table.Row(first_row + i), column));
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
    if (column == CounterColumn::kTime) {
      return FillFromColumn(samples, time, first_row, cells,
                            [&](JsonView cell) { return TimeCell(cell.NumberOr(0) + shift_ms); });
    }
    FillFromColumn(samples, column == CounterColumn::kCount ? count : number, first_row, cells,
                   [](JsonView cell) { return JsonNumber::Double(cell.NumberOr(0)); });
    // The first one is the total before the recording: no change.
    if (first_row == 0) cells[0] = JsonNumber::Int(0);
  };
  WriteCounter(row, pid, main_thread, samples.rows(), fill, writer);
}

// Firefox has some of the times in ms. Viewers take all of them for us.
void WriteGeckoLooks(const GeckoTable& looks, double shift_ms, JsonWriter& writer) {
  writer.StartObject();
  looks.schema().ForEachMember([&](std::string_view name, JsonView) {
    const std::optional<size_t> column = looks.Column(name);
    writer.StartArrayProperty(name);
    for (size_t row = 0; row < looks.rows(); ++row) {
      const JsonView cell = GeckoTable::Cell(looks.Row(row), column);
      writer.Number(name == "time" ? TimeCell(cell.NumberOr(0) / 1000 + shift_ms) : NumberOrNull(cell));
    }
    writer.EndArray();
  });
  writer.UintProperty("length", looks.rows());
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
  processes_.push_back({profile, shift_ms, GeckoProcessTables::Read(profile, tables_), {}, {}});
  Process& process = processes_.back();
  ReadMarkerTypes(process);
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

void GeckoSymbolication::ReadMarkerTypes(Process& process) {
  const JsonView schemas = process.profile["meta"]["markerSchema"];
  for (size_t i = 0; i < schemas.size(); ++i) {
    MarkerTypeRow type = ReadMarkerType(schemas.At(i));
    // Types of the same name in several processes are one: the first wins, as in the viewer.
    if (marker_type_names_.insert(type.name).second) marker_types_.push_back(type);
    process.marker_types.try_emplace(schemas.At(i)["name"].AsString(), std::move(type));
  }
}

void GeckoSymbolication::WriteThreads(JsonWriter& writer) {
  for (const Process& process : processes_) {
    for (size_t i = 0; i < process.threads.size(); ++i) WriteThread(process, i, writer);
  }
}

void GeckoSymbolication::WritePages(JsonWriter& writer) {
  for (const Process& process : processes_) {
    const JsonView pages = process.profile["pages"];
    for (size_t i = 0; i < pages.size(); ++i) CopyJson(pages.At(i), writer);
  }
}

void GeckoSymbolication::WriteMore(JsonWriter& writer) {
  WriteJoined("profilingLog", writer);
  WriteJoined("profileGatheringLog", writer);
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
  const JsonView row = process.profile["threads"].At(number);
  const double shift_ms = process.shift_ms;
  ProcessedThread thread;
  if (row["processType"].IsString()) thread.process_type = row["processType"].AsString();
  thread.process_startup_time = TimeCell(shift_ms);
  thread.process_shutdown_time = TimeOrNull(process.profile["meta"]["shutdownTime"], shift_ms);
  thread.register_time = TimeCell(row["registerTime"].NumberOr(0) + shift_ms);
  thread.unregister_time = TimeOrNull(row["unregisterTime"], shift_ms);
  const JsonView paused = process.profile["pausedRanges"];
  for (size_t i = 0; i < paused.size(); ++i) {
    const JsonView range = paused.At(i);
    thread.paused.push_back(
        {TimeOrNull(range["startTime"], shift_ms), TimeOrNull(range["endTime"], shift_ms), range["reason"].AsString()});
  }
  thread.name = ShownThreadName(row, IsFirefoxProfile(process.profile));
  thread.is_main = row["name"].AsString() == kMainThreadName;
  thread.process_name = row["processName"].AsString();
  thread.pid = ProcessedPidOfGecko(TextOf(row["pid"]));
  thread.tid = row["tid"].AsInteger();
  StartThread(thread, writer);
  for (const std::string_view key : {"eTLD+1", "isPrivateBrowsing", "userContextId"}) {
    if (!row[key].Exists()) continue;
    writer.Key(key);
    CopyJson(row[key], writer);
  }
  WriteThreadSamples(GeckoTable(row["samples"]), shift_ms, *process.threads[number], writer);
  WriteThreadMarkers(process, GeckoTable(row["markers"]), *process.threads[number], writer);
  writer.EndObject();
}

void GeckoSymbolication::WriteThreadSamples(const GeckoTable& samples, double shift_ms, GeckoFrames& frames,
                                            JsonWriter& writer) {
  // By SampleColumn. The weights have no column, they are 1.
  const std::optional<size_t> columns[] = {samples.Column("stack"),
                                           samples.Column("time"),
                                           std::nullopt,
                                           samples.Column("eventDelay"),
                                           samples.Column("threadCPUDelta"),
                                           samples.Column("state"),
                                           samples.Column("waitCause"),
                                           samples.Column("threadReadyDelta"),
                                           samples.Column("lock"),
                                           samples.Column("lockHolder")};
  const auto column_of = [&](SampleColumn column) { return columns[static_cast<size_t>(column)]; };
  const auto fill = [&](SampleColumn column, size_t first_row, std::span<JsonNumber> cells) {
    const auto fill_by = [&](const auto& cell_of) {
      FillFromColumn(samples, column_of(column), first_row, cells, cell_of);
    };
    switch (column) {
      case SampleColumn::kStack:
        for (size_t i = 0; i < cells.size(); ++i) {
          const JsonView row = samples.Row(first_row + i);
          cells[i] = RowCell(frames.SampleStack(GeckoTable::Cell(row, column_of(SampleColumn::kStack)),
                                                GeckoTable::Cell(row, column_of(SampleColumn::kTime))));
        }
        return;
      case SampleColumn::kTime:
        return fill_by([&](JsonView cell) { return TimeCell(cell.NumberOr(0) + shift_ms); });
      case SampleColumn::kWeight:
        std::fill(cells.begin(), cells.end(), JsonNumber::Int(1));
        return;
      case SampleColumn::kState:  // a running thread has none in this format
        return fill_by([](JsonView cell) { return JsonNumber::Int(cell.AsInteger().value_or(0)); });
      default:  // Firefox's clock steps back at times: a delay below zero is none that is known.
        return fill_by([](JsonView cell) { return cell.NumberOr(0) < 0 ? JsonNumber::Null() : NumberOrNull(cell); });
    }
  };
  WriteSamples({samples.rows(), column_of(SampleColumn::kState).has_value()}, fill, writer);
}

void GeckoSymbolication::WriteThreadMarkers(const Process& process, const GeckoTable& markers, GeckoFrames& frames,
                                            JsonWriter& writer) {
  const auto name = markers.Column("name"), start = markers.Column("startTime"), end = markers.Column("endTime"),
             phase = markers.Column("phase"), category = markers.Column("category"), data = markers.Column("data");
  const auto fill_times = [&](size_t first_row, std::span<JsonNumber> cells, std::optional<size_t> time,
                              const auto& has_time) {
    for (size_t i = 0; i < cells.size(); ++i) {
      const JsonView row = markers.Row(first_row + i);
      const int64_t kind = GeckoTable::Cell(row, phase).AsInteger().value_or(0);
      cells[i] = TimeOrNull(has_time(kind) ? GeckoTable::Cell(row, time) : JsonView(), process.shift_ms);
    }
  };
  const auto fill = [&](MarkerColumn column, size_t first_row, std::span<JsonNumber> cells) {
    const auto fill_integers = [&](std::optional<size_t> from) {
      FillFromColumn(markers, from, first_row, cells,
                     [](JsonView cell) { return JsonNumber::Int(cell.AsInteger().value_or(0)); });
    };
    switch (column) {
      case MarkerColumn::kName:
        return FillFromColumn(markers, name, first_row, cells,
                              [&](JsonView cell) { return JsonNumber::Int(frames.String(cell)); });
      case MarkerColumn::kStartTime:
        return fill_times(first_row, cells, start, HasStartTime);
      case MarkerColumn::kEndTime:
        return fill_times(first_row, cells, end, HasEndTime);
      case MarkerColumn::kPhase:
        return fill_integers(phase);
      case MarkerColumn::kCategory:
        return fill_integers(category);
    }
  };
  const auto write_data = [&](size_t row) {
    WriteMarkerData(process, GeckoTable::Cell(markers.Row(row), data), frames, writer);
  };
  WriteMarkers(markers.rows(), fill, write_data, writer);
}

void GeckoSymbolication::WriteMarkerData(const Process& process, JsonView data, GeckoFrames& frames,
                                         JsonWriter& writer) {
  if (!data.IsObject()) return writer.Null();
  const std::string_view type = data["type"].AsString();
  const auto declared = process.marker_types.find(type);
  const auto is_string = [&](std::string_view key) {
    return declared != process.marker_types.end() && IsInStringTable(declared->second, key);
  };
  const auto is_time = [&](std::string_view key) {
    return IsMarkerTime(type, declared == process.marker_types.end() ? nullptr : &declared->second, key);
  };
  writer.StartObject();
  data.ForEachMember([&](std::string_view key, JsonView value) {
    if (key == "stack" && value.IsObject()) return WriteStackAsCause(value, process.shift_ms, frames, writer);
    writer.Key(key);
    if (value.IsNumber() && is_string(key)) {
      writer.Uint(frames.String(value));
    } else if (value.IsNumber() && is_time(key)) {
      writer.Number(TimeCell(value.NumberOr(0) + process.shift_ms));
    } else if (type == "IPC" && key == "otherPid" && value.IsString()) {
      writer.String(ProcessedPidOfGecko(value.AsString()));
    } else {
      CopyJson(value, writer);
    }
  });
  writer.EndObject();
}

// The stack of a marker is a thread with one sample, whose tables are the thread's around it.
void GeckoSymbolication::WriteStackAsCause(JsonView stack, double shift_ms, GeckoFrames& frames, JsonWriter& writer) {
  const GeckoTable samples(stack["samples"]);
  const JsonView row = samples.Row(0);
  const JsonView time = GeckoTable::Cell(row, samples.Column("time"));
  WriteCause(NumberOrNull(stack["tid"]), TimeOrNull(time, shift_ms),
             frames.MarkerStack(GeckoTable::Cell(row, samples.Column("stack")), time), writer);
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

void GeckoSymbolication::WriteMeta(JsonWriter& writer) {
  StartMeta(marker_types_, symbols_.looks_up() || profile_["meta"]["presymbolicated"].IsTrue(), writer);
  profile_["meta"].ForEachMember([&](std::string_view key, JsonView value) {
    if (key == "markerSchema" || key == "presymbolicated" || key == "symbolicated" || key == "shutdownTime" ||
        key == "preprocessedProfileVersion") {
      return;
    }
    writer.Key(key);
    if (key == "profilingEndTime" && value.IsNumber()) return writer.Number(TimeCell(LatestEndMs()));
    if (key != "extensions") return CopyJson(value, writer);
    const GeckoTable table(value);
    writer.StartObject();
    for (const std::string_view column : {"id", "name", "baseURL"}) {
      writer.StartArrayProperty(column);
      for (size_t i = 0; i < table.rows(); ++i) {
        writer.String(GeckoTable::Cell(table.Row(i), table.Column(column)).AsString());
      }
      writer.EndArray();
    }
    writer.UintProperty("length", table.rows());
    writer.EndObject();
  });
}

bool GeckoSymbolication::HasCounters() const {
  return std::any_of(processes_.begin(), processes_.end(),
                     [](const Process& process) { return process.profile["counters"].size() != 0; });
}

template <typename Visit>
void GeckoSymbolication::VisitMainThreads(const Visit& visit) const {
  size_t first_thread = 0;
  for (const Process& process : processes_) {
    const JsonView threads = process.profile["threads"];
    size_t main = 0;
    while (main < threads.size() && threads.At(main)["name"].AsString() != kMainThreadName) ++main;
    if (main < threads.size()) {
      visit(process, ProcessedPidOfGecko(TextOf(threads.At(main)["pid"])), first_thread + main);
    }
    first_thread += threads.size();
  }
}

// A process without a main thread has no track for its counters: the viewer drops them.
void GeckoSymbolication::WriteCounters(JsonWriter& writer) {
  VisitMainThreads([&](const Process& process, const std::string& pid, size_t main_thread) {
    const JsonView counters = process.profile["counters"];
    for (size_t i = 0; i < counters.size(); ++i) {
      WriteGeckoCounter(counters.At(i), pid, main_thread, process.shift_ms, writer);
    }
  });
}

void GeckoSymbolication::WriteOverhead(JsonWriter& writer) {
  const auto overhead_of = [](const Process& process) { return process.profile["profilerOverhead"]; };
  const auto has_overhead = [&](const Process& process) { return overhead_of(process).IsObject(); };
  if (std::ranges::none_of(processes_, has_overhead)) return;
  writer.StartArrayProperty("profilerOverhead");
  VisitMainThreads([&](const Process& process, const std::string& pid, size_t main_thread) {
    const auto write_looks = [&](JsonView looks) { WriteGeckoLooks(GeckoTable(looks), process.shift_ms, writer); };
    if (has_overhead(process)) CopyOverhead(overhead_of(process), pid, main_thread, write_looks, writer);
  });
  writer.EndArray();
}

}  // namespace geckoprof
