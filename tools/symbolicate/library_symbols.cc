#include "tools/symbolicate/library_symbols.h"

#include <algorithm>

namespace geckoprof {
namespace {

constexpr std::string_view kNoName = "(no name)";

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The bytes that the hexadecimal digits mean; empty if they are none.
std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    const int high = HexDigit(hex[i]), low = HexDigit(hex[i + 1]);
    if (high < 0 || low < 0) return "";
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

}  // namespace

SharedTables::Lib ReadLib(JsonView lib) {
  const auto text = [&](std::string_view key) { return std::string(lib[key].AsString()); };
  SharedTables::Lib read{text("arch"),      text("name"),       text("path"),  text("debugName"),
                         text("debugPath"), text("breakpadId"), text("codeId")};
  if (read.name.empty()) read.name = kNoName;
  return read;
}

std::string BuildIdOf(const SharedTables::Lib& lib) {
  constexpr size_t kBreakpadDigits = 32;  // without the age
  const auto is_known = [](const std::string& bytes) {
    return std::any_of(bytes.begin(), bytes.end(), [](char c) { return c != '\0'; });
  };
  if (std::string id = FromHex(lib.code_id); is_known(id)) return id;
  if (lib.breakpad_id.size() < kBreakpadDigits) return "";
  std::string id = FromHex(std::string_view(lib.breakpad_id).substr(0, kBreakpadDigits));
  if (!is_known(id)) return "";
  // A GUID's first three numbers, which stand there in the other order of bytes.
  std::reverse(id.begin(), id.begin() + 4);
  std::reverse(id.begin() + 4, id.begin() + 6);
  std::reverse(id.begin() + 6, id.begin() + 8);
  return id;
}

const LibrarySymbols::Place& LibrarySymbols::PlaceOf(int32_t lib) {
  std::unique_ptr<Place>& place = places_[lib];
  if (place == nullptr) {
    const SharedTables::Lib& row = tables_.libs()[static_cast<size_t>(lib)];
    const std::string& path = !row.path.empty() ? row.path : row.debug_path;
    place = std::make_unique<Place>(Place{path.empty() ? row.name : path, BuildIdOf(row)});
  }
  return *place;
}

bool LibrarySymbols::Append(const SharedTables::Frame& plain, std::vector<int32_t>* frames) {
  if (symbolizer_ == nullptr) return false;
  const Place& place = PlaceOf(plain.lib);
  const auto address = static_cast<uint64_t>(plain.address);
  const bool can_be_found = place.path != kNoName || !place.build_id.empty();
  const AddressSymbols* symbols =
      can_be_found ? symbolizer_->FindRelative(place.path, place.build_id, address) : nullptr;
  if (counted_.try_emplace({plain.lib, plain.address}, true).second) {
    ++counts_.addresses;
    if (symbols != nullptr) ++counts_.named;
    if (symbols != nullptr && symbols->frames.back().line != 0) ++counts_.with_lines;
  }
  if (symbols == nullptr) return false;
  const uint64_t first_svma = symbolizer_->FirstMappedSvma(place.path, place.build_id);
  tables_.AddSymbolFrames(plain, symbols->start_svma - first_svma, *symbols, frames, sources_);
  return true;
}

LibrarySymbols::MadeCode LibrarySymbols::FindIn(const JitMap* map, uint64_t avma, int64_t time_ns) {
  if (map == nullptr) return {};
  const MadeCode code{map->Find(avma, time_ns).name, map->HasSeveral(avma)};
  if (!code.name.empty()) ++counts_.jit_named;
  return code;
}

std::string_view LibrarySymbols::MadeCodeOfOption(uint64_t avma) {
  return FindIn(jit_map_, avma, CodeTimeline::kLatestNs).name;
}

LibrarySymbols::MadeCode LibrarySymbols::FindMadeCode(int64_t pid, double start_epoch_ms, uint64_t avma,
                                                      int64_t time_ns) {
  constexpr double kMsPerS = 1000;
  if (jit_map_ != nullptr) return FindIn(jit_map_, avma, time_ns);
  if (symbolizer_ == nullptr || symbolizer_->counts().loaded == 0 || pid <= 0 || pid > INT32_MAX) return {};
  const auto [entry, is_new] = process_maps_.try_emplace(pid);
  if (is_new) {
    entry->second = JitMap::OfProcess(static_cast<int32_t>(pid), static_cast<int64_t>(start_epoch_ms / kMsPerS));
  }
  return FindIn(entry->second.get(), avma, time_ns);
}

}  // namespace geckoprof
