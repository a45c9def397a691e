#include "tools/merge/merged_profile.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "geckoprof/gecko_json/format_versions.h"
#include "geckoprof/gecko_json/gecko_categories.h"
#include "tools/json/json_copy.h"
#include "tools/processed_format/processed_meta_writer.h"
#include "tools/profile/model_builder.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// Members of "meta" that are facts about the machine.
constexpr std::string_view kMachineKeys[] = {"oscpu",       "platform",     "CPUName",
                                             "logicalCPUs", "physicalCPUs", "mainMemory"};
// Members of "meta" that are made of those of all inputs.
constexpr std::string_view kMadeKeys[] = {"preprocessedProfileVersion",
                                          "startTime",
                                          "startTimeAsClockMonotonicNanosecondsSinceBoot",
                                          "bootId",
                                          "profilingStartTime",
                                          "profilingEndTime",
                                          "contentEarliestTime",
                                          "shutdownTime",
                                          "interval",
                                          "categories",
                                          "markerSchema",
                                          "sampleUnits",
                                          "initialVisibleThreads",
                                          "initialSelectedThreads",
                                          "extra"};
// Members of "meta" that are true only if they are so in all inputs.
constexpr std::string_view kFlags[] = {"symbolicated", "symbolicationNotSupported", "usesOnlyOneStackType",
                                       "sourceCodeIsNotOnSearchfox", "keepProfileThreadOrder"};

template <typename Keys>
bool IsOneOf(const Keys& keys, std::string_view key) {
  return std::ranges::find(keys, key) != std::end(keys);
}

JsonView MetaOf(const MergeInput& input) { return input.profile()["meta"]; }

std::string_view CpuUnitOf(const MergeInput& input) {
  const std::string_view unit = MetaOf(input)["sampleUnits"]["threadCPUDelta"].AsString();
  return unit.empty() ? "ns" : unit;
}

}  // namespace

absl::flat_hash_map<int64_t, int64_t> MergedProfile::PageIds::Add(JsonView pages, std::string_view key) {
  absl::flat_hash_map<int64_t, int64_t> changed;
  std::vector<int64_t> own;
  for (size_t i = 0; i < pages.size(); ++i) {
    const std::optional<int64_t> id = pages.At(i)[key].AsInteger();
    if (!id.has_value() || *id <= 0 || changed.contains(*id)) continue;
    own.push_back(*id);
    if (taken.contains(*id)) own.back() = changed[*id] = ++last;
  }
  taken.insert(own.begin(), own.end());
  return changed;
}

MergedProfile::MergedProfile(std::span<const MergeInput> inputs, std::span<const ClockOffset> offsets)
    : inputs_(inputs), offsets_(offsets), version_(ProcessedVersion::kWritten) {
  constexpr int64_t kMostId = int64_t{1} << 52;  // a JSON number of the viewer is exact up to twice of it
  for (const MergeInput& input : inputs) {
    const int64_t version = MetaOf(input)["preprocessedProfileVersion"].AsInteger().value_or(0);
    version_ = static_cast<int>(std::max<int64_t>(version_, version));
    has_one_cpu_unit_ = has_one_cpu_unit_ && CpuUnitOf(input) == CpuUnitOf(inputs[0]);
    const JsonView pages = input.profile()["pages"];
    for (size_t i = 0; i < pages.size(); ++i) {
      const JsonView page = pages.At(i);
      pages_.last = std::max(pages_.last, std::min(page["innerWindowID"].AsInteger().value_or(0), kMostId));
      tabs_.last = std::max(tabs_.last, std::min(page["tabID"].AsInteger().value_or(0), kMostId));
    }
  }
}

double MergedProfile::FirstOffsetMs() const {
  return std::ranges::min(offsets_, {}, &ClockOffset::offset_ms).offset_ms;
}

bool MergedProfile::IsOneBoot() const {
  return std::ranges::all_of(offsets_, [](const ClockOffset& offset) { return offset.boot == 0; });
}

// In the unit of the first profile, or in ns if the inputs have several units.
std::optional<double> MergedProfile::CpuFactorOf(const MergeInput& input) {
  if (has_one_cpu_unit_) return 1;
  const std::string_view unit = CpuUnitOf(input);
  if (unit == "ns") return 1;
  if (unit == "µs") return 1e3;
  notes_.push_back(Concat(input.file, ": its CPU times are left out, because they are in ", unit));
  return std::nullopt;
}

void MergedProfile::CompareIntervals() {
  for (const MergeInput& input : inputs_) {
    const double interval_ms = ReadTimeMs(MetaOf(input)["interval"]);
    if (interval_ms <= 0 || interval_ms == interval_ms_) continue;
    if (interval_ms_ > 0 && notes_.empty()) {
      notes_.push_back(Concat("the profiles have intervals of ", interval_ms_, " and ", interval_ms,
                              " ms, so their samples stand for different times: compare CPU times"));
    }
    interval_ms_ = interval_ms_ > 0 ? std::min(interval_ms_, interval_ms) : interval_ms;
  }
  if (interval_ms_ <= 0) interval_ms_ = 1;
}

MergedPart::Numbers MergedProfile::NumbersOf(size_t number) {
  const MergeInput& input = inputs_[number];
  const JsonView profile = input.profile();
  MergedPart::Numbers numbers;
  numbers.shift_ms = offsets_[number].offset_ms - FirstOffsetMs();
  for (const MergedPart& part : parts_) {
    numbers.first_thread += part.profile()["threads"].size();
    numbers.first_location += static_cast<int64_t>(part.reader().locations());
  }
  if (!IsOneBoot()) numbers.host = input.label;
  numbers.categories = categories_.Add(profile["meta"]["categories"]);
  numbers.marker_types = marker_types_.Add(profile["meta"]["markerSchema"]);
  pids_.StartProfile(input.pids);
  numbers.pids = pids_;
  numbers.may_name_pids_of_others = IsOneBoot();
  numbers.pages = pages_.Add(profile["pages"], "innerWindowID");
  numbers.tabs = tabs_.Add(profile["pages"], "tabID");
  numbers.cpu_factor = CpuFactorOf(input);
  return numbers;
}

absl::Status MergedProfile::Load() {
  CompareIntervals();
  for (size_t i = 0; i < inputs_.size(); ++i) {
    MergedPart::Numbers numbers = NumbersOf(i);
    parts_.emplace_back(inputs_[i].profile(), std::move(numbers), marker_types_, tables_);
  }
  categories_.Finish();
  for (size_t i = 0; i < parts_.size(); ++i) {
    const absl::Status status = parts_[i].Load(categories_.fallback());
    if (!status.ok()) return absl::InvalidArgumentError(Concat(inputs_[i].file, ": ", std::string(status.message())));
  }
  return absl::OkStatus();
}

void MergedProfile::WriteThreads(JsonWriter& writer) {
  for (MergedPart& part : parts_) part.WriteThreads(writer);
}

bool MergedProfile::HasCounters() const {
  return std::ranges::any_of(parts_, [](const MergedPart& part) { return part.profile()["counters"].size() != 0; });
}

void MergedProfile::WriteCounters(JsonWriter& writer) {
  for (const MergedPart& part : parts_) part.WriteCounters(writer);
}

void MergedProfile::WriteOverhead(JsonWriter& writer) {
  const auto has_overhead = [](const MergedPart& part) { return part.profile()["profilerOverhead"].size() != 0; };
  if (std::ranges::none_of(parts_, has_overhead)) return;
  writer.StartArrayProperty("profilerOverhead");
  for (const MergedPart& part : parts_) part.WriteOverhead(writer);
  writer.EndArray();
}

void MergedProfile::WritePages(JsonWriter& writer) {
  for (const MergedPart& part : parts_) part.WritePages(writer);
}

void MergedProfile::WriteMore(JsonWriter& writer) {
  for (const std::string_view key : {"profilingLog", "profileGatheringLog"}) {
    const auto has_log = [key](const MergedPart& part) { return part.profile()[key].IsObject(); };
    if (std::ranges::none_of(parts_, has_log)) continue;
    writer.StartObjectProperty(key);
    for (const MergedPart& part : parts_) part.WriteLog(key, writer);
    writer.EndObject();
  }
}

void MergedProfile::WriteMoreTables(JsonWriter& writer) {
  if (version_ < ProcessedVersion::kOriginalLocations) return;
  std::vector<const SharedTablesReader*> readers;
  for (const MergedPart& part : parts_) readers.push_back(&part.reader());
  WriteSourceLocations(readers, writer);
}

void MergedProfile::WriteMeta(JsonWriter& writer) {
  const JsonView first = MetaOf(inputs_[0]);
  writer.IntProperty("preprocessedProfileVersion", version_);
  first.ForEachMember([&](std::string_view key, JsonView value) {
    if (IsOneOf(kMadeKeys, key) || IsOneOf(kFlags, key)) return;
    if (IsOneOf(kMachineKeys, key)) {
      const std::string text = JsonText(value);
      const bool is_same =
          std::ranges::all_of(inputs_, [&](const MergeInput& input) { return JsonText(MetaOf(input)[key]) == text; });
      if (!is_same) return;
    }
    writer.Key(key);
    CopyJson(value, writer);
  });
  WriteClock(writer);
  writer.DoubleProperty("interval", interval_ms_);
  writer.Key("categories");
  WriteCategories(categories_.rows(), writer);
  writer.StartArrayProperty("markerSchema");
  marker_types_.Write(writer);
  writer.EndArray();
  if (!has_one_cpu_unit_) {
    writer.Key("sampleUnits");
    writer.Splice(R"({"time":"ms","eventDelay":"ms","threadCPUDelta":"ns"})");
  } else if (first["sampleUnits"].Exists()) {
    writer.Key("sampleUnits");
    CopyJson(first["sampleUnits"], writer);
  }
  WriteFlags(writer);
  ThreadCandidates candidates;
  uint32_t images = 0;
  for (const MergeInput& input : inputs_) {
    for (ThreadUse use : input.threads) {
      use.image += images;
      use.is_main = use.is_main && images == 0;
      candidates.Add(use);
    }
    images += static_cast<uint32_t>(input.pids.size());
  }
  if (const InitialThreads threads = candidates.Choose(); !threads.visible.empty()) {
    WriteInitialThreads(threads, writer);
  }
  WriteExtra(writer);
}

// Readers show nothing beyond the end that is written, so it is left out unless all inputs have one.
void MergedProfile::WriteClock(JsonWriter& writer) const {
  const double zero_ms = FirstOffsetMs();
  const ClockFacts& clock = inputs_[0].clock;
  writer.DoubleProperty("startTime", clock.wall_ms > 0 ? std::max(clock.wall_ms + zero_ms, 0.0) : 0);
  const auto has_boot_id = [&](const MergeInput& input) { return input.clock.boot_id == clock.boot_id; };
  if (IsOneBoot() && clock.monotonic_ns.has_value()) {
    const int64_t zero_ns = *clock.monotonic_ns + static_cast<int64_t>(std::llround(zero_ms * 1e6));
    writer.IntProperty("startTimeAsClockMonotonicNanosecondsSinceBoot", std::max<int64_t>(zero_ns, 0));
    if (!clock.boot_id.empty() && std::ranges::all_of(inputs_, has_boot_id)) {
      writer.StringProperty("bootId", clock.boot_id);
    }
  }
  std::optional<double> begin_ms, end_ms;
  for (const MergedPart& part : parts_) {
    const JsonView begin = part.profile()["meta"]["profilingStartTime"],
                   end = part.profile()["meta"]["profilingEndTime"];
    if (!begin.IsNumber() || !end.IsNumber()) return;
    const double shift_ms = part.numbers().shift_ms;
    begin_ms = std::min(begin_ms.value_or(1e300), ReadTimeMs(begin) + shift_ms);
    end_ms = std::max(end_ms.value_or(-1e300), ReadTimeMs(end) + shift_ms);
  }
  writer.NumberProperty("profilingStartTime", TimeCell(begin_ms.value_or(0)));
  writer.NumberProperty("profilingEndTime", TimeCell(end_ms.value_or(0)));
}

bool MergedProfile::HasAll(std::string_view flag) const {
  return std::ranges::all_of(inputs_, [flag](const MergeInput& input) { return MetaOf(input)[flag].IsTrue(); });
}

void MergedProfile::WriteFlags(JsonWriter& writer) const {
  for (const std::string_view flag : kFlags) writer.BoolProperty(flag, HasAll(flag));
}

// The first section is that of the first input about its recording as a whole, as in any other profile.
void MergedProfile::WriteExtra(JsonWriter& writer) const {
  writer.StartArrayProperty("extra");
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const JsonView sections = MetaOf(inputs_[i])["extra"];
    for (size_t j = 0; j < sections.size(); ++j) {
      const JsonView section = sections.At(j);
      std::string label(section["label"].AsString());
      if (i > 0 && label == "Recording") {
        label = inputs_[i].label;
      } else if (i > 0 || j > 0) {
        if (!parts_[i].numbers().host.empty()) label = Concat(label, " (", inputs_[i].label, ")");
      }
      writer.StartObject();
      section.ForEachMember([&](std::string_view key, JsonView value) {
        writer.Key(key);
        if (key == "label") return writer.String(label);
        CopyJson(value, writer);
      });
      writer.EndObject();
    }
  }
  {
    ExtraSection section("Merged profiles", writer);
    for (size_t i = 0; i < inputs_.size(); ++i) {
      section.Text(inputs_[i].label, ClockOffsetText(offsets_[i], inputs_[offsets_[i].leader].label));
    }
  }
  writer.EndArray();
}

}  // namespace geckoprof
