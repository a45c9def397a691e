#include "tools/processed_format/shared_tables.h"

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

// The number of the row with this key; new ones are appended.
template <typename Map, typename Key, typename Row>
int32_t NumberOf(Map& numbers, const Key& key, const Row& row, std::vector<Row>& rows) {
  const auto [entry, is_new] = numbers.try_emplace(key, static_cast<int32_t>(rows.size()));
  if (is_new) rows.push_back(row);
  return entry->second;
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

}  // namespace geckoprof
