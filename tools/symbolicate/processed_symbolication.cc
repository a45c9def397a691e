#include "tools/symbolicate/processed_symbolication.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "geckoprof/gecko_json/format_versions.h"
#include "tools/json/json_copy.h"
#include "tools/json/json_document.h"
#include "tools/processed_format/shared_tables.h"
#include "tools/profile/model_builder.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

std::vector<std::string_view> StringsOf(JsonView array) {
  std::vector<std::string_view> strings;
  strings.reserve(array.size());
  for (size_t i = 0; i < array.size(); ++i) strings.push_back(array.At(i).AsString());
  return strings;
}

// A row's number; none if it is null, negative or too large.
int32_t RowNumber(JsonView value, size_t rows) {
  const int64_t number = value.AsInteger().value_or(kNoTableRow);
  return number >= 0 && static_cast<uint64_t>(number) < rows ? static_cast<int32_t>(number) : kNoTableRow;
}

std::optional<uint64_t> HexAddress(std::string_view name) {
  uint64_t address = 0;
  if (!name.starts_with("0x")) return std::nullopt;
  const auto [end, error] = std::from_chars(name.data() + 2, name.data() + name.size(), address, 16);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return address;
}

}  // namespace

ProcessedSymbolication::ProcessedSymbolication(JsonView profile, Symbolizer* symbolizer, const JitMap* jit_map,
                                               SourcePaths* sources)
    : profile_(profile),
      shared_(profile["shared"]),
      tables_(StringsOf(profile["shared"]["stringArray"])),
      symbols_(symbolizer, tables_, jit_map, sources) {}

absl::Status ProcessedSymbolication::Load() {
  const JsonPath path;
  const JsonView number = profile_["meta"]["preprocessedProfileVersion"];
  const int64_t version = number.AsInteger().value_or(number.NumberOr(0) > 0 ? INT64_MAX : 0);
  if (version < ProcessedVersion::kSharedTables || version > ProcessedVersion::kNewest) {
    return absl::InvalidArgumentError(
        Concat("processed format version ", TextOf(number), ": only ", ProcessedVersion::kSharedTables, " to ",
               ProcessedVersion::kNewest, " can be symbolicated",
               version < ProcessedVersion::kSharedTables ? " (open and save it in the viewer)" : ""));
  }
  version_ = static_cast<int>(version);
  if (!profile_["threads"].IsArray()) return FaultAt(path / "threads", "is missing or not an array");
  for (size_t i = 0; i < profile_["libs"].size(); ++i) libs_.push_back(tables_.AddLib(ReadLib(profile_["libs"].At(i))));
  const JsonView frames = shared_["frameTable"];
  columns_ = {frames["address"],     frames["lib"],    frames["inlineDepth"],     frames["category"],
              frames["subcategory"], frames["func"],   frames["nativeSymbol"],    frames["innerWindowID"],
              frames["line"],        frames["column"], frames["originalLocation"]};
  func_names_ = shared_["funcTable"]["name"];
  func_resources_ = shared_["funcTable"]["resource"];
  resource_libs_ = shared_["resourceTable"]["lib"];
  frames_.resize(columns_.func.size());
  for (size_t i = 0; i < shared_["sources"]["filename"].size(); ++i) {
    // All of them, in their order: places in generated code refer to them.
    const JsonView sources = shared_["sources"];
    SharedTables::Source source{MapString(sources["filename"].At(i)), "", 1, 1, kNoTableRow, ""};
    source.id = version_ >= ProcessedVersion::kSourcePositions ? sources["id"].At(i).AsString()
                                                               : sources["uuid"].At(i).AsString();
    source.start_line = sources["startLine"].At(i).AsInteger().value_or(1);
    source.start_column = sources["startColumn"].At(i).AsInteger().value_or(1);
    source.source_map_url = RowNumber(sources["sourceMapURL"].At(i), tables_.first_strings().size());
    if (const JsonView content = sources["content"].At(i); !content.IsNull()) {
      JsonWriter writer(StringSink(&source.content_json));
      CopyJson(content, writer);
      if (!writer.Finish()) source.content_json.clear();
    }
    sources_.push_back(tables_.AddSource(source));
  }
  if (absl::Status status = LoadStacks(); !status.ok()) return status;
  return CheckSamples();
}

absl::Status ProcessedSymbolication::CheckSamples() const {
  const JsonPath path, threads_path = path / "threads";
  const JsonView threads = profile_["threads"];
  for (size_t thread = 0; thread < threads.size(); ++thread) {
    const JsonPath thread_path = threads_path / thread, samples_path = thread_path / "samples",
                   stacks_path = samples_path / "stack";
    const JsonView stacks = threads.At(thread)["samples"]["stack"];
    for (size_t i = 0; i < stacks.size(); ++i) {
      if (!stacks.At(i).IsNull() && RowNumber(stacks.At(i), stacks_.size()) == kNoTableRow) {
        return FaultAt(stacks_path / i, "is no row of the stack table");
      }
    }
  }
  return absl::OkStatus();
}

absl::Status ProcessedSymbolication::LoadStacks() {
  const JsonPath path, shared_path = path / "shared", table_path = shared_path / "stackTable";
  const JsonView table = shared_["stackTable"], rows = table["frame"], offsets = table["prefixOffset"],
                 prefixes = table["prefix"];
  if (!rows.IsArray()) return FaultAt(table_path / "frame", "is missing or not an array");
  const JsonPath frames_path = table_path / "frame", prefixes_path = table_path / "prefix";
  stacks_.assign(rows.size(), kNoTableRow);
  for (size_t i = 0; i < rows.size(); ++i) {
    const int32_t frame = RowNumber(rows.At(i), frames_.size());
    if (frame == kNoTableRow) return FaultAt(frames_path / i, "is no row of the frame table");
    // Only earlier rows are callers, so no chain comes back to where it started.
    int64_t prefix = kNoTableRow;
    if (offsets.IsArray()) {
      const int64_t distance = offsets.At(i).AsInteger().value_or(0);
      if (distance != 0) prefix = static_cast<int64_t>(i) - distance;
      if (distance < 0 || (distance != 0 && prefix < 0)) return FaultAt(prefixes_path / i, "is no earlier row");
    } else {
      prefix = NumberOrNone(prefixes.At(i));
      if (prefix < kNoTableRow || prefix >= static_cast<int64_t>(i))
        return FaultAt(prefixes_path / i, "is no earlier row");
    }
    if (absl::Status status = LoadFrame(static_cast<size_t>(frame)); !status.ok()) return status;
    int32_t stack = prefix < 0 ? kNoTableRow : stacks_[static_cast<size_t>(prefix)];
    for (const int32_t row : frames_[static_cast<size_t>(frame)].rows) stack = tables_.AddStack(stack, row);
    stacks_[i] = stack;
  }
  return absl::OkStatus();
}

absl::Status ProcessedSymbolication::LoadFrame(size_t frame) {
  Frame& made = frames_[frame];
  if (made.is_known) return absl::OkStatus();
  made.is_known = true;
  const JsonPath path, shared_path = path / "shared", table_path = shared_path / "frameTable",
                       funcs_path = table_path / "func";
  const int32_t func = RowNumber(columns_.func.At(frame), func_names_.size());
  if (func == kNoTableRow) return FaultAt(funcs_path / frame, "is no row of the function table");
  SharedTables::Frame plain = PlainFrame(frame);
  if (plain.lib != kNoTableRow && plain.address >= 0) {
    if (plain.inline_depth == 0) {
      if (symbols_.Append(plain, &made.rows)) return absl::OkStatus();
    } else {
      // What was inlined is told anew with the function around it.
      std::vector<int32_t> rows;
      SharedTables::Frame outer = plain;
      outer.inline_depth = 0;
      if (symbols_.Append(outer, &rows)) return absl::OkStatus();
    }
  }
  plain.func = MapFunc(static_cast<size_t>(func));
  plain.native_symbol = MapNativeSymbol(columns_.native_symbol.At(frame));
  plain.line = NumberOrNone(columns_.line.At(frame));
  plain.column = NumberOrNone(columns_.column.At(frame));
  plain.original_location = NumberOrNone(columns_.location.At(frame));
  if (plain.lib == kNoTableRow) {
    // Code without a name has its address in the frame, in our profiles, or in the name.
    const auto name = RowNumber(func_names_.At(static_cast<size_t>(func)), tables_.first_strings().size());
    std::optional<uint64_t> avma;
    if (plain.address >= 0) {
      avma = static_cast<uint64_t>(plain.address);
    } else if (name != kNoTableRow) {
      avma = HexAddress(tables_.first_strings()[static_cast<size_t>(name)]);
    }
    const std::string_view found = avma.has_value() ? symbols_.MadeCodeOfOption(*avma) : std::string_view();
    if (!found.empty()) plain.func = tables_.AddFunc({tables_.String(found)});
    if (!found.empty()) plain.address = kNoTableRow;
  }
  made.rows.push_back(tables_.AddFrame(plain));
  return absl::OkStatus();
}

SharedTables::Frame ProcessedSymbolication::PlainFrame(size_t frame) const {
  SharedTables::Frame plain;
  plain.address = NumberOrNone(columns_.address.At(frame));
  plain.lib = LibOf(frame);
  plain.inline_depth = static_cast<int32_t>(std::max<int64_t>(columns_.depth.At(frame).AsInteger().value_or(0), 0));
  plain.category = static_cast<int32_t>(NumberOrNone(columns_.category.At(frame)));
  plain.subcategory = static_cast<int32_t>(columns_.subcategory.At(frame).AsInteger().value_or(0));
  plain.inner_window_id = NumberOrNone(columns_.window.At(frame));
  return plain;
}

int32_t ProcessedSymbolication::LibOf(size_t frame) const {
  if (columns_.lib.IsArray()) return MapLib(columns_.lib.At(frame));
  const int32_t func = RowNumber(columns_.func.At(frame), func_resources_.size());
  if (func == kNoTableRow) return kNoTableRow;
  const int32_t resource = RowNumber(func_resources_.At(static_cast<size_t>(func)), resource_libs_.size());
  return resource == kNoTableRow ? kNoTableRow : MapLib(resource_libs_.At(static_cast<size_t>(resource)));
}

int32_t ProcessedSymbolication::MapLib(JsonView number) const {
  const int32_t row = RowNumber(number, libs_.size());
  return row == kNoTableRow ? kNoTableRow : libs_[static_cast<size_t>(row)];
}

uint32_t ProcessedSymbolication::MapString(JsonView number) const {
  const int32_t row = RowNumber(number, tables_.first_strings().size());
  return row == kNoTableRow ? 0 : static_cast<uint32_t>(row);
}

int32_t ProcessedSymbolication::MapFunc(size_t func) {
  const JsonView table = shared_["funcTable"];
  SharedTables::Func made{MapString(func_names_.At(func))};
  made.resource = MapResource(func_resources_.At(func));
  made.source = MapSource(table["source"].At(func));
  made.line = NumberOrNone(table["lineNumber"].At(func));
  made.column = NumberOrNone(table["columnNumber"].At(func));
  made.original_location = NumberOrNone(table["originalLocation"].At(func));
  made.is_js = table["isJS"].At(func).IsTrue();
  made.relevant_for_js = table["relevantForJS"].At(func).IsTrue();
  return tables_.AddFunc(made);
}

int32_t ProcessedSymbolication::MapResource(JsonView number) {
  const JsonView table = shared_["resourceTable"];
  const int32_t row = RowNumber(number, table["name"].size());
  if (row == kNoTableRow) return kNoTableRow;
  const auto at = static_cast<size_t>(row);
  SharedTables::Resource made{MapString(table["name"].At(at)), MapLib(resource_libs_.At(at)), kNoTableRow, 0};
  made.host = RowNumber(table["host"].At(at), tables_.first_strings().size());
  made.type = static_cast<int>(table["type"].At(at).AsInteger().value_or(0));
  return tables_.AddResource(made);
}

int32_t ProcessedSymbolication::MapSource(JsonView number) {
  const int32_t row = RowNumber(number, sources_.size());
  return row == kNoTableRow ? kNoTableRow : sources_[static_cast<size_t>(row)];
}

int32_t ProcessedSymbolication::MapNativeSymbol(JsonView number) {
  const JsonView table = shared_["nativeSymbols"];
  const int32_t row = RowNumber(number, table["libIndex"].size());
  if (row == kNoTableRow) return kNoTableRow;
  const auto at = static_cast<size_t>(row);
  const int32_t lib = MapLib(table["libIndex"].At(at));
  const int64_t address = table["address"].At(at).AsInteger().value_or(kNoTableRow);
  const int64_t size_bytes = table["functionSize"].At(at).AsInteger().value_or(0);
  if (lib == kNoTableRow || address < 0) return kNoTableRow;
  return tables_.AddNativeSymbol({lib, static_cast<uint64_t>(address),
                                  static_cast<uint64_t>(std::max<int64_t>(size_bytes, 0)),
                                  MapString(table["name"].At(at))});
}

void ProcessedSymbolication::Write(JsonWriter& writer) {
  writer.StartObject();
  profile_.ForEachMember([&](std::string_view key, JsonView value) {
    if (key == "libs") return WriteLibs(tables_, writer);
    writer.Key(key);
    if (key == "meta") {
      WriteMeta(writer);
    } else if (key == "threads") {
      writer.StartArray();
      for (size_t i = 0; i < value.size(); ++i) WriteThread(value.At(i), writer);
      writer.EndArray();
    } else if (key == "shared") {
      writer.StartObject();
      WriteSharedTables(tables_, version_, writer);
      if (version_ >= ProcessedVersion::kOriginalLocations) WriteSourceLocations(writer);
      writer.EndObject();
    } else {
      CopyJson(value, writer);
    }
  });
  writer.EndObject();
}

void ProcessedSymbolication::WriteSourceLocations(JsonWriter& writer) const {
  const JsonView table = shared_["sourceLocationTable"], sources = table["source"];
  writer.StartObjectProperty("sourceLocationTable");
  writer.StartArrayProperty("source");
  for (size_t i = 0; i < sources.size(); ++i) {
    const int32_t row = RowNumber(sources.At(i), sources_.size());
    writer.Int(row == kNoTableRow ? 0 : sources_[static_cast<size_t>(row)]);
  }
  writer.EndArray();
  for (const std::string_view column : {"line", "column"}) {
    writer.StartArrayProperty(column);
    for (size_t i = 0; i < sources.size(); ++i) CopyJson(table[column].At(i), writer);
    writer.EndArray();
  }
  writer.UintProperty("length", sources.size());
  writer.EndObject();
}

void ProcessedSymbolication::WriteMeta(JsonWriter& writer) const {
  writer.StartObject();
  profile_["meta"].ForEachMember([&](std::string_view key, JsonView value) {
    if (key == "symbolicated") return;
    writer.Key(key);
    CopyJson(value, writer);
  });
  writer.BoolProperty("symbolicated", symbols_.looks_up() || profile_["meta"]["symbolicated"].IsTrue());
  writer.EndObject();
}

void ProcessedSymbolication::WriteThread(JsonView thread, JsonWriter& writer) const {
  if (!thread.IsObject()) return CopyJson(thread, writer);
  writer.StartObject();
  thread.ForEachMember([&](std::string_view key, JsonView value) {
    writer.Key(key);
    if (key == "samples" || key == "jsAllocations" || key == "nativeAllocations") {
      WriteStackTable(value, writer);
    } else if (key == "markers") {
      WriteMarkers(value, writer);
    } else {
      CopyJson(value, writer);
    }
  });
  writer.EndObject();
}

int32_t ProcessedSymbolication::NewStack(JsonView stack) const {
  const int32_t row = RowNumber(stack, stacks_.size());
  return row == kNoTableRow ? kNoTableRow : stacks_[static_cast<size_t>(row)];
}

void ProcessedSymbolication::WriteStackTable(JsonView table, JsonWriter& writer) const {
  if (!table.IsObject()) return CopyJson(table, writer);
  writer.StartObject();
  table.ForEachMember([&](std::string_view key, JsonView value) {
    writer.Key(key);
    if (key != "stack" || !value.IsArray()) return CopyJson(value, writer);
    writer.StartArray();
    for (size_t i = 0; i < value.size(); ++i) writer.Number(RowCell(NewStack(value.At(i))));
    writer.EndArray();
  });
  writer.EndObject();
}

void ProcessedSymbolication::WriteMarkers(JsonView markers, JsonWriter& writer) const {
  if (!markers.IsObject()) return CopyJson(markers, writer);
  writer.StartObject();
  markers.ForEachMember([&](std::string_view key, JsonView value) {
    writer.Key(key);
    if (key != "data" || !value.IsArray()) return CopyJson(value, writer);
    writer.StartArray();
    for (size_t i = 0; i < value.size(); ++i) WriteMarkerData(value.At(i), writer);
    writer.EndArray();
  });
  writer.EndObject();
}

void ProcessedSymbolication::WriteMarkerData(JsonView data, JsonWriter& writer) const {
  if (!data.IsObject()) return CopyJson(data, writer);
  writer.StartObject();
  data.ForEachMember([&](std::string_view key, JsonView value) {
    writer.Key(key);
    if (key != "cause" || !value.IsObject()) return CopyJson(value, writer);
    writer.StartObject();
    value.ForEachMember([&](std::string_view name, JsonView part) {
      writer.Key(name);
      if (name == "stack") {
        writer.Number(RowCell(tables_.WithoutInnermostMarkingCode(NewStack(part))));
      } else {
        CopyJson(part, writer);
      }
    });
    writer.EndObject();
  });
  writer.EndObject();
}

}  // namespace geckoprof
