#include "tools/profile/gecko_loader.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "geckoprof/base/thread_name.h"
#include "geckoprof/gecko_json/format_versions.h"
#include "geckoprof/reader/profile_facts.h"
#include "tools/profile/counter_loader.h"
#include "tools/profile/gecko_table.h"
#include "tools/profile/overhead_loader.h"
#include "tools/profile/system_pid.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

std::optional<uint64_t> ParseAddress(std::string_view location) {
  if (!location.starts_with("0x")) return std::nullopt;
  uint64_t address = 0;
  const char* const end = location.data() + location.size();
  const auto [stopped, error] = std::from_chars(location.data() + 2, end, address, 16);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return address;
}

GeckoLocation OfAddress(uint64_t avma, std::string_view location, const std::vector<GeckoLibrary>& libraries) {
  auto after =
      std::upper_bound(libraries.begin(), libraries.end(), avma,
                       [](uint64_t address, const GeckoLibrary& library) { return address < library.start_avma; });
  if (after == libraries.begin()) return {std::string(location), "", -1, -1};
  const GeckoLibrary& library = *--after;
  if (avma >= library.end_avma) return {std::string(location), "", -1, -1};
  const uint64_t relative = avma - library.start_avma + library.offset;
  return {Concat(library.name, "+0x", HexText(relative)), library.name, static_cast<int64_t>(relative & INT64_MAX),
          library.row};
}

// Takes "[7]" off the end.
std::string_view WithoutSource(std::string_view location) {
  if (!location.ends_with("]")) return location;
  const size_t open = location.rfind('[');
  if (open == std::string_view::npos || open == 0 || open + 2 >= location.size()) return location;
  const std::string_view digits = location.substr(open + 1, location.size() - open - 2);
  const bool number = std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return absl::ascii_isdigit(c); });
  return number ? location.substr(0, open) : location;
}

}  // namespace

GeckoLocation ParseGeckoLocation(std::string_view location, const std::vector<GeckoLibrary>& libraries) {
  if (const std::optional<uint64_t> address = ParseAddress(location)) return OfAddress(*address, location, libraries);
  constexpr std::string_view kIn = " (in ";
  const size_t in = location.rfind(kIn);
  if (in != std::string_view::npos) {
    const size_t begin = in + kIn.size();
    const size_t close = location.find(')', begin);
    // Nothing may follow, or " + 123", or " (a:b)".
    if (close != std::string_view::npos && close > begin &&
        (close + 1 == location.size() || location.substr(close + 1).starts_with(" + ") ||
         location.substr(close + 1).starts_with(" ("))) {
      return {std::string(location.substr(0, in)), std::string(location.substr(begin, close - begin)), -1, -1};
    }
  }
  return {std::string(WithoutSource(location)), "", -1, -1};
}

namespace {

absl::StatusOr<GeckoTable> NeedTable(JsonView thread, std::string_view key, const JsonPath& path) {
  const GeckoTable table(thread[key]);
  if (table.IsTable()) return table;
  return FaultAt(path / key, thread[key].Exists() ? "is no table {\"schema\":{},\"data\":[]}" : "is missing");
}

// A line or column; 0 where it makes no sense.
int32_t PositiveNumber(JsonView value) {
  const int64_t number = value.AsInteger().value_or(0);
  return number > 0 && number <= INT32_MAX ? static_cast<int32_t>(number) : 0;
}

// [{"what":"no-chunk","count":3}], labelled as in the other format.
void AddLosses(JsonView losses, std::vector<ProfileSection::Entry>* entries) {
  for (const LossKind kind : kLossKinds) {
    for (size_t i = 0; i < losses.size(); ++i) {
      const std::string_view what = losses.At(i)["what"].AsString();
      if (KindOfLoss(what) != kind) continue;
      entries->push_back(SectionEntry(LossLabel(what), losses.At(i)["count"], ""));
    }
  }
}

}  // namespace

absl::Status GeckoLoader::Load(JsonView profile) {
  const JsonPath path;
  const absl::StatusOr<JsonView> meta = NeedObject(profile, "meta", path);
  if (!meta.ok()) return FaultAt(path, "no profile: there is no \"meta\" object");
  const JsonPath meta_path = path / "meta";
  const std::optional<int64_t> version = (*meta)["version"].AsInteger();
  if (!version.has_value())
    return FaultAt(meta_path / "version", "is missing: neither a Gecko nor a processed profile");
  if (*version > GeckoVersion::kNewest || *version < 0) {
    return FaultAt(meta_path / "version",
                   Concat("Gecko format version ", *version, " is not known; the newest is ", GeckoVersion::kNewest));
  }
  ProfileModel& model = builder_.model();
  model.version = *version;
  if (absl::Status status = builder_.ReadMeta(*meta); !status.ok()) return status;
  if (builder_.is_full()) marker_data_.ReadSchemas((*meta)["markerSchema"]);
  if (absl::Status status = LoadProcess(profile, 0, path); !status.ok()) return status;
  const JsonView processes = profile["processes"];
  const JsonPath processes_path = path / "processes";
  for (size_t i = 0; i < processes.size(); ++i) {
    const JsonPath child_path = processes_path / i;
    const JsonView child = processes.At(i);
    if (absl::StatusOr<JsonView> child_meta = NeedObject(child, "meta", child_path); !child_meta.ok()) {
      return child_meta.status();
    }
    const JsonView child_start = child["meta"]["startTime"];
    if (builder_.is_full()) marker_data_.ReadSchemas(child["meta"]["markerSchema"]);
    const double shift_ms = child_start.IsNumber() ? ReadTimeMs(child_start) - model.start_epoch_ms : 0;
    if (absl::Status status = LoadProcess(child, shift_ms, child_path); !status.ok()) {
      return status;
    }
    if (const JsonView child_end = child["meta"]["profilingEndTime"]; child_end.IsNumber()) {
      builder_.ExtendTo(ReadTimeMs(child_end) + shift_ms);
    }
  }
  return absl::OkStatus();
}

bool IsFirefoxProfile(JsonView profile) { return profile["meta"]["updateChannel"].Exists(); }

std::string_view ShownThreadName(JsonView thread, bool is_firefox) {
  const std::string_view name = thread["name"].AsString(), process_name = thread["processName"].AsString();
  return name == kMainThreadName && !is_firefox && !process_name.empty() ? process_name : name;
}

absl::Status GeckoLoader::LoadProcess(JsonView profile, double shift_ms, const JsonPath& path) {
  const absl::StatusOr<JsonView> threads = NeedArray(profile, "threads", path);
  if (!threads.ok()) return threads.status();
  if (absl::Status status = LoadLibraries(profile, path); !status.ok()) return status;
  ProfileProcess process;
  process.shift_ms = shift_ms;
  const JsonView first = threads->At(0);
  process.pid = ProcessedPidOfGecko(TextOf(first["pid"]));
  process.name = first["processName"].AsString();
  is_firefox_ = IsFirefoxProfile(profile);
  std::vector<ProfileProcess>& processes = builder_.model().processes;
  if (!processes.empty()) process.parent_pid = processes[0].pid;
  processes.push_back(std::move(process));
  const JsonPath threads_path = path / "threads";
  for (size_t i = 0; i < threads->size(); ++i) {
    if (absl::Status status = LoadThread(threads->At(i), threads_path / i); !status.ok()) return status;
  }
  if (absl::Status status = CountCounterRows(profile, &builder_); !status.ok()) return status;
  const auto row = static_cast<int32_t>(builder_.model().processes.size()) - 1;
  LoadGeckoCounters(profile, row, &builder_.model(), builder_.is_full());
  if (absl::Status status = LoadGeckoOverhead(profile, row, &builder_); !status.ok()) return status;
  LoadExtra(profile["meta"]["extra"], &builder_.model().sections);
  LoadLog(profile["profilingLog"]);
  return builder_.CountRows(0, 0);
}

absl::Status GeckoLoader::LoadLibraries(JsonView profile, const JsonPath& path) {
  const absl::StatusOr<JsonView> libs = NeedArray(profile, "libs", path);
  if (!libs.ok()) return libs.status();
  libraries_.clear();
  if (absl::Status status = builder_.CountRows(libs->size(), sizeof(GeckoLibrary)); !status.ok()) return status;
  libraries_.reserve(libs->size());
  for (size_t i = 0; i < libs->size(); ++i) {
    const JsonView lib = libs->At(i);
    const auto start = lib["start"].AsInteger(), end = lib["end"].AsInteger();
    if (!start.has_value() || !end.has_value() || *start < 0 || *end < *start) continue;
    libraries_.push_back(
        {static_cast<uint64_t>(*start), static_cast<uint64_t>(*end),
         static_cast<uint64_t>(lib["offset"].AsInteger().value_or(0)),
         lib["name"].AsString().empty() ? "(no name)" : CutName(lib["name"].AsString(), kMaxLibraryNameBytes), kNoRow});
    if (!builder_.is_full()) continue;
    libraries_.back().row =
        builder_.Library({libraries_.back().name, std::string(lib["path"].AsString()),
                          std::string(lib["breakpadId"].AsString()), std::string(lib["codeId"].AsString())});
  }
  std::sort(libraries_.begin(), libraries_.end(),
            [](const GeckoLibrary& a, const GeckoLibrary& b) { return a.start_avma < b.start_avma; });
  named_libraries_.clear();
  if (!builder_.is_full()) return absl::OkStatus();
  for (const GeckoLibrary& library : libraries_) named_libraries_.emplace(library.name, library.row);
  return absl::OkStatus();
}

absl::Status GeckoLoader::LoadThread(JsonView thread, const JsonPath& path) {
  ProfileThread out;
  out.process = static_cast<int32_t>(builder_.model().processes.size()) - 1;
  out.name = ShownThreadName(thread, is_firefox_);
  out.is_main = thread["name"].AsString() == kMainThreadName;
  out.tid = thread["tid"].AsInteger().value_or(0);
  if (builder_.is_full()) {
    const double shift_ms = builder_.model().processes.back().shift_ms;
    if (thread["registerTime"].IsNumber()) out.register_ms = ReadTimeMs(thread["registerTime"]) + shift_ms;
    if (thread["unregisterTime"].IsNumber()) out.unregister_ms = ReadTimeMs(thread["unregisterTime"]) + shift_ms;
  }
  const absl::StatusOr<JsonView> strings = NeedArray(thread, "stringTable", path);
  if (!strings.ok()) return strings.status();
  builder_.StartStrings(*strings);
  if (absl::Status status = LoadFrames(thread, path); !status.ok()) return status;
  if (absl::Status status = LoadStacks(thread, path); !status.ok()) return status;
  if (absl::Status status = LoadSamples(thread, path, &out); !status.ok()) return status;
  if (absl::Status status = LoadMarkers(thread, path, &out); !status.ok()) return status;
  builder_.model().threads.push_back(std::move(out));
  return absl::OkStatus();
}

absl::Status GeckoLoader::LoadFrames(JsonView thread, const JsonPath& path) {
  const absl::StatusOr<GeckoTable> table = NeedTable(thread, "frameTable", path);
  if (!table.ok()) return table.status();
  const auto location = table->Column("location"), category = table->Column("category"), line = table->Column("line"),
             column = table->Column("column");
  const size_t categories = builder_.model().categories.size();
  const JsonPath table_path = path / "frameTable", data_path = table_path / "data";
  if (absl::Status status = builder_.StartFrames(table->rows()); !status.ok()) return status;
  for (size_t i = 0; i < table->rows(); ++i) {
    const JsonView row = table->Row(i);
    const JsonPath row_path = data_path / i;
    const auto text = builder_.ReadString(GeckoTable::Cell(row, location), row_path / location.value_or(0));
    if (!text.ok()) return text.status();
    if (absl::Status status = builder_.CountName(*text); !status.ok()) return status;
    const auto number = ReadIndex(GeckoTable::Cell(row, category), categories, row_path / category.value_or(0));
    if (!number.ok()) return number.status();
    const GeckoLocation parsed =
        ParseGeckoLocation(CutName(builder_.model().Text(*text), 2 * kMaxNameBytes), libraries_);
    if (!builder_.is_full()) {
      builder_.AddFrame(builder_.Function(parsed.name, parsed.library), *number);
      continue;
    }
    ProfileFrame frame = FullFrame(parsed);
    frame.category = *number;
    frame.line = PositiveNumber(GeckoTable::Cell(row, line));
    frame.column = PositiveNumber(GeckoTable::Cell(row, column));
    builder_.AddFrame(frame);
  }
  return absl::OkStatus();
}

ProfileFrame GeckoLoader::FullFrame(const GeckoLocation& parsed) {
  ProfileFrame frame;
  frame.function = builder_.Function(parsed.name, parsed.library);
  frame.library = parsed.row;
  frame.address = parsed.address;
  if (frame.library != kNoRow || parsed.library.empty()) return frame;
  if (const auto found = named_libraries_.find(parsed.library); found != named_libraries_.end()) {
    frame.library = found->second;
  }
  return frame;
}

absl::Status GeckoLoader::LoadStacks(JsonView thread, const JsonPath& path) {
  const absl::StatusOr<GeckoTable> table = NeedTable(thread, "stackTable", path);
  if (!table.ok()) return table.status();
  const auto prefix = table->Column("prefix"), frame = table->Column("frame");
  const JsonPath table_path = path / "stackTable", data_path = table_path / "data";
  if (absl::Status status = builder_.StartStacks(table->rows(), data_path); !status.ok()) return status;
  for (size_t i = 0; i < table->rows(); ++i) {
    const JsonView row = table->Row(i);
    const JsonPath row_path = data_path / i;
    // Only earlier rows are in range, so no chain of prefixes can come back to where it started.
    const auto caller = ReadCaller(GeckoTable::Cell(row, prefix), i, row_path / prefix.value_or(0));
    if (!caller.ok()) return caller.status();
    const JsonPath frame_path = row_path / frame.value_or(0);
    if (absl::Status status = builder_.AddStack(*caller, GeckoTable::Cell(row, frame), frame_path); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

absl::Status GeckoLoader::LoadSamples(JsonView thread, const JsonPath& path, ProfileThread* out) {
  const absl::StatusOr<GeckoTable> table = NeedTable(thread, "samples", path);
  if (!table.ok()) return table.status();
  const auto stack = table->Column("stack"), time = table->Column("time"), cpu = table->Column("threadCPUDelta");
  const auto state = table->Column("state"), cause = table->Column("waitCause"),
             ready = table->Column("threadReadyDelta"), lock = table->Column("lock"),
             holder = table->Column("lockHolder");
  out->has_states = state.has_value();
  const double shift_ms = builder_.model().processes.back().shift_ms;
  const JsonPath table_path = path / "samples", data_path = table_path / "data";
  if (absl::Status status = builder_.CountRows(table->rows(), sizeof(ProfileSample)); !status.ok()) return status;
  out->samples.reserve(table->rows());
  for (size_t i = 0; i < table->rows(); ++i) {
    const JsonView row = table->Row(i);
    const JsonPath row_path = data_path / i;
    const auto leaf = builder_.ReadStack(GeckoTable::Cell(row, stack), row_path / stack.value_or(0));
    if (!leaf.ok()) return leaf.status();
    ProfileSample sample;
    sample.time_ms = ReadTimeMs(GeckoTable::Cell(row, time)) + shift_ms;
    sample.stack = *leaf;
    sample.cpu_ns = builder_.CpuNs(GeckoTable::Cell(row, cpu));
    if (out->has_states) {
      const ProfileSample* const before = out->samples.empty() ? nullptr : &out->samples.back();
      builder_.ReadState({GeckoTable::Cell(row, state), GeckoTable::Cell(row, cause), GeckoTable::Cell(row, ready),
                          GeckoTable::Cell(row, lock), GeckoTable::Cell(row, holder)},
                         before, &sample);
    }
    builder_.AddSample(sample, out);
  }
  return absl::OkStatus();
}

absl::Status GeckoLoader::LoadMarkers(JsonView thread, const JsonPath& path, ProfileThread* out) {
  const absl::StatusOr<GeckoTable> table = NeedTable(thread, "markers", path);
  if (!table.ok()) return table.status();
  const auto name = table->Column("name"), start = table->Column("startTime"), end = table->Column("endTime"),
             phase = table->Column("phase"), category = table->Column("category"), payload = table->Column("data");
  const size_t categories = builder_.model().categories.size();
  const double shift_ms = builder_.model().processes.back().shift_ms;
  const JsonPath table_path = path / "markers", data_path = table_path / "data";
  if (absl::Status status = builder_.CountRows(table->rows(), sizeof(ProfileMarker)); !status.ok()) return status;
  out->markers.reserve(table->rows());
  for (size_t i = 0; i < table->rows(); ++i) {
    const JsonView row = table->Row(i);
    const JsonPath row_path = data_path / i;
    const auto text = builder_.ReadString(GeckoTable::Cell(row, name), row_path / name.value_or(0));
    if (!text.ok()) return text.status();
    const auto kind = ReadPhase(GeckoTable::Cell(row, phase), row_path / phase.value_or(3));
    if (!kind.ok()) return kind.status();
    ProfileMarker marker;
    marker.name = *text;
    if (absl::Status status = builder_.CountName(*text); !status.ok()) return status;
    marker.phase = *kind;
    marker.start_ms = ReadTimeMs(GeckoTable::Cell(row, start)) + shift_ms;
    marker.end_ms = ReadTimeMs(GeckoTable::Cell(row, end)) + shift_ms;
    if (builder_.is_full()) {
      const auto data = marker_data_.Read(GeckoTable::Cell(row, payload), row_path / payload.value_or(0));
      if (!data.ok()) return data.status();
      marker.data = *data;
      const int64_t number = GeckoTable::Cell(row, category).AsInteger().value_or(-1);
      if (number >= 0 && static_cast<size_t>(number) < categories) marker.category = static_cast<int32_t>(number);
    }
    out->markers.push_back(marker);
  }
  return absl::OkStatus();
}

// Our own keys in the words, and with the formats, in which a processed profile has them; others as they are.
ProfileSection::Entry RecordingEntry(std::string_view key, JsonView value) {
  struct Known {
    std::string_view key, label, format;
  };
  constexpr Known kKnown[] = {{"crashSignal", "Signal of the crash", ""},
                              {"endReason", "Ended", ""},
                              {"exitStatus", "Exit status", ""},
                              {"handlerTime", "Time in the signal handler", "duration"},
                              {"problem", "Not as asked", ""},
                              {"sampledBy", "Sampled by", ""},
                              {"samplerBytes", "Buffer used by samples", "bytes"},
                              {"samplerCPUTime", "CPU time of the sampler", "duration"},
                              {"samplesAsked", "Samples asked for", ""},
                              {"samplesTaken", "Samples taken", ""}};
  const auto* const known =
      std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& candidate) { return candidate.key == key; });
  return known == std::end(kKnown) ? SectionEntry(key, value, "") : SectionEntry(known->label, value, known->format);
}

// {"<pid>":{"losses":{"no-chunk":3},"profilingLogBegin_TSms":1.5}}: a section for each object below a pid, and one for
// the plain values of the pid itself. Tables (Firefox logs its chunk updates) are counted only, but for our losses.
void GeckoLoader::LoadLog(JsonView log) {
  log.ForEachMember([this](std::string_view gecko_pid, JsonView entries) {
    const std::string pid = ProcessedPidOfGecko(gecko_pid);
    ProfileSection own{Concat("profiling log of process ", pid), {}};
    const auto add = [this](ProfileSection* section, std::string_view key, JsonView value) {
      builder_.Count(sizeof(ProfileSection::Entry));
      if (builder_.IsTooLarge()) return;
      if (value.IsArray() && key == "losses") return AddLosses(value, &section->entries);
      if (value.IsArray() && key == "problems") {
        for (size_t i = 0; i < value.size(); ++i) {
          section->entries.push_back(RecordingEntry("problem", value.At(i)));
        }
        return;
      }
      if (value.IsArray()) {
        section->entries.push_back({std::string(key), Concat(value.size(), value.size() == 1 ? " row" : " rows")});
      }
      if (!value.IsArray() && !value.IsObject()) section->entries.push_back(RecordingEntry(key, value));
    };
    std::vector<ProfileSection> below;
    entries.ForEachMember([&](std::string_view key, JsonView value) {
      add(&own, key, value);
      if (!value.IsObject()) return;
      below.push_back({Concat(key, " of process ", pid), {}});
      value.ForEachMember([&](std::string_view name, JsonView inner) { add(&below.back(), name, inner); });
    });
    std::vector<ProfileSection>& sections = builder_.model().sections;
    if (!own.entries.empty()) sections.push_back(std::move(own));
    std::move(below.begin(), below.end(), std::back_inserter(sections));
  });
}

}  // namespace geckoprof
