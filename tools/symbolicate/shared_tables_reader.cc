#include "tools/symbolicate/shared_tables_reader.h"

#include <algorithm>
#include <string>

#include "geckoprof/gecko_json/format_versions.h"
#include "tools/json/json_copy.h"
#include "tools/profile/model_builder.h"
#include "tools/symbolicate/library_symbols.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// Returns the number of a row, or none if it is null, negative or too large.
int32_t RowNumber(JsonView value, size_t rows) {
  const int64_t number = value.AsInteger().value_or(kNoTableRow);
  return number >= 0 && static_cast<uint64_t>(number) < rows ? static_cast<int32_t>(number) : kNoTableRow;
}

}  // namespace

absl::Status SharedTablesReader::CheckVersion() {
  const JsonView number = profile_["meta"]["preprocessedProfileVersion"];
  const int64_t version = number.AsInteger().value_or(number.NumberOr(0) > 0 ? INT64_MAX : 0);
  if (version < ProcessedVersion::kSharedTables || version > ProcessedVersion::kNewest) {
    return absl::InvalidArgumentError(
        Concat("processed format version ", TextOf(number), ": only ", ProcessedVersion::kSharedTables, " to ",
               ProcessedVersion::kNewest, " can be symbolicated",
               version < ProcessedVersion::kSharedTables ? " (open and save it in the viewer)" : ""));
  }
  version_ = static_cast<int>(version);
  return absl::OkStatus();
}

absl::Status SharedTablesReader::Load() {
  if (absl::Status status = CheckVersion(); !status.ok()) return status;
  const JsonPath path;
  if (!profile_["threads"].IsArray()) return FaultAt(path / "threads", "is missing or not an array");
  texts_ = shared_["stringArray"];
  strings_.assign(texts_.size(), kNoTableRow);
  for (size_t i = 0; i < profile_["libs"].size(); ++i) libs_.push_back(tables_.AddLib(ReadLib(profile_["libs"].At(i))));
  const JsonView frames = shared_["frameTable"];
  columns_ = {frames["address"],     frames["lib"],    frames["inlineDepth"],     frames["category"],
              frames["subcategory"], frames["func"],   frames["nativeSymbol"],    frames["innerWindowID"],
              frames["line"],        frames["column"], frames["originalLocation"]};
  func_names_ = shared_["funcTable"]["name"];
  func_resources_ = shared_["funcTable"]["resource"];
  resource_libs_ = shared_["resourceTable"]["lib"];
  LoadSources();
  return absl::OkStatus();
}

// All of them, in their order: places in generated code refer to them.
void SharedTablesReader::LoadSources() {
  const JsonView sources = shared_["sources"];
  for (size_t i = 0; i < sources["filename"].size(); ++i) {
    SharedTables::Source source{Text(sources["filename"].At(i)), "", 1, 1, kNoTableRow, ""};
    source.id = version_ >= ProcessedVersion::kSourcePositions ? sources["id"].At(i).AsString()
                                                               : sources["uuid"].At(i).AsString();
    source.start_line = sources["startLine"].At(i).AsInteger().value_or(1);
    source.start_column = sources["startColumn"].At(i).AsInteger().value_or(1);
    source.source_map_url = String(sources["sourceMapURL"].At(i));
    if (const JsonView content = sources["content"].At(i); !content.IsNull()) source.content_json = JsonText(content);
    sources_.push_back(tables_.AddSource(source));
  }
}

absl::Status SharedTablesReader::LoadStacks(FramesOf frames_of) {
  const JsonPath path, shared_path = path / "shared", table_path = shared_path / "stackTable";
  const JsonView table = shared_["stackTable"], rows = table["frame"], offsets = table["prefixOffset"],
                 prefixes = table["prefix"];
  if (!rows.IsArray()) return FaultAt(table_path / "frame", "is missing or not an array");
  const JsonPath frames_path = table_path / "frame", prefixes_path = table_path / "prefix";
  stacks_.assign(rows.size(), kNoTableRow);
  for (size_t i = 0; i < rows.size(); ++i) {
    const int32_t frame = RowNumber(rows.At(i), frames());
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
    const auto made = frames_of(static_cast<size_t>(frame), prefix < 0);
    if (!made.ok()) return made.status();
    int32_t stack = prefix < 0 ? kNoTableRow : stacks_[static_cast<size_t>(prefix)];
    for (const int32_t row : *made) stack = tables_.AddStack(stack, row);
    stacks_[i] = stack;
  }
  return absl::OkStatus();
}

SharedTables::Frame SharedTablesReader::PlaceOf(size_t frame) const {
  SharedTables::Frame place;
  place.address = NumberOrNone(columns_.address.At(frame));
  place.lib = LibOf(frame);
  place.inline_depth = static_cast<int32_t>(std::max<int64_t>(columns_.depth.At(frame).AsInteger().value_or(0), 0));
  place.category = static_cast<int32_t>(NumberOrNone(columns_.category.At(frame)));
  place.subcategory = static_cast<int32_t>(columns_.subcategory.At(frame).AsInteger().value_or(0));
  place.inner_window_id = NumberOrNone(columns_.window.At(frame));
  return place;
}

absl::Status SharedTablesReader::Complete(size_t frame, SharedTables::Frame* place) {
  const int32_t func = RowNumber(columns_.func.At(frame), func_names_.size());
  if (func == kNoTableRow) {
    const JsonPath path, shared_path = path / "shared", table_path = shared_path / "frameTable",
                         funcs_path = table_path / "func";
    return FaultAt(funcs_path / frame, "is no row of the function table");
  }
  place->func = MapFunc(static_cast<size_t>(func));
  place->native_symbol = MapNativeSymbol(columns_.native_symbol.At(frame));
  place->line = NumberOrNone(columns_.line.At(frame));
  place->column = NumberOrNone(columns_.column.At(frame));
  place->original_location = MapLocation(columns_.location.At(frame));
  return absl::OkStatus();
}

std::string_view SharedTablesReader::FunctionName(size_t frame) const {
  const auto func = static_cast<size_t>(RowNumber(columns_.func.At(frame), func_names_.size()));
  const int32_t name = RowNumber(func_names_.At(func), texts_.size());
  return name == kNoTableRow ? std::string_view() : texts_.At(static_cast<size_t>(name)).AsString();
}

int32_t SharedTablesReader::LibOf(size_t frame) const {
  if (columns_.lib.IsArray()) return MapLib(columns_.lib.At(frame));
  const int32_t func = RowNumber(columns_.func.At(frame), func_resources_.size());
  if (func == kNoTableRow) return kNoTableRow;
  const int32_t resource = RowNumber(func_resources_.At(static_cast<size_t>(func)), resource_libs_.size());
  return resource == kNoTableRow ? kNoTableRow : MapLib(resource_libs_.At(static_cast<size_t>(resource)));
}

int32_t SharedTablesReader::MapLib(JsonView number) const {
  const int32_t row = RowNumber(number, libs_.size());
  return row == kNoTableRow ? kNoTableRow : libs_[static_cast<size_t>(row)];
}

int32_t SharedTablesReader::String(JsonView number) {
  const int32_t row = RowNumber(number, strings_.size());
  if (row == kNoTableRow) return kNoTableRow;
  int32_t& string = strings_[static_cast<size_t>(row)];
  if (string == kNoTableRow) {
    string = static_cast<int32_t>(tables_.String(texts_.At(static_cast<size_t>(row)).AsString()));
  }
  return string;
}

// The empty text stands for one that is missing.
uint32_t SharedTablesReader::Text(JsonView number) {
  const int32_t string = String(number);
  return string == kNoTableRow ? tables_.String("") : static_cast<uint32_t>(string);
}

int32_t SharedTablesReader::MapFunc(size_t func) {
  const JsonView table = shared_["funcTable"];
  SharedTables::Func made{Text(func_names_.At(func))};
  made.resource = MapResource(func_resources_.At(func));
  made.source = MapSource(table["source"].At(func));
  made.line = NumberOrNone(table["lineNumber"].At(func));
  made.column = NumberOrNone(table["columnNumber"].At(func));
  made.original_location = MapLocation(table["originalLocation"].At(func));
  made.is_js = table["isJS"].At(func).IsTrue();
  made.relevant_for_js = table["relevantForJS"].At(func).IsTrue();
  return tables_.AddFunc(made);
}

int32_t SharedTablesReader::MapResource(JsonView number) {
  const JsonView table = shared_["resourceTable"];
  const int32_t row = RowNumber(number, table["name"].size());
  if (row == kNoTableRow) return kNoTableRow;
  const auto at = static_cast<size_t>(row);
  SharedTables::Resource made{Text(table["name"].At(at)), MapLib(resource_libs_.At(at)), kNoTableRow, 0};
  made.host = String(table["host"].At(at));
  made.type = static_cast<int>(table["type"].At(at).AsInteger().value_or(0));
  return tables_.AddResource(made);
}

int32_t SharedTablesReader::MapSource(JsonView number) const {
  const int32_t row = RowNumber(number, sources_.size());
  return row == kNoTableRow ? kNoTableRow : sources_[static_cast<size_t>(row)];
}

int32_t SharedTablesReader::MapNativeSymbol(JsonView number) {
  const JsonView table = shared_["nativeSymbols"];
  const int32_t row = RowNumber(number, table["libIndex"].size());
  if (row == kNoTableRow) return kNoTableRow;
  const auto at = static_cast<size_t>(row);
  const int32_t lib = MapLib(table["libIndex"].At(at));
  const int64_t address = table["address"].At(at).AsInteger().value_or(kNoTableRow);
  const int64_t size_bytes = table["functionSize"].At(at).AsInteger().value_or(0);
  if (lib == kNoTableRow || address < 0) return kNoTableRow;
  return tables_.AddNativeSymbol({lib, static_cast<uint64_t>(address),
                                  static_cast<uint64_t>(std::max<int64_t>(size_bytes, 0)), Text(table["name"].At(at))});
}

int64_t SharedTablesReader::MapLocation(JsonView number) const {
  const int64_t row = NumberOrNone(number);
  return row == kNoTableRow ? row : row + first_location_;
}

int32_t SharedTablesReader::Stack(JsonView number) const {
  const int32_t row = RowNumber(number, stacks_.size());
  return row == kNoTableRow ? kNoTableRow : stacks_[static_cast<size_t>(row)];
}

void SharedTablesReader::VisitLocations(
    absl::FunctionRef<void(int32_t source, JsonView line, JsonView column)> visit) const {
  const JsonView table = shared_["sourceLocationTable"], sources = table["source"];
  for (size_t i = 0; i < sources.size(); ++i) {
    visit(std::max(MapSource(sources.At(i)), 0), table["line"].At(i), table["column"].At(i));
  }
}

void WriteSourceLocations(std::span<const SharedTablesReader* const> readers, JsonWriter& writer) {
  const auto write = [&](const char* name, const auto& write_cell) {
    writer.StartArrayProperty(name);
    for (const SharedTablesReader* const reader : readers) reader->VisitLocations(write_cell);
    writer.EndArray();
  };
  size_t rows = 0;
  for (const SharedTablesReader* const reader : readers) rows += reader->locations();
  writer.StartObjectProperty("sourceLocationTable");
  write("source", [&](int32_t source, JsonView, JsonView) { writer.Int(source); });
  write("line", [&](int32_t, JsonView line, JsonView) { CopyJson(line, writer); });
  write("column", [&](int32_t, JsonView, JsonView column) { CopyJson(column, writer); });
  writer.UintProperty("length", rows);
  writer.EndObject();
}

}  // namespace geckoprof
