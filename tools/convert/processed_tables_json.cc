#include <iterator>

#include "geckoprof/streaming/gecko_text.h"
#include "tools/convert/json_column.h"
#include "tools/convert/processed_tables.h"

namespace geckoprof {
namespace {

constexpr int kResourceIsLibrary = 1;

}  // namespace

void ProcessedTables::WriteLibs(JsonWriter& writer) const {
  writer.StartArrayProperty("libs");
  for (const Lib& lib : libs_) {
    const std::string_view path = LibraryPathText(lib.row->path);
    const std::string_view name = PathBaseName(path);
    writer.StartObject();
    writer.StringProperty("arch", "");
    writer.StringProperty("name", name);
    writer.StringProperty("path", path);
    writer.StringProperty("debugName", name);
    writer.StringProperty("debugPath", path);
    writer.StringProperty("breakpadId", BreakpadId(lib.row->build_id));
    if (lib.row->build_id.empty()) {
      writer.NullProperty("codeId");
    } else {
      writer.StringProperty("codeId", CodeId(lib.row->build_id));
    }
    writer.EndObject();
  }
  writer.EndArray();
}

void ProcessedTables::WriteShared(JsonWriter& writer) const {
  // The resource names join the string table, which is const from here on.
  UniqueStrings strings = strings_;
  std::vector<uint32_t> resource_names;
  for (const Lib& lib : libs_) resource_names.push_back(strings.Intern(PathBaseName(LibraryPathText(lib.row->path))));

  writer.StartObjectProperty("shared");
  writer.StartObjectProperty("stackTable");
  WriteColumn("frame", stacks_, writer, [&](const auto& stack) { writer.Int(stack.second); });
  WriteColumn("prefix", stacks_, writer, [&](const auto& stack) { IntOrNull(stack.first, writer); });
  writer.UintProperty("length", stacks_.size());
  writer.EndObject();

  writer.StartObjectProperty("frameTable");
  const auto null = [&](const auto&) { writer.Null(); };
  WriteColumn("address", frames_, writer, [&](const Frame& f) { writer.Int(f.address); });
  WriteColumn("inlineDepth", frames_, writer, [&](const Frame&) { writer.Int(0); });
  WriteColumn("category", frames_, writer, [&](const Frame& f) { IntOrNull(f.category, writer); });
  WriteColumn("subcategory", frames_, writer,
              [&](const Frame& f) { IntOrNull(f.category < 0 ? kNone : f.subcategory, writer); });
  WriteColumn("func", frames_, writer, [&](const Frame& f) { writer.Int(f.func); });
  WriteColumn("nativeSymbol", frames_, writer, [&](const Frame& f) { IntOrNull(f.native_symbol, writer); });
  for (std::string_view column : {"innerWindowID", "line", "column"}) WriteColumn(column, frames_, writer, null);
  writer.UintProperty("length", frames_.size());
  writer.EndObject();

  writer.StartObjectProperty("funcTable");
  const auto no = [&](const Func&) { writer.Bool(false); };
  WriteColumn("name", funcs_, writer, [&](const Func& f) { writer.Uint(f.name); });
  WriteColumn("isJS", funcs_, writer, no);
  WriteColumn("relevantForJS", funcs_, writer, no);
  WriteColumn("resource", funcs_, writer, [&](const Func& f) { writer.Int(f.resource); });
  for (std::string_view column : {"source", "lineNumber", "columnNumber"}) WriteColumn(column, funcs_, writer, null);
  writer.UintProperty("length", funcs_.size());
  writer.EndObject();

  writer.StartObjectProperty("resourceTable");
  WriteColumn("lib", libs_, writer, [&](const Lib& lib) { writer.Int(lib.resource); });
  WriteColumn("name", resource_names, writer, [&](uint32_t name) { writer.Uint(name); });
  WriteColumn("host", libs_, writer, null);
  WriteColumn("type", libs_, writer, [&](const Lib&) { writer.Int(kResourceIsLibrary); });
  writer.UintProperty("length", libs_.size());
  writer.EndObject();

  writer.StartObjectProperty("nativeSymbols");
  WriteColumn("libIndex", native_symbols_, writer, [&](const NativeSymbol& s) { writer.Int(s.lib); });
  WriteColumn("address", native_symbols_, writer, [&](const NativeSymbol& s) { writer.Uint(s.address); });
  WriteColumn("name", native_symbols_, writer, [&](const NativeSymbol& s) { writer.Uint(s.name); });
  WriteColumn("functionSize", native_symbols_, writer,
              [&](const NativeSymbol& s) { s.size_bytes != 0 ? writer.Uint(s.size_bytes) : writer.Null(); });
  writer.UintProperty("length", native_symbols_.size());
  writer.EndObject();

  writer.Key("sources");
  writer.Splice(R"({"id":[],"filename":[],"startLine":[],"startColumn":[],"sourceMapURL":[],"length":0})");
  writer.Key("stringArray");
  strings.WriteArray(writer);
  writer.EndObject();
}

}  // namespace geckoprof
