#include "tools/processed_format/shared_tables_writer.h"

#include <string_view>

#include "geckoprof/gecko_json/format_versions.h"
#include "tools/processed_format/json_column.h"

namespace geckoprof {
namespace {

void NumberOrNull(int64_t number, JsonWriter& writer) {
  if (number < 0) {
    writer.Null();
  } else {
    writer.Int(number);
  }
}

template <typename Rows>
void EndTable(const Rows& rows, JsonWriter& writer) {
  writer.UintProperty("length", rows.size());
  writer.EndObject();
}

void WriteStacks(const SharedTables& tables, int version, JsonWriter& writer) {
  using Stack = SharedTables::Stack;
  const std::vector<Stack>& rows = tables.stacks();
  writer.StartObjectProperty("stackTable");
  WriteColumn("frame", rows, writer, [&](const Stack& s) { writer.Int(s.frame); });
  if (version >= ProcessedVersion::kPrefixOffsets) {
    int32_t row = 0;
    WriteColumn("prefixOffset", rows, writer, [&](const Stack& s) {
      writer.Int(s.prefix < 0 ? 0 : row - s.prefix);
      ++row;
    });
  } else {
    WriteColumn("prefix", rows, writer, [&](const Stack& s) { IntOrNull(s.prefix, writer); });
  }
  EndTable(rows, writer);
}

void WriteFrames(const SharedTables& tables, int version, JsonWriter& writer) {
  using Frame = SharedTables::Frame;
  const std::vector<Frame>& rows = tables.frames();
  writer.StartObjectProperty("frameTable");
  WriteColumn("address", rows, writer, [&](const Frame& f) { writer.Int(f.address); });
  if (version >= ProcessedVersion::kFrameLibs)
    WriteColumn("lib", rows, writer, [&](const Frame& f) { writer.Int(f.lib); });
  WriteColumn("inlineDepth", rows, writer, [&](const Frame& f) { writer.Int(f.inline_depth); });
  WriteColumn("category", rows, writer, [&](const Frame& f) { IntOrNull(f.category, writer); });
  WriteColumn("subcategory", rows, writer,
              [&](const Frame& f) { IntOrNull(f.category < 0 ? SharedTables::kNoTableRow : f.subcategory, writer); });
  WriteColumn("func", rows, writer, [&](const Frame& f) { writer.Int(f.func); });
  WriteColumn("nativeSymbol", rows, writer, [&](const Frame& f) { IntOrNull(f.native_symbol, writer); });
  WriteColumn("innerWindowID", rows, writer, [&](const Frame& f) { NumberOrNull(f.inner_window_id, writer); });
  WriteColumn("line", rows, writer, [&](const Frame& f) { NumberOrNull(f.line, writer); });
  WriteColumn("column", rows, writer, [&](const Frame& f) { NumberOrNull(f.column, writer); });
  if (version >= ProcessedVersion::kOriginalLocations) {
    WriteColumn("originalLocation", rows, writer, [&](const Frame& f) { NumberOrNull(f.original_location, writer); });
  }
  EndTable(rows, writer);
}

void WriteFuncs(const SharedTables& tables, int version, JsonWriter& writer) {
  using Func = SharedTables::Func;
  const std::vector<Func>& rows = tables.funcs();
  writer.StartObjectProperty("funcTable");
  WriteColumn("name", rows, writer, [&](const Func& f) { writer.Uint(f.name); });
  WriteColumn("isJS", rows, writer, [&](const Func& f) { writer.Bool(f.is_js); });
  WriteColumn("relevantForJS", rows, writer, [&](const Func& f) { writer.Bool(f.relevant_for_js); });
  WriteColumn("resource", rows, writer, [&](const Func& f) { writer.Int(f.resource); });
  WriteColumn("source", rows, writer, [&](const Func& f) { IntOrNull(f.source, writer); });
  WriteColumn("lineNumber", rows, writer, [&](const Func& f) { NumberOrNull(f.line, writer); });
  WriteColumn("columnNumber", rows, writer, [&](const Func& f) { NumberOrNull(f.column, writer); });
  if (version >= ProcessedVersion::kOriginalLocations) {
    WriteColumn("originalLocation", rows, writer, [&](const Func& f) { NumberOrNull(f.original_location, writer); });
  }
  EndTable(rows, writer);
}

void WriteResources(const SharedTables& tables, int version, JsonWriter& writer) {
  using Resource = SharedTables::Resource;
  const std::vector<Resource>& rows = tables.resources();
  writer.StartObjectProperty("resourceTable");
  if (version < ProcessedVersion::kFrameLibs)
    WriteColumn("lib", rows, writer, [&](const Resource& r) { IntOrNull(r.lib, writer); });
  WriteColumn("name", rows, writer, [&](const Resource& r) { writer.Uint(r.name); });
  WriteColumn("host", rows, writer, [&](const Resource& r) { IntOrNull(r.host, writer); });
  WriteColumn("type", rows, writer, [&](const Resource& r) { writer.Int(r.type); });
  EndTable(rows, writer);
}

void WriteNativeSymbols(const SharedTables& tables, JsonWriter& writer) {
  using NativeSymbol = SharedTables::NativeSymbol;
  const std::vector<NativeSymbol>& rows = tables.native_symbols();
  writer.StartObjectProperty("nativeSymbols");
  WriteColumn("libIndex", rows, writer, [&](const NativeSymbol& s) { writer.Int(s.lib); });
  WriteColumn("address", rows, writer, [&](const NativeSymbol& s) { writer.Uint(s.address); });
  WriteColumn("name", rows, writer, [&](const NativeSymbol& s) { writer.Uint(s.name); });
  WriteColumn("functionSize", rows, writer,
              [&](const NativeSymbol& s) { s.size_bytes != 0 ? writer.Uint(s.size_bytes) : writer.Null(); });
  EndTable(rows, writer);
}

void WriteSources(const SharedTables& tables, int version, JsonWriter& writer) {
  using Source = SharedTables::Source;
  const std::vector<Source>& rows = tables.sources();
  writer.StartObjectProperty("sources");
  WriteColumn(version >= ProcessedVersion::kSourcePositions ? "id" : "uuid", rows, writer,
              [&](const Source& s) { s.id.empty() ? writer.Null() : writer.String(s.id); });
  WriteColumn("filename", rows, writer, [&](const Source& s) { writer.Uint(s.filename); });
  if (version >= ProcessedVersion::kSourcePositions) {
    WriteColumn("startLine", rows, writer, [&](const Source& s) { writer.Int(s.start_line); });
    WriteColumn("startColumn", rows, writer, [&](const Source& s) { writer.Int(s.start_column); });
    WriteColumn("sourceMapURL", rows, writer, [&](const Source& s) { IntOrNull(s.source_map_url, writer); });
  }
  if (version >= ProcessedVersion::kOriginalLocations) {
    WriteColumn("content", rows, writer,
                [&](const Source& s) { s.content_json.empty() ? writer.Null() : writer.Splice(s.content_json); });
  }
  EndTable(rows, writer);
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
