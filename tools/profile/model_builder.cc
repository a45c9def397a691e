#include "tools/profile/model_builder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// Seconds in a century: no CPU delta is larger, and the sum of as many as fit into a file stays below 2^63 in a double.
constexpr double kMaxCpuNs = 3.2e18;
constexpr size_t kHashEntryBytes = 32;  // with the room that a table keeps free

double CpuUnitNs(std::string_view unit) {
  if (unit.empty() || unit == "ns") return 1;
  if (unit == "µs" || unit == "us") return 1e3;
  if (unit == "ms") return 1e6;
  return 0;  // "variable CPU cycles"
}

std::string JoinedText(JsonView value) {
  if (!value.IsArray()) return std::string(value.AsString());
  std::string text;
  for (size_t i = 0; i < value.size(); ++i) text += Concat(i == 0 ? "" : " ", value.At(i).AsString());
  return text;
}

}  // namespace

absl::Status ModelBuilder::CountRows(size_t rows, size_t row_bytes) {
  Count(rows * row_bytes);
  if (!IsTooLarge()) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      Concat("its rows need more than ", most_bytes_ >> 20, " MiB, which is too much for its size"));
}

absl::Status ModelBuilder::CountInner(JsonView list, std::string_view key, size_t row_bytes) {
  size_t rows = list.size();
  for (size_t i = 0; i < list.size(); ++i) rows += list.At(i)[key].size();
  return CountRows(rows, row_bytes);
}

int32_t ModelBuilder::Intern(std::string_view text) {
  if (const auto known = string_rows_.find(text); known != string_rows_.end()) return *known;
  Count(text.size() + sizeof(std::string) + kHashEntryBytes);
  model_->strings.emplace_back(text);
  const int32_t row = static_cast<int32_t>(model_->strings.size()) - 1;
  string_rows_.insert(row);
  return row;
}

int32_t ModelBuilder::Function(std::string_view name, std::string_view library) {
  return Function(Intern(name), library.empty() ? kNoRow : Intern(library));
}

int32_t ModelBuilder::Function(int32_t name, int32_t library) {
  const auto [entry, added] =
      function_rows_.try_emplace({name, library}, static_cast<int32_t>(model_->functions.size()));
  if (!added) return entry->second;
  Count(sizeof(ProfileFunction) + kHashEntryBytes + std::min(model_->Text(name).size(), kMaxNameBytes));
  model_->functions.push_back({name, library});
  return entry->second;
}

int32_t ModelBuilder::FrameRow(const ProfileFrame& frame) {
  const auto [entry, added] = frame_rows_.try_emplace(frame, static_cast<int32_t>(model_->frames.size()));
  if (!added) return entry->second;
  Count(2 * sizeof(ProfileFrame) + kHashEntryBytes);
  model_->frames.push_back(frame);
  return entry->second;
}

int32_t ModelBuilder::Library(const ProfileLibrary& library) {
  std::string key = library.path.empty() ? library.name : library.path;
  for (const std::string& id : {library.breakpad_id, library.code_id}) key.append(1, '\0').append(id);
  const auto [entry, added] = library_rows_.try_emplace(std::move(key), static_cast<int32_t>(model_->libraries.size()));
  if (!added) return entry->second;
  Count(2 * (sizeof library + library.name.size() + library.path.size() + library.breakpad_id.size() +
             library.code_id.size()));
  model_->libraries.push_back(library);
  return entry->second;
}

int32_t ModelBuilder::AddModelStack(int32_t prefix, int32_t frame) {
  // The first callee of a stack mostly has the next row. In deep stacks this saves a search for each frame.
  const auto next = static_cast<size_t>(prefix + 1);
  if (next < model_->stacks.size() && model_->stacks[next].prefix == prefix && model_->stacks[next].frame == frame) {
    return static_cast<int32_t>(next);
  }
  const auto [entry, added] = stack_rows_.try_emplace({prefix, frame}, static_cast<int32_t>(model_->stacks.size()));
  if (!added) return entry->second;
  Count(sizeof(ProfileStack) + kHashEntryBytes);
  const ProfileFrame& row = model_->frames[static_cast<size_t>(frame)];
  model_->stacks.push_back({prefix, row.function, row.category, frame});
  return entry->second;
}

void ModelBuilder::StartStrings(JsonView texts) {
  strings_.clear();
  strings_.reserve(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) strings_.push_back(Intern(texts.At(i).AsString()));
}

absl::StatusOr<int32_t> ModelBuilder::ReadString(JsonView index, const JsonPath& path) const {
  absl::StatusOr<int32_t> row = ReadIndex(index, strings_.size(), path);
  if (!row.ok()) return row;
  if (*row == kNoRow) return FaultAt(path, index.Exists() ? "is null" : "is missing");
  return strings_[static_cast<size_t>(*row)];
}

absl::Status ModelBuilder::StartFrames(size_t rows) {
  frames_.clear();
  if (absl::Status status = CountRows(rows, sizeof(Frame)); !status.ok()) return status;
  frames_.reserve(rows);
  return absl::OkStatus();
}

absl::Status ModelBuilder::StartStacks(size_t rows, const JsonPath& path) {
  first_stack_ = model_->stacks.size();
  stacks_ = rows;
  if (absl::Status status = CountRows(rows, sizeof(ProfileStack)); !status.ok()) return status;
  return first_stack_ + stacks_ < INT32_MAX ? absl::OkStatus() : FaultAt(path, "too many rows");
}

absl::Status ModelBuilder::AddStack(int32_t caller, JsonView frame, const JsonPath& frame_path) {
  const absl::StatusOr<int32_t> row = ReadIndex(frame, frames_.size(), frame_path);
  if (!row.ok()) return row.status();
  if (*row == kNoRow) return FaultAt(frame_path, frame.Exists() ? "is null" : "is missing");
  const Frame& own = frames_[static_cast<size_t>(*row)];
  ProfileStack stack{kNoRow, own.function, own.category, own.frame};
  if (caller != kNoRow) {
    stack.prefix = static_cast<int32_t>(first_stack_) + caller;
    if (stack.category == kNoRow) stack.category = model_->stacks[static_cast<size_t>(stack.prefix)].category;
  }
  model_->stacks.push_back(stack);
  return absl::OkStatus();
}

absl::StatusOr<int32_t> ModelBuilder::ReadStack(JsonView index, const JsonPath& path) const {
  absl::StatusOr<int32_t> row = ReadIndex(index, stacks_, path);
  if (row.ok() && *row != kNoRow) *row += static_cast<int32_t>(first_stack_);
  return row;
}

void ModelBuilder::AddSample(const ProfileSample& sample, ProfileThread* thread) {
  if (sample.cpu_ns >= 0) model_->has_cpu_times = true;
  std::vector<ProfileSample>& samples = thread->samples;
  // A row that stands ahead, so that the CPU time of the next one counts.
  const bool has_time = sample.cpu_ns > 0 || sample.state != SampleState::kRunning;
  if (samples.size() == 1 && samples[0].stack == kNoRow && samples[0].cpu_ns == 0 && has_time) {
    thread->begin_ms = samples[0].time_ms;
    samples.clear();
    thread->starts_later = true;
  }
  samples.push_back(sample);
  if (thread->has_states && sample.stack == kNoRow) samples.back().weight = 0;
}

void ModelBuilder::ReadState(const StateCells& cells, const ProfileSample* before, ProfileSample* sample) {
  constexpr int64_t kReady = static_cast<int64_t>(SampleState::kReady);
  const int64_t state = cells.state.AsInteger().value_or(0);
  if (state > 0) sample->state = state == kReady ? SampleState::kReady : SampleState::kWaiting;
  sample->begins_wait = state == kBeginsToWait;
  if (const auto ready = cells.ready.AsInteger(); ready.has_value() && sample->cpu_ns >= 0) {
    sample->ready_ns = std::clamp<int64_t>(*ready, 0, static_cast<int64_t>(kMaxCpuNs));
  }
  if (sample->state != SampleState::kWaiting) return;
  const int64_t cause = cells.cause.AsInteger().value_or(0);
  sample->cause = cause == 0 ? WaitCause::kNone : WaitCauseFromNumber(static_cast<uint64_t>(cause));
  const int64_t address = cells.lock.AsInteger().value_or(0), holder = cells.holder.AsInteger().value_or(0);
  if (sample->cause != WaitCause::kLock || (address == 0 && holder == 0)) return;
  std::vector<ProfileLockWait>& waits = model_->lock_waits;
  // The ticks of a wait follow each other.
  const bool is_same = !sample->begins_wait && before != nullptr && before->lock_wait != kNoRow &&
                       before->stack == sample->stack &&
                       waits[static_cast<size_t>(before->lock_wait)].address == static_cast<uint64_t>(address) &&
                       waits[static_cast<size_t>(before->lock_wait)].holder_tid == holder;
  if (!is_same) Count(sizeof(ProfileLockWait));
  if (!is_same) waits.push_back({static_cast<uint64_t>(address), holder, kNoRow, kNoRow});
  sample->lock_wait = static_cast<int32_t>(waits.size()) - 1;
}

absl::Status ModelBuilder::ReadMeta(JsonView meta) {
  model_->product = meta["product"].AsString();
  model_->command_line = JoinedText(meta["arguments"]);
  std::string system(meta["oscpu"].AsString());
  if (system.empty()) system = meta["platform"].AsString();
  const std::string cpu(meta["CPUName"].AsString());
  model_->machine = Concat(cpu, cpu.empty() || system.empty() ? "" : ", ", system);
  if (const auto count = meta["logicalCPUs"].AsInteger()) {
    model_->machine += Concat(model_->machine.empty() ? "" : ", ", *count, " CPUs");
  }
  model_->start_epoch_ms = ReadTimeMs(meta["startTime"]);
  model_->interval_ms = ReadTimeMs(meta["interval"]);
  const auto start = meta["profilingStartTime"].AsNumber(), end = meta["profilingEndTime"].AsNumber();
  if (start.has_value() && end.has_value()) {
    model_->begin_ms = ReadTimeMs(meta["profilingStartTime"]);
    model_->duration_ms = std::max(0.0, ReadTimeMs(meta["profilingEndTime"]) - model_->begin_ms);
  }
  const JsonView categories = meta["categories"];
  absl::Status status = CountRows(categories.size(), 2 * sizeof(std::string));
  status.Update(CountInner(meta["extra"], "entries", sizeof(ProfileSection::Entry)));
  if (!status.ok()) return status;
  for (size_t i = 0; i < categories.size(); ++i) {
    model_->categories.emplace_back(categories.At(i)["name"].AsString());
    model_->category_colors.emplace_back(categories.At(i)["color"].AsString());
  }
  cpu_unit_ns_ = CpuUnitNs(meta["sampleUnits"]["threadCPUDelta"].AsString());
  return absl::OkStatus();
}

void ModelBuilder::ExtendTo(double end_ms) {
  if (model_->duration_ms > 0) model_->duration_ms = std::max(model_->duration_ms, end_ms - model_->begin_ms);
}

int64_t ModelBuilder::CpuNs(JsonView value) const {
  const std::optional<double> number = value.AsNumber();
  if (!number.has_value() || cpu_unit_ns_ == 0) return -1;
  const double cpu_ns = *number * cpu_unit_ns_;
  return cpu_ns >= 0 && cpu_ns < kMaxCpuNs ? static_cast<int64_t>(cpu_ns) : -1;
}

absl::Status FaultAt(const JsonPath& path, std::string_view what) {
  return absl::InvalidArgumentError(Concat(path.ToString(), ": ", what));
}

absl::StatusOr<int32_t> NoIndex(JsonView value, size_t limit, const JsonPath& path) {
  if (value.IsNull()) return kNoRow;
  const std::optional<int64_t> index = value.AsInteger();
  if (!index.has_value()) return FaultAt(path, Concat("a ", value.TypeName(), " is no index"));
  return FaultAt(path, Concat("index ", *index, " is out of range (", limit, " rows)"));
}

absl::StatusOr<int32_t> ReadCaller(JsonView value, size_t limit, const JsonPath& path) {
  absl::StatusOr<int32_t> row = ReadIndex(value, limit, path);
  return row.ok() || !value.AsInteger().has_value() ? row : FaultAt(path, "is no earlier row");
}

absl::StatusOr<ProfileMarkerPhase> ReadPhase(JsonView value, const JsonPath& path) {
  const absl::StatusOr<int32_t> phase = ReadIndex(value, 4, path);
  if (!phase.ok()) return phase.status();
  return static_cast<ProfileMarkerPhase>(std::max(*phase, 0));
}

absl::StatusOr<JsonView> NeedArray(JsonView object, std::string_view key, const JsonPath& path) {
  const JsonView value = object[key];
  if (value.IsArray()) return value;
  return FaultAt(path / key, value.Exists() ? Concat("is a ", value.TypeName(), ", not an array") : "is missing");
}

absl::StatusOr<JsonView> NeedObject(JsonView object, std::string_view key, const JsonPath& path) {
  const JsonView value = object[key];
  if (value.IsObject()) return value;
  return FaultAt(path / key, value.Exists() ? Concat("is a ", value.TypeName(), ", not an object") : "is missing");
}

double ReadTimeMs(JsonView value) {
  constexpr double kMaxMs = 1e15;  // thirty thousand years
  const double time_ms = value.NumberOr(0);
  return std::abs(time_ms) <= kMaxMs ? time_ms : 0;
}

double ReadWeight(JsonView value) { return BoundedWeight(value.NumberOr(1)); }

double BoundedWeight(double weight) {
  constexpr double kMaxWeight = 1e15;
  return weight >= 0 && weight <= kMaxWeight ? weight : 0;
}

std::string TextOf(JsonView value) {
  if (value.IsString()) return std::string(value.AsString());
  if (const auto integer = value.AsInteger()) return Concat(*integer);
  if (const auto number = value.AsNumber()) return Concat(*number);
  if (value.IsBool()) return value.IsTrue() ? "yes" : "no";
  return "";
}

ProfileSection::Entry SectionEntry(std::string_view label, JsonView value, std::string_view format) {
  using Kind = ProfileSection::Entry::Kind;
  if (value.IsNumber() && format == "duration") return {std::string(label), TextOf(value), Kind::kMs};
  // A number that is no count or size (a point in time, say) is shown as it is.
  const bool counts = value.IsNumber() && value.AsInteger().value_or(-1) >= 0;
  return {std::string(label), TextOf(value), !counts ? Kind::kText : format == "bytes" ? Kind::kBytes : Kind::kNumber};
}

std::string CutName(std::string_view name, size_t most_bytes) {
  if (name.size() <= most_bytes) return std::string(name);
  constexpr std::string_view kMark = "…";
  size_t end = most_bytes - kMark.size();
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;  // not within a character
  return Concat(name.substr(0, end), kMark);
}

void CutLongNames(ProfileModel* model) {
  const auto cut = [model](std::string* name) {
    if (name->size() <= kMaxNameBytes) return;
    *name = CutName(*name, kMaxNameBytes);
    ++model->cut_names;
  };
  const auto cut_row = [&](int32_t row) {
    if (row != kNoRow) cut(&model->strings[static_cast<size_t>(row)]);
  };
  for (const ProfileFunction& function : model->functions) {
    cut_row(function.name);
    cut_row(function.library);
  }
  for (const ProfileFrame& frame : model->frames) cut_row(frame.source);
  for (ProfileLibrary& library : model->libraries) {
    for (std::string* text : {&library.name, &library.path, &library.breakpad_id, &library.code_id}) cut(text);
  }
  for (ProfileProcess& process : model->processes) {
    for (std::string* text : {&process.pid, &process.name, &process.parent_pid}) cut(text);
  }
  for (ProfileThread& thread : model->threads) {
    cut(&thread.name);
    for (const ProfileMarker& marker : thread.markers) cut_row(marker.name);
  }
  if (model->cut_names == 0) return;
  model->sections.push_back({"names", {{Concat("Names cut at ", kMaxNameBytes, " bytes"), Concat(model->cut_names)}}});
}

void LoadExtra(JsonView extra, std::vector<ProfileSection>* sections) {
  for (size_t i = 0; i < extra.size(); ++i) {
    ProfileSection section{std::string(extra.At(i)["label"].AsString()), {}};
    const JsonView entries = extra.At(i)["entries"];
    for (size_t j = 0; j < entries.size(); ++j) {
      const JsonView entry = entries.At(j);
      section.entries.push_back(SectionEntry(entry["label"].AsString(), entry["value"], entry["format"].AsString()));
    }
    sections->push_back(std::move(section));
  }
}

}  // namespace geckoprof
