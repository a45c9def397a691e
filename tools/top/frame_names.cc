#include "tools/top/frame_names.h"

#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// More than a page ever shows; a program that makes code all the time must not fill our memory.
constexpr size_t kMostNames = size_t{1} << 20;

std::string TextOf(const ProcessProfile& process, int32_t text) {
  if (text < 0 || static_cast<size_t>(text) >= process.strings.size()) return "";
  return std::string(process.strings[static_cast<size_t>(text)]);
}

const LibraryRow* LibraryOf(const ProcessProfile& process, int32_t library) {
  if (library < 0 || static_cast<size_t>(library) >= process.libraries.size()) return nullptr;
  return &process.libraries[static_cast<size_t>(library)];
}

}  // namespace

const std::vector<FrameNames::Name>& FrameNames::Of(const ProcessProfile& process, const FrameRow& frame,
                                                    bool is_caller) {
  if (names_.size() >= kMostNames) names_.clear();
  const uint64_t address = frame.address - (is_caller ? 1 : 0);
  const LibraryRow* const library = LibraryOf(process, frame.library);
  std::pair<std::string, uint64_t> key;
  if (frame.kind != FrameKind::kInstruction) {
    key.first = Concat("\n", TextOf(process, frame.text));  // no path begins so
  } else if (library != nullptr) {
    key = {library->path, address - library->bias};
  } else {
    key = {Concat(process.pid), address};
  }
  const auto [row, added] = names_.try_emplace(std::move(key));
  if (added) row->second = Find(process, frame, address);
  return row->second;
}

std::vector<FrameNames::Name> FrameNames::Find(const ProcessProfile& process, const FrameRow& frame, uint64_t address) {
  if (frame.kind == FrameKind::kRoot) return {{"(root)", ""}};
  if (frame.kind != FrameKind::kInstruction) return {{TextOf(process, frame.text), ""}};
  const LibraryRow* const library = LibraryOf(process, frame.library);
  if (library == nullptr) return {{Concat("0x", HexText(frame.address)), ""}};
  const std::string file = library->path.substr(library->path.rfind('/') + 1);
  const AddressSymbols* const found = symbolizer_.Find(library->path, library->build_id, address - library->bias);
  std::vector<Name> names;
  if (found != nullptr) {
    for (const SymbolFrame& function : found->frames) names.push_back({std::string(function.name), file});
  }
  if (names.empty()) names.push_back({Concat(file, "+0x", HexText(address - library->start_avma)), file});
  return names;
}

}  // namespace geckoprof
