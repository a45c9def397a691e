#include "tools/convert/model_tables.h"

#include <string>
#include <string_view>

#include "tools/processed_format/json_column.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr int64_t kResourceIsLibrary = 1;

void PositiveOrNull(int32_t number, JsonWriter& writer) { IntOrNull(number > 0 ? number : kNoRow, writer); }

}  // namespace

ModelTables::ModelTables(const ProfileModel& model) : model_(model), string_rows_(model.strings.size(), -1) {
  for (const ProfileFrame& frame : model.frames) AddFrame(frame);
  std::vector<int32_t> bare(model.functions.size(), kNoRow);
  stack_frames_.reserve(model.stacks.size());
  for (const ProfileStack& stack : model.stacks) {
    int32_t row = stack.frame;
    if (row == kNoRow) {
      int32_t& known = bare[static_cast<size_t>(stack.function)];
      if (known == kNoRow) {
        known = static_cast<int32_t>(frames_.size());
        ProfileFrame frame;
        frame.function = stack.function;
        frame.category = stack.category;
        AddFrame(frame);
      }
      row = known;
    }
    stack_frames_.push_back(row);
  }
}

uint32_t ModelTables::String(int32_t string) {
  int64_t& row = string_rows_[static_cast<size_t>(string)];
  if (row < 0) row = strings_.Intern(model_.strings[static_cast<size_t>(string)]);
  return static_cast<uint32_t>(row);
}

void ModelTables::AddFrame(const ProfileFrame& frame) {
  Func func{FuncName(frame), frame.library, kNoRow};
  if (frame.source != kNoRow) {
    const auto [entry, added] = source_rows_.try_emplace(frame.source, static_cast<int32_t>(sources_.size()));
    if (added) sources_.push_back(String(frame.source));
    func.source = entry->second;
  }
  const auto [entry, added] =
      func_rows_.try_emplace({func.name, func.library, func.source}, static_cast<int32_t>(funcs_.size()));
  if (added) funcs_.push_back(func);
  frames_.push_back(frame);
  frame_funcs_.push_back(entry->second);
}

// "libc.so.6+0x1c15" is "0x1c15" in the file, where the function has its library beside it.
uint32_t ModelTables::FuncName(const ProfileFrame& frame) {
  const int32_t name = model_.functions[static_cast<size_t>(frame.function)].name;
  if (frame.library == kNoRow) return String(name);
  const std::string prefix = model_.libraries[static_cast<size_t>(frame.library)].name + "+";
  const std::string_view text = model_.strings[static_cast<size_t>(name)];
  if (!text.starts_with(Concat(prefix, "0x"))) return String(name);
  has_bare_addresses_ = true;
  return strings_.Intern(text.substr(prefix.size()));
}

void ModelTables::WriteLibs(JsonWriter& writer) const {
  writer.StartArrayProperty("libs");
  for (const ProfileLibrary& library : model_.libraries) {
    const std::string& path = library.path.empty() ? library.name : library.path;
    writer.StartObject();
    writer.StringProperty("arch", "");
    writer.StringProperty("name", library.name);
    writer.StringProperty("path", path);
    writer.StringProperty("debugName", library.name);
    writer.StringProperty("debugPath", path);
    writer.StringProperty("breakpadId", library.breakpad_id);
    if (library.code_id.empty()) {
      writer.NullProperty("codeId");
    } else {
      writer.StringProperty("codeId", library.code_id);
    }
    writer.EndObject();
  }
  writer.EndArray();
}

void ModelTables::WriteShared(JsonWriter& writer) {
  writer.StartObjectProperty("shared");
  WriteStacks(writer);
  WriteFrames(writer);
  WriteFuncs(writer);
  WriteResources(writer);
  writer.Key("nativeSymbols");
  writer.Splice(R"({"libIndex":[],"address":[],"name":[],"functionSize":[],"length":0})");
  WriteSources(writer);
  writer.Key("stringArray");
  strings_.WriteArray(writer);
  writer.EndObject();
}

void ModelTables::WriteStacks(JsonWriter& writer) const {
  writer.StartObjectProperty("stackTable");
  WriteColumn("frame", stack_frames_, writer, [&](int32_t frame) { writer.Int(frame); });
  WriteColumn("prefix", model_.stacks, writer, [&](const ProfileStack& stack) { IntOrNull(stack.prefix, writer); });
  writer.UintProperty("length", stack_frames_.size());
  writer.EndObject();
}

void ModelTables::WriteFrames(JsonWriter& writer) const {
  writer.StartObjectProperty("frameTable");
  WriteColumn("address", frames_, writer, [&](const ProfileFrame& f) { writer.Int(f.address); });
  WriteColumn("inlineDepth", frames_, writer, [&](const ProfileFrame& f) { writer.Int(f.inline_depth); });
  WriteColumn("category", frames_, writer, [&](const ProfileFrame& f) { IntOrNull(f.category, writer); });
  WriteColumn("subcategory", frames_, writer,
              [&](const ProfileFrame& f) { IntOrNull(f.category == kNoRow ? kNoRow : 0, writer); });
  WriteColumn("func", frame_funcs_, writer, [&](int32_t func) { writer.Int(func); });
  WriteColumn("line", frames_, writer, [&](const ProfileFrame& f) { PositiveOrNull(f.line, writer); });
  WriteColumn("column", frames_, writer, [&](const ProfileFrame& f) { PositiveOrNull(f.column, writer); });
  for (const std::string_view column : {"nativeSymbol", "innerWindowID"}) {
    WriteColumn(column, frames_, writer, [&](const ProfileFrame&) { writer.Null(); });
  }
  writer.UintProperty("length", frames_.size());
  writer.EndObject();
}

void ModelTables::WriteFuncs(JsonWriter& writer) const {
  writer.StartObjectProperty("funcTable");
  WriteColumn("name", funcs_, writer, [&](const Func& func) { writer.Uint(func.name); });
  for (const std::string_view column : {"isJS", "relevantForJS"}) {
    WriteColumn(column, funcs_, writer, [&](const Func&) { writer.Bool(false); });
  }
  WriteColumn("resource", funcs_, writer, [&](const Func& func) { writer.Int(func.library); });
  WriteColumn("source", funcs_, writer, [&](const Func& func) { IntOrNull(func.source, writer); });
  for (const std::string_view column : {"lineNumber", "columnNumber"}) {
    WriteColumn(column, funcs_, writer, [&](const Func&) { writer.Null(); });
  }
  writer.UintProperty("length", funcs_.size());
  writer.EndObject();
}

// One for each library, in the same order.
void ModelTables::WriteResources(JsonWriter& writer) {
  std::vector<int32_t> rows;
  std::vector<uint32_t> names;
  for (const ProfileLibrary& library : model_.libraries) {
    rows.push_back(static_cast<int32_t>(rows.size()));
    names.push_back(strings_.Intern(library.name));
  }
  writer.StartObjectProperty("resourceTable");
  WriteColumn("lib", rows, writer, [&](int32_t row) { writer.Int(row); });
  WriteColumn("name", names, writer, [&](uint32_t name) { writer.Uint(name); });
  WriteColumn("host", rows, writer, [&](int32_t) { writer.Null(); });
  WriteColumn("type", rows, writer, [&](int32_t) { writer.Int(kResourceIsLibrary); });
  writer.UintProperty("length", rows.size());
  writer.EndObject();
}

void ModelTables::WriteSources(JsonWriter& writer) const {
  writer.StartObjectProperty("sources");
  for (const std::string_view column : {"id", "sourceMapURL"}) {
    WriteColumn(column, sources_, writer, [&](uint32_t) { writer.Null(); });
  }
  WriteColumn("filename", sources_, writer, [&](uint32_t name) { writer.Uint(name); });
  for (const std::string_view column : {"startLine", "startColumn"}) {
    WriteColumn(column, sources_, writer, [&](uint32_t) { writer.Int(1); });
  }
  writer.UintProperty("length", sources_.size());
  writer.EndObject();
}

}  // namespace geckoprof
