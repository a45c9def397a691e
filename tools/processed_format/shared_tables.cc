#include "tools/processed_format/shared_tables.h"

#include <functional>

#include "geckoprof/gecko_json/format_versions.h"

namespace geckoprof {
namespace {

// A function of the marker macros (baseprofiler/detail, geckoprofiler/rust/src/marker.rs), which are always inlined.
bool IsMarkingCode(std::string_view name) {
  if (name.starts_with("geckoprof::marker::")) return true;
  if (name.find(" as geckoprof::marker_type::MarkerType>::with_values") != std::string_view::npos) return true;
  if (name.find("{lambda(geckoprof::MarkerOptions const&)#") != std::string_view::npos) return true;
  const std::string_view function = name.substr(0, name.find_first_of("<("));
  return function.find("geckoprof::internal::") != std::string_view::npos || function.ends_with("profiler_add_marker");
}

// Returns the number of the row with this key. A new row is appended.
template <typename Map, typename Key, typename Row>
int32_t NumberOf(Map& numbers, const Key& key, const Row& row, std::vector<Row>& rows) {
  const auto [entry, is_new] = numbers.try_emplace(key, static_cast<int32_t>(rows.size()));
  if (is_new) rows.push_back(row);
  return entry->second;
}

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

SharedTables::SharedTables(std::vector<std::string_view> first_strings) : first_strings_(std::move(first_strings)) {
  for (size_t i = 0; i < first_strings_.size(); ++i) {
    first_numbers_.try_emplace(first_strings_[i], static_cast<int32_t>(i));
  }
}

uint32_t SharedTables::String(std::string_view text) {
  if (const auto found = first_numbers_.find(text); found != first_numbers_.end()) {
    return static_cast<uint32_t>(found->second);
  }
  return static_cast<uint32_t>(first_strings_.size()) + strings_.Intern(text);
}

int32_t SharedTables::AddLib(const Lib& lib) { return NumberOf(lib_numbers_, lib, lib, libs_); }

int32_t SharedTables::AddResource(const Resource& resource) {
  return NumberOf(resource_numbers_, resource, resource, resources_);
}

int32_t SharedTables::AddSource(const Source& source) { return NumberOf(source_numbers_, source, source, sources_); }

int32_t SharedTables::AddFunc(const Func& func) { return NumberOf(func_numbers_, func, func, funcs_); }

int32_t SharedTables::AddNativeSymbol(const NativeSymbol& symbol) {
  return NumberOf(native_symbol_numbers_, std::pair(symbol.lib, symbol.address), symbol, native_symbols_);
}

int32_t SharedTables::AddFrame(const Frame& frame) { return NumberOf(frame_numbers_, frame, frame, frames_); }

int32_t SharedTables::AddStack(int32_t prefix, int32_t frame) {
  return NumberOf(stack_numbers_, std::pair(prefix, frame), Stack{prefix, frame}, stacks_);
}

int32_t SharedTables::LibResource(int32_t lib) {
  return AddResource({String(libs_[static_cast<size_t>(lib)].name), lib, kNoTableRow, kLibraryResource});
}

void SharedTables::AddSymbolFrames(const Frame& plain, uint64_t symbol_address, const AddressSymbols& symbols,
                                   std::vector<int32_t>* frames, SourcePaths* sources) {
  Frame frame = plain;
  const int32_t resource = LibResource(plain.lib);
  frame.native_symbol = AddNativeSymbol({plain.lib, symbol_address, symbols.size_bytes, String(symbols.symbol)});
  for (const SymbolFrame& symbol : symbols.frames) {
    const std::string_view file = sources != nullptr ? sources->Find(symbol.file) : symbol.file;
    const int32_t source = file.empty() ? kNoTableRow : AddSource({String(file), "", 1, 1, kNoTableRow, ""});
    frame.func = AddFunc({String(symbol.name), resource, source});
    frame.line = symbol.line != 0 ? int64_t{symbol.line} : kNoTableRow;
    frame.column = symbol.line != 0 && symbol.column != 0 ? int64_t{symbol.column} : kNoTableRow;
    frames->push_back(AddFrame(frame));
    if (frame.inline_depth > 0 && IsMarkingCode(symbol.name)) marking_frames_.insert(frames->back());
    ++frame.inline_depth;
  }
}

int32_t SharedTables::WithoutMarkingCode(int32_t stack) {
  const auto is_label = [this](int32_t row) {
    const Frame& frame = frames_[static_cast<size_t>(stacks_[static_cast<size_t>(row)].frame)];
    return frame.lib == kNoTableRow && frame.address < 0;
  };
  std::vector<int32_t> labels;  // innermost first
  int32_t below = stack;
  for (; below >= 0 && is_label(below); below = stacks_[static_cast<size_t>(below)].prefix) {
    labels.push_back(stacks_[static_cast<size_t>(below)].frame);
  }
  int32_t without = WithoutInnermostMarkingCode(below);
  if (without == below) return stack;
  for (size_t i = labels.size(); i > 0; --i) without = AddStack(without, labels[i - 1]);
  return without;
}

int32_t SharedTables::WithoutInnermostMarkingCode(int32_t stack) const {
  while (stack >= 0 && marking_frames_.contains(stacks_[static_cast<size_t>(stack)].frame)) {
    stack = stacks_[static_cast<size_t>(stack)].prefix;
  }
  return stack;
}

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
