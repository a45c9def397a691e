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
      tables_(StringsOf(profile["shared"]["stringArray"])),
      reader_(profile, tables_),
      symbols_(symbolizer, tables_, jit_map, sources) {}

absl::Status ProcessedSymbolication::Load() {
  if (absl::Status status = reader_.Load(); !status.ok()) return status;
  frames_.resize(reader_.frames());
  const auto frames_of = [this](size_t frame, bool) -> absl::StatusOr<std::span<const int32_t>> {
    if (absl::Status status = LoadFrame(frame); !status.ok()) return status;
    return std::span<const int32_t>(frames_[frame].rows);
  };
  if (absl::Status status = reader_.LoadStacks(frames_of); !status.ok()) return status;
  return CheckSamples();
}

absl::Status ProcessedSymbolication::CheckSamples() const {
  const JsonPath path, threads_path = path / "threads";
  const JsonView threads = profile_["threads"];
  const size_t rows = profile_["shared"]["stackTable"]["frame"].size();
  for (size_t thread = 0; thread < threads.size(); ++thread) {
    const JsonPath thread_path = threads_path / thread, samples_path = thread_path / "samples",
                   stacks_path = samples_path / "stack";
    const JsonView stacks = threads.At(thread)["samples"]["stack"];
    for (size_t i = 0; i < stacks.size(); ++i) {
      const int64_t row = NumberOrNone(stacks.At(i));
      if (!stacks.At(i).IsNull() && (row < 0 || static_cast<uint64_t>(row) >= rows)) {
        return FaultAt(stacks_path / i, "is no row of the stack table");
      }
    }
  }
  return absl::OkStatus();
}

absl::Status ProcessedSymbolication::LoadFrame(size_t frame) {
  Frame& made = frames_[frame];
  if (made.is_known) return absl::OkStatus();
  made.is_known = true;
  SharedTables::Frame plain = reader_.PlaceOf(frame);
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
  if (absl::Status status = reader_.Complete(frame, &plain); !status.ok()) return status;
  if (plain.lib == kNoTableRow) {
    // Code without a name has its address in the frame, in our profiles, or in the name.
    const std::optional<uint64_t> avma = plain.address >= 0 ? std::optional(static_cast<uint64_t>(plain.address))
                                                            : HexAddress(reader_.FunctionName(frame));
    const std::string_view found = avma.has_value() ? symbols_.MadeCodeOfOption(*avma) : std::string_view();
    if (!found.empty()) plain.func = tables_.AddFunc({tables_.String(found)});
    if (!found.empty()) plain.address = kNoTableRow;
  }
  made.rows.push_back(tables_.AddFrame(plain));
  return absl::OkStatus();
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
      WriteSharedTables(tables_, reader_.version(), writer);
      const SharedTablesReader* const readers[] = {&reader_};
      if (reader_.version() >= ProcessedVersion::kOriginalLocations) WriteSourceLocations(readers, writer);
      writer.EndObject();
    } else {
      CopyJson(value, writer);
    }
  });
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

void ProcessedSymbolication::WriteStackTable(JsonView table, JsonWriter& writer) const {
  if (!table.IsObject()) return CopyJson(table, writer);
  writer.StartObject();
  table.ForEachMember([&](std::string_view key, JsonView value) {
    writer.Key(key);
    if (key != "stack" || !value.IsArray()) return CopyJson(value, writer);
    writer.StartArray();
    for (size_t i = 0; i < value.size(); ++i) writer.Number(RowCell(reader_.Stack(value.At(i))));
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
        writer.Number(RowCell(tables_.WithoutInnermostMarkingCode(reader_.Stack(part))));
      } else {
        CopyJson(part, writer);
      }
    });
    writer.EndObject();
  });
  writer.EndObject();
}

}  // namespace geckoprof
