#include "tools/processed_format/shared_tables_writer.h"

#include <functional>
#include <string_view>
#include <vector>

#include "geckoprof/gecko_json/format_versions.h"
#include "tools/processed_format/json_column.h"

namespace geckoprof {
namespace {

// Table writes one table. Columns are named after what is written, and made from a member of the rows or a function.
template <typename Row>
class Table {
 public:
  Table(std::string_view name, const std::vector<Row>& rows, JsonWriter& writer) : rows_(rows), writer_(writer) {
    writer_.StartObjectProperty(name);
  }
  ~Table() {
    writer_.UintProperty("length", rows_.size());
    writer_.EndObject();
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  template <typename NumberOf>
  void Numbers(std::string_view name, const NumberOf& number_of) {
    Write(name, [&](const Row& row) { return JsonNumber::Int(int64_t{std::invoke(number_of, row)}); });
  }
  // Negative numbers become null.
  template <typename NumberOf>
  void OptionalNumbers(std::string_view name, const NumberOf& number_of) {
    Write(name, [&](const Row& row) { return RowCell(std::invoke(number_of, row)); });
  }
  template <typename WriteCell>
  void Values(std::string_view name, const WriteCell& write_cell) {
    writer_.StartArrayProperty(name);
    for (const Row& row : rows_) write_cell(row);
    writer_.EndArray();
  }

 private:
  template <typename Cell>
  void Write(std::string_view name, const Cell& cell) {
    WriteNumbers(
        name, rows_.size(),
        [&](size_t first_row, std::span<JsonNumber> cells) { FillFromRows(rows_, first_row, cells, cell); }, writer_);
  }

  const std::vector<Row>& rows_;
  JsonWriter& writer_;
};

void WriteStacks(const SharedTables& tables, int version, JsonWriter& writer) {
  using Stack = SharedTables::Stack;
  Table<Stack> table("stackTable", tables.stacks(), writer);
  table.Numbers("frame", &Stack::frame);
  if (version >= ProcessedVersion::kPrefixOffsets) {
    const Stack* const first = tables.stacks().data();
    table.Numbers("prefixOffset", [&](const Stack& s) { return s.prefix < 0 ? 0 : &s - first - s.prefix; });
  } else {
    table.OptionalNumbers("prefix", &Stack::prefix);
  }
}

void WriteFrames(const SharedTables& tables, int version, JsonWriter& writer) {
  using Frame = SharedTables::Frame;
  Table<Frame> table("frameTable", tables.frames(), writer);
  table.Numbers("address", &Frame::address);
  if (version >= ProcessedVersion::kFrameLibs) table.Numbers("lib", &Frame::lib);
  table.Numbers("inlineDepth", &Frame::inline_depth);
  table.OptionalNumbers("category", &Frame::category);
  table.OptionalNumbers("subcategory",
                        [](const Frame& f) { return f.category < 0 ? SharedTables::kNoTableRow : f.subcategory; });
  table.Numbers("func", &Frame::func);
  table.OptionalNumbers("nativeSymbol", &Frame::native_symbol);
  table.OptionalNumbers("innerWindowID", &Frame::inner_window_id);
  table.OptionalNumbers("line", &Frame::line);
  table.OptionalNumbers("column", &Frame::column);
  if (version >= ProcessedVersion::kOriginalLocations) {
    table.OptionalNumbers("originalLocation", &Frame::original_location);
  }
}

void WriteFuncs(const SharedTables& tables, int version, JsonWriter& writer) {
  using Func = SharedTables::Func;
  Table<Func> table("funcTable", tables.funcs(), writer);
  table.Numbers("name", &Func::name);
  table.Values("isJS", [&](const Func& f) { writer.Bool(f.is_js); });
  table.Values("relevantForJS", [&](const Func& f) { writer.Bool(f.relevant_for_js); });
  table.Numbers("resource", &Func::resource);
  table.OptionalNumbers("source", &Func::source);
  table.OptionalNumbers("lineNumber", &Func::line);
  table.OptionalNumbers("columnNumber", &Func::column);
  if (version >= ProcessedVersion::kOriginalLocations) {
    table.OptionalNumbers("originalLocation", &Func::original_location);
  }
}

void WriteResources(const SharedTables& tables, int version, JsonWriter& writer) {
  using Resource = SharedTables::Resource;
  Table<Resource> table("resourceTable", tables.resources(), writer);
  if (version < ProcessedVersion::kFrameLibs) table.OptionalNumbers("lib", &Resource::lib);
  table.Numbers("name", &Resource::name);
  table.OptionalNumbers("host", &Resource::host);
  table.Numbers("type", &Resource::type);
}

void WriteNativeSymbols(const SharedTables& tables, JsonWriter& writer) {
  using NativeSymbol = SharedTables::NativeSymbol;
  Table<NativeSymbol> table("nativeSymbols", tables.native_symbols(), writer);
  table.Numbers("libIndex", &NativeSymbol::lib);
  table.Values("address", [&](const NativeSymbol& s) { writer.Uint(s.address); });
  table.Numbers("name", &NativeSymbol::name);
  table.Values("functionSize",
               [&](const NativeSymbol& s) { s.size_bytes != 0 ? writer.Uint(s.size_bytes) : writer.Null(); });
}

void WriteSources(const SharedTables& tables, int version, JsonWriter& writer) {
  using Source = SharedTables::Source;
  Table<Source> table("sources", tables.sources(), writer);
  table.Values(version >= ProcessedVersion::kSourcePositions ? "id" : "uuid",
               [&](const Source& s) { s.id.empty() ? writer.Null() : writer.String(s.id); });
  table.Numbers("filename", &Source::filename);
  if (version >= ProcessedVersion::kSourcePositions) {
    table.Numbers("startLine", &Source::start_line);
    table.Numbers("startColumn", &Source::start_column);
    table.OptionalNumbers("sourceMapURL", &Source::source_map_url);
  }
  if (version >= ProcessedVersion::kOriginalLocations) {
    table.Values("content",
                 [&](const Source& s) { s.content_json.empty() ? writer.Null() : writer.Splice(s.content_json); });
  }
}

}  // namespace

void WriteLibs(const SharedTables& tables, JsonWriter& writer) {
  writer.StartArrayProperty("libs");
  for (const SharedTables::Lib& lib : tables.libs()) {
    writer.StartObject();
    writer.StringProperty("arch", lib.arch);
    writer.StringProperty("name", lib.name);
    writer.StringProperty("path", lib.path);
    writer.StringProperty("debugName", lib.debug_name);
    writer.StringProperty("debugPath", lib.debug_path);
    writer.StringProperty("breakpadId", lib.breakpad_id);
    if (lib.code_id.empty()) {
      writer.NullProperty("codeId");
    } else {
      writer.StringProperty("codeId", lib.code_id);
    }
    writer.EndObject();
  }
  writer.EndArray();
}

void WriteSharedTables(const SharedTables& tables, int version, JsonWriter& writer) {
  WriteStacks(tables, version, writer);
  WriteFrames(tables, version, writer);
  WriteFuncs(tables, version, writer);
  WriteResources(tables, version, writer);
  WriteNativeSymbols(tables, writer);
  WriteSources(tables, version, writer);
  writer.StartArrayProperty("stringArray");
  for (const std::string_view text : tables.first_strings()) writer.String(text);
  for (uint32_t i = 0; i < tables.more_strings().size(); ++i) writer.String(tables.more_strings().At(i));
  writer.EndArray();
}

}  // namespace geckoprof
