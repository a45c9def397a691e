#include "tools/profile/processed_loader.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "geckoprof/gecko_json/format_versions.h"
#include "tools/profile/counter_loader.h"
#include "tools/profile/overhead_loader.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// -1 stands for "none" in some columns, null in others.
JsonView NullIfMinusOne(JsonView value) { return value.AsInteger() == -1 ? JsonView() : value; }

// Columns that are there have a row for each of the table, whose number `length` repeats.
absl::Status NeedWholeColumns(JsonView table, size_t rows, std::initializer_list<std::string_view> columns,
                              const JsonPath& path) {
  for (const std::string_view name : columns) {
    const JsonView column = table[name];
    if (!column.IsArray() || column.size() == rows) continue;
    return FaultAt(path / name, Concat("has length ", column.size(), " in a table of length ", rows));
  }
  const JsonView length = table["length"];
  if (!length.IsNumber() || length.AsInteger() == static_cast<int64_t>(rows)) return absl::OkStatus();
  return FaultAt(path / "length", Concat("is ", TextOf(length), " in a table of length ", rows));
}

// Times of a table: "time", or "timeDeltas" added up.
class TimeColumn {
 public:
  explicit TimeColumn(JsonView table) : times_(table["time"]), deltas_(table["timeDeltas"]) {}

  double Next(size_t row) {
    if (times_.IsArray()) return ReadTimeMs(times_.At(row));
    sum_ += ReadTimeMs(deltas_.At(row));
    return sum_;
  }

 private:
  JsonView times_, deltas_;
  double sum_ = 0;
};

}  // namespace

absl::Status ProcessedLoader::Load() {
  const JsonPath path;
  const JsonPath meta_path = path / "meta";
  const JsonView meta = profile_["meta"];
  const std::optional<int64_t> version = meta["preprocessedProfileVersion"].AsInteger();
  if (!version.has_value() || *version < 0 || *version > ProcessedVersion::kNewest) {
    return FaultAt(meta_path / "preprocessedProfileVersion",
                   Concat("processed format version ", TextOf(meta["preprocessedProfileVersion"]),
                          " is not known; the newest is ", ProcessedVersion::kNewest));
  }
  builder_.model().version = *version;
  if (absl::Status status = builder_.ReadMeta(meta); !status.ok()) return status;
  LoadLibraries();
  if (builder_.is_full()) marker_data_.ReadSchemas(meta["markerSchema"]);
  const JsonView shared = profile_["shared"];
  const JsonPath shared_path = path / "shared";
  if (shared["stringArray"].Exists()) {
    const JsonPath strings_path = shared_path / "stringArray";
    if (absl::Status status = LoadStrings(shared["stringArray"], strings_path); !status.ok()) return status;
  }
  if (shared["stackTable"].Exists()) {
    if (absl::Status status = LoadTables(shared, shared_path); !status.ok()) return status;
  }
  const absl::StatusOr<JsonView> threads = NeedArray(profile_, "threads", path);
  if (!threads.ok()) return threads.status();
  const JsonPath threads_path = path / "threads";
  for (size_t i = 0; i < threads->size(); ++i) {
    if (absl::Status status = LoadThread(threads->At(i), threads_path / i); !status.ok()) return status;
  }
  if (absl::Status status = CountCounterRows(profile_, &builder_); !status.ok()) return status;
  LoadProcessedCounters(profile_, &builder_.model(), builder_.is_full());
  if (absl::Status status = LoadProcessedOverhead(profile_, &builder_); !status.ok()) return status;
  LoadExtra(profile_["meta"]["extra"], &builder_.model().sections);
  return absl::OkStatus();
}

void ProcessedLoader::LoadLibraries() {
  const JsonView libs = profile_["libs"];
  builder_.Count(libs.size() * sizeof library_names_[0]);
  for (size_t i = 0; i < libs.size(); ++i) {
    const JsonView lib = libs.At(i);
    library_names_.push_back(CutName(lib["name"].AsString(), kMaxLibraryNameBytes));
    if (!builder_.is_full()) continue;
    library_rows_.push_back(
        builder_.Library({std::string(lib["name"].AsString()), std::string(lib["path"].AsString()),
                          std::string(lib["breakpadId"].AsString()), std::string(lib["codeId"].AsString())}));
  }
}

// From version 58 functions name a row of "sources"; before, "fileName" is the string itself.
void ProcessedLoader::LoadSources(JsonView tables) {
  sources_.clear();
  const JsonPath path;
  const JsonView names = tables["sources"]["filename"];
  for (size_t i = 0; i < names.size(); ++i) {
    const absl::StatusOr<int32_t> name = builder_.ReadString(names.At(i), path / "sources");
    sources_.push_back(name.ok() ? *name : kNoRow);
  }
}

absl::Status ProcessedLoader::LoadTables(JsonView tables, const JsonPath& path) {
  LoadSources(tables);
  if (absl::Status status = LoadFunctions(tables, path); !status.ok()) return status;
  if (absl::Status status = LoadFrames(tables, path); !status.ok()) return status;
  return LoadStacks(tables, path);
}

absl::Status ProcessedLoader::LoadStrings(JsonView array, const JsonPath& path) {
  if (!array.IsArray()) return FaultAt(path, "is missing or not an array");
  builder_.StartStrings(array);
  return absl::OkStatus();
}

absl::Status ProcessedLoader::LoadFunctions(JsonView tables, const JsonPath& path) {
  const JsonPath table_path = path / "funcTable", names_path = table_path / "name";
  const absl::StatusOr<JsonView> names = NeedArray(tables["funcTable"], "name", table_path);
  if (!names.ok()) return names.status();
  const JsonView funcs = tables["funcTable"], resources = funcs["resource"], libs = tables["resourceTable"]["lib"],
                 sources = funcs["source"], files = funcs["fileName"], scripts = funcs["isJS"],
                 lines = funcs["lineNumber"], columns = funcs["columnNumber"];
  if (absl::Status status = NeedWholeColumns(funcs, names->size(), {"resource", "source", "isJS"}, table_path);
      !status.ok())
    return status;
  functions_.clear();
  if (absl::Status status = builder_.CountRows(names->size(), sizeof(Function)); !status.ok()) return status;
  functions_.reserve(names->size());
  for (size_t i = 0; i < names->size(); ++i) {
    const auto name = builder_.ReadString(names->At(i), names_path / i);
    if (!name.ok()) return name.status();
    // Up to version 69 the library is that of the resource.
    Function function{*name, {}, -1, kNoRow};
    if (const auto resource = resources.At(i).AsInteger(); resource.has_value() && *resource >= 0) {
      const JsonView lib = libs.At(static_cast<size_t>(*resource));
      function.library = LibraryName(lib);
      function.lib = lib.AsInteger().value_or(-1);
    }
    const bool is_script = scripts.At(i).IsTrue();
    if (builder_.is_full() || is_script) function.source = SourceOf(sources.At(i), files.At(i), names_path / i);
    if (is_script) function.name = ScriptName(function.name, function.source, lines.At(i), columns.At(i));
    if (absl::Status status = builder_.CountRows(0, 0); !status.ok()) return status;
    functions_.push_back(function);
  }
  return absl::OkStatus();
}

int32_t ProcessedLoader::SourceOf(JsonView row, JsonView file, const JsonPath& path) const {
  const auto source = row.AsInteger();
  if (source.has_value() && *source >= 0 && static_cast<size_t>(*source) < sources_.size()) {
    return sources_[static_cast<size_t>(*source)];
  }
  return file.IsNumber() ? builder_.ReadString(file, path).value_or(kNoRow) : kNoRow;
}

int32_t ProcessedLoader::ScriptName(int32_t name, int32_t source, JsonView line, JsonView column) {
  if (source == kNoRow || !line.IsNumber()) return name;
  const std::vector<std::string>& strings = builder_.model().strings;
  const std::string url = CutName(strings[static_cast<size_t>(source)], kMaxNameBytes);
  std::string place = Concat(url, ":", TextOf(line));
  if (column.IsNumber()) place = Concat(place, ":", TextOf(column));
  const std::string text = CutName(strings[static_cast<size_t>(name)], kMaxNameBytes);
  return builder_.Intern(text == Concat("(root scope) ", url) ? place : Concat(text, " (", place, ")"));
}

std::string_view ProcessedLoader::LibraryName(JsonView index) const {
  const std::optional<int64_t> row = index.AsInteger();
  if (!row.has_value() || *row < 0 || static_cast<uint64_t>(*row) >= library_names_.size()) return {};
  return library_names_[static_cast<size_t>(*row)];
}

int32_t ProcessedLoader::NamedFunction(int32_t name, std::string_view library) {
  const std::string& text = builder_.model().strings[static_cast<size_t>(name)];
  constexpr size_t kMaxAddressBytes = 18;
  const bool is_address = text.starts_with("0x") && text.size() <= kMaxAddressBytes;
  if (!library.empty() && is_address) return builder_.Function(Concat(library, "+", text), library);
  return builder_.Function(name, library.empty() ? kNoRow : builder_.Intern(library));
}

absl::Status ProcessedLoader::LoadFrames(JsonView tables, const JsonPath& path) {
  const JsonPath table_path = path / "frameTable", funcs_path = table_path / "func",
                 cats_path = table_path / "category";
  const JsonView table = tables["frameTable"];
  const absl::StatusOr<JsonView> funcs = NeedArray(table, "func", table_path);
  if (!funcs.ok()) return funcs.status();
  if (absl::Status status = NeedWholeColumns(table, funcs->size(), {"category", "lib", "address", "line"}, table_path);
      !status.ok())
    return status;
  const JsonView categories = table["category"], libs = table["lib"];
  const size_t known = builder_.model().categories.size();
  if (absl::Status status = builder_.StartFrames(funcs->size()); !status.ok()) return status;
  for (size_t i = 0; i < funcs->size(); ++i) {
    const auto func = ReadIndex(funcs->At(i), functions_.size(), funcs_path / i);
    if (!func.ok()) return func.status();
    if (*func == kNoRow) return FaultAt(funcs_path / i, "is null");
    // Without a list of its own the viewer gives the file a default one, whose size is not ours to know.
    auto category = known == 0 ? kNoRow : ReadIndex(categories.At(i), known, cats_path / i);
    if (!category.ok()) return category.status();
    const Function& function = functions_[static_cast<size_t>(*func)];
    const std::string_view library = function.library.empty() ? LibraryName(libs.At(i)) : function.library;
    const int32_t named = NamedFunction(function.name, library);
    if (!builder_.is_full()) {
      builder_.AddFrame(named, *category);
      continue;
    }
    ProfileFrame frame;
    frame.function = named;
    frame.source = function.source;
    frame.category = *category;
    AddFullFrame(i, table, frame, function.lib >= 0 ? function.lib : libs.At(i).AsInteger().value_or(-1));
  }
  return absl::OkStatus();
}

void ProcessedLoader::AddFullFrame(size_t row, JsonView table, const ProfileFrame& known, int64_t lib) {
  ProfileFrame frame = known;
  const auto small = [&](std::string_view column) {
    const int64_t number = table[column].At(row).AsInteger().value_or(0);
    return number > 0 && number <= INT32_MAX ? static_cast<int32_t>(number) : 0;
  };
  if (lib >= 0 && static_cast<size_t>(lib) < library_rows_.size()) {
    frame.library = library_rows_[static_cast<size_t>(lib)];
    frame.address = std::max<int64_t>(table["address"].At(row).AsInteger().value_or(-1), -1);
  }
  frame.line = small("line");
  frame.column = small("column");
  frame.inline_depth = small("inlineDepth");
  builder_.AddFrame(frame);
}

absl::Status ProcessedLoader::LoadStacks(JsonView tables, const JsonPath& path) {
  const JsonPath table_path = path / "stackTable", frames_path = table_path / "frame";
  const JsonView table = tables["stackTable"], offsets = table["prefixOffset"], prefixes = table["prefix"];
  const absl::StatusOr<JsonView> rows = NeedArray(table, "frame", table_path);
  if (!rows.ok()) return rows.status();
  if (!offsets.IsArray() && !prefixes.IsArray()) return FaultAt(table_path / "prefixOffset", "is missing");
  if (absl::Status status = NeedWholeColumns(table, rows->size(), {"prefix", "prefixOffset"}, table_path); !status.ok())
    return status;
  const JsonPath prefix_path = table_path / (offsets.IsArray() ? "prefixOffset" : "prefix");
  if (absl::Status status = builder_.StartStacks(rows->size(), table_path); !status.ok()) return status;
  for (size_t i = 0; i < rows->size(); ++i) {
    // The caller: a row before this one, so that no chain of callers can come back to where it started.
    int32_t caller = kNoRow;
    if (offsets.IsArray()) {
      const auto distance = ReadCaller(offsets.At(i), i + 1, prefix_path / i);
      if (!distance.ok()) return distance.status();
      if (*distance > 0) caller = static_cast<int32_t>(i) - *distance;
    } else {
      const auto row = ReadCaller(NullIfMinusOne(prefixes.At(i)), i, prefix_path / i);
      if (!row.ok()) return row.status();
      caller = *row;
    }
    if (absl::Status status = builder_.AddStack(caller, rows->At(i), frames_path / i); !status.ok()) return status;
  }
  return absl::OkStatus();
}

int32_t ProcessedLoader::ProcessRow(JsonView thread) {
  std::vector<ProfileProcess>& processes = builder_.model().processes;
  const std::string pid = TextOf(thread["pid"]);
  const auto [entry, added] = process_rows_.try_emplace(pid, static_cast<int32_t>(processes.size()));
  if (added) processes.push_back({pid, std::string(thread["processName"].AsString()), 0, TextOf(thread["parentPid"])});
  return entry->second;
}

absl::Status ProcessedLoader::LoadThread(JsonView thread, const JsonPath& path) {
  ProfileThread out;
  out.process = ProcessRow(thread);
  out.name = thread["name"].AsString();
  out.is_main = thread["isMainThread"].IsTrue();
  out.tid = thread["tid"].AsInteger().value_or(0);
  if (builder_.is_full()) {
    if (thread["registerTime"].IsNumber()) out.register_ms = ReadTimeMs(thread["registerTime"]);
    if (thread["unregisterTime"].IsNumber()) out.unregister_ms = ReadTimeMs(thread["unregisterTime"]);
  }
  // A thread of an older version has tables of its own: without them it must not get those of the thread before.
  const JsonView shared = profile_["shared"];
  if (!shared["stringArray"].Exists()) {
    if (absl::Status status = LoadStrings(thread["stringArray"], path / "stringArray"); !status.ok()) return status;
  }
  if (!shared["stackTable"].Exists()) {
    if (absl::Status status = LoadTables(thread, path); !status.ok()) return status;
  }
  if (absl::Status status = LoadSamples(thread, path, &out); !status.ok()) return status;
  if (absl::Status status = LoadMarkers(thread, path, &out); !status.ok()) return status;
  if (absl::Status status = LoadAllocations(thread, path, &out); !status.ok()) return status;
  builder_.model().threads.push_back(std::move(out));
  return absl::OkStatus();
}

absl::Status ProcessedLoader::LoadSamples(JsonView thread, const JsonPath& path, ProfileThread* out) {
  const JsonPath table_path = path / "samples", stacks_path = table_path / "stack";
  const JsonView table = thread["samples"], weights = table["weight"], cpu = table["threadCPUDelta"];
  const absl::StatusOr<JsonView> column = NeedArray(table, "stack", table_path);
  if (!column.ok()) return column.status();
  if (absl::Status status = NeedWholeColumns(table, column->size(),
                                             {"time", "timeDeltas", "weight", "threadCPUDelta", "state", "waitCause",
                                              "threadReadyDelta", "lock", "lockHolder"},
                                             table_path);
      !status.ok())
    return status;
  const JsonView states = table["state"], causes = table["waitCause"], ready = table["threadReadyDelta"],
                 locks = table["lock"], holders = table["lockHolder"];
  out->has_states = states.IsArray();
  TimeColumn times(table);
  const std::string_view unit = table["weightType"].AsString();
  if (weights.IsArray() && unit == "bytes") out->weight_unit = ProfileWeightUnit::kBytes;
  if (weights.IsArray() && unit == "tracing-ms") out->weight_unit = ProfileWeightUnit::kMs;
  if (absl::Status status = builder_.CountRows(column->size(), sizeof(ProfileSample)); !status.ok()) return status;
  out->samples.reserve(column->size());
  for (size_t i = 0; i < column->size(); ++i) {
    const auto stack = builder_.ReadStack(NullIfMinusOne(column->At(i)), stacks_path / i);
    if (!stack.ok()) return stack.status();
    ProfileSample sample;
    sample.time_ms = times.Next(i);
    sample.stack = *stack;
    if (weights.IsArray()) sample.weight = ReadWeight(weights.At(i));
    sample.cpu_ns = builder_.CpuNs(cpu.At(i));
    if (out->has_states) {
      const ProfileSample* const before = out->samples.empty() ? nullptr : &out->samples.back();
      builder_.ReadState({states.At(i), causes.At(i), ready.At(i), locks.At(i), holders.At(i)}, before, &sample);
    }
    builder_.AddSample(sample, out);
    if (out->weight_unit != ProfileWeightUnit::kBytes) continue;
    const double freed_bytes = BoundedWeight(-weights.At(i).NumberOr(1));
    if (freed_bytes > 0) out->frees.push_back({sample.time_ms, freed_bytes, -1, sample.stack});
  }
  return absl::OkStatus();
}

absl::Status ProcessedLoader::LoadAllocations(JsonView thread, const JsonPath& path, ProfileThread* out) {
  const JsonPath table_path = path / "nativeAllocations", stacks_path = table_path / "stack";
  const JsonView table = thread["nativeAllocations"], weights = table["weight"], addresses = table["memoryAddress"];
  if (!builder_.is_full() || !table.IsObject()) return absl::OkStatus();
  const absl::StatusOr<JsonView> stacks = NeedArray(table, "stack", table_path);
  if (!stacks.ok()) return stacks.status();
  if (absl::Status status = NeedWholeColumns(table, stacks->size(), {"time", "weight", "memoryAddress"}, table_path);
      !status.ok())
    return status;
  if (absl::Status status = builder_.CountRows(stacks->size(), sizeof(ProfileAllocation)); !status.ok()) return status;
  TimeColumn times(table);
  out->allocations.reserve(stacks->size());
  for (size_t i = 0; i < stacks->size(); ++i) {
    const auto stack = builder_.ReadStack(NullIfMinusOne(stacks->At(i)), stacks_path / i);
    if (!stack.ok()) return stack.status();
    ProfileAllocation& row = out->allocations.emplace_back();
    row.time_ms = times.Next(i);
    row.bytes = weights.At(i).NumberOr(0);
    row.address = addresses.At(i).AsInteger().value_or(-1);
    row.stack = *stack;
  }
  return absl::OkStatus();
}

absl::Status ProcessedLoader::LoadMarkers(JsonView thread, const JsonPath& path, ProfileThread* out) {
  const JsonPath table_path = path / "markers", names_path = table_path / "name", phases_path = table_path / "phase";
  const JsonView table = thread["markers"];
  if (!table.Exists()) return absl::OkStatus();
  const absl::StatusOr<JsonView> names = NeedArray(table, "name", table_path);
  if (!names.ok()) return names.status();
  if (absl::Status status =
          NeedWholeColumns(table, names->size(), {"startTime", "endTime", "phase", "category", "data"}, table_path);
      !status.ok())
    return status;
  const JsonView starts = table["startTime"], ends = table["endTime"], phases = table["phase"],
                 categories = table["category"], payloads = table["data"];
  const size_t known_categories = builder_.model().categories.size();
  if (absl::Status status = builder_.CountRows(names->size(), sizeof(ProfileMarker)); !status.ok()) return status;
  out->markers.reserve(names->size());
  for (size_t i = 0; i < names->size(); ++i) {
    const auto name = builder_.ReadString(names->At(i), names_path / i);
    if (!name.ok()) return name.status();
    const auto phase = ReadPhase(phases.At(i), phases_path / i);
    if (!phase.ok()) return phase.status();
    ProfileMarker marker;
    marker.name = *name;
    if (absl::Status status = builder_.CountName(*name); !status.ok()) return status;
    marker.phase = *phase;
    marker.start_ms = ReadTimeMs(starts.At(i));
    marker.end_ms = ReadTimeMs(ends.At(i));
    if (builder_.is_full()) {
      const auto data = marker_data_.Read(payloads.At(i), table_path / "data" / i);
      if (!data.ok()) return data.status();
      marker.data = *data;
      const int64_t category = categories.At(i).AsInteger().value_or(-1);
      if (category >= 0 && static_cast<size_t>(category) < known_categories) {
        marker.category = static_cast<int32_t>(category);
      }
    }
    out->markers.push_back(marker);
  }
  return absl::OkStatus();
}

}  // namespace geckoprof
