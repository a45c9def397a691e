#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tools/convert/format_loaders.h"
#include "tools/convert/imported_model.h"
#include "tools/convert/pprof_values.h"
#include "tools/convert/proto_fields.h"
#include "tools/convert/proto_wire.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr double kMaxPprofWeight = 1e15;  // sums of millions stay exact enough
constexpr double kMaxTimeNs = 1e18;       // 31 years

// Returns how many frames all samples may have together. A location is one or two bytes of a sample, and may stand for
// any number of functions, which were inlined. Real ones have two or three on average.
size_t MostFrames(size_t profile_bytes) { return std::max(size_t{1} << 24, profile_bytes); }

// Real samples have some hundred bytes.
constexpr size_t kMaxSampleBytes = size_t{1} << 20;

struct NamedUnit {
  uint64_t type = 0, unit = 0;  // strings
};

struct PprofMapping {
  uint64_t start = 0, offset = 0;
  int32_t library = kNoRow;  // row of the model
  int32_t name = kNoRow;     // row of the model's strings, of the library
};

struct PprofLocation {
  uint64_t mapping = 0, address = 0;
  std::vector<std::pair<uint64_t, int64_t>> lines;  // function, line; innermost first
  std::vector<int32_t> frames;                      // rows of the model, outermost first; empty: not made yet
};

struct PprofFunction {
  uint64_t name = 0, file = 0;
};

// A field that is a number.
uint64_t Number(std::string_view message, uint32_t field) {
  uint64_t number = 0;
  for (ProtoReader reader(message); reader.Next();) {
    if (reader.field() == field && reader.is_number()) number = reader.number();
  }
  return number;
}

class PprofLoader {
 public:
  explicit PprofLoader(size_t profile_bytes)
      : model_(EmptyImport("pprof")),
        builder_(&model_, ProfileDetail::kFull, profile_bytes, ModelBuilder::kPprofRatio),
        most_frames_(MostFrames(profile_bytes)) {}

  absl::StatusOr<ProfileModel> Load(std::string_view bytes, std::string_view wanted_value,
                                    std::vector<std::string>* notes) {
    if (absl::Status status = ReadTables(bytes); !status.ok()) return status;
    string_rows_.assign(strings_.size(), kNoRow);
    if (absl::Status status = ReadMappings(); !status.ok()) return status;
    ReadHead();
    if (absl::Status status = ChooseValues(wanted_value, notes); !status.ok()) return status;
    for (const std::string_view sample : samples_) {
      if (absl::Status status = ReadSample(sample); !status.ok()) return status;
    }
    NoteLeftOut(notes);
    if (absl::Status status = FinishImport(&model_); !status.ok()) return status;
    // The recording may have waited. The samples of several CPUs may last longer, and must be within it.
    const auto duration_ns = static_cast<int64_t>(head_.duration_nanos);
    model_.duration_ms = std::max(model_.duration_ms, static_cast<double>(duration_ns) / 1e6);
    return std::move(model_);
  }

 private:
  struct Head {
    uint64_t time_nanos = 0, duration_nanos = 0, period = 0, default_type = 0;
    NamedUnit period_type;
  };

  absl::Status ReadTables(std::string_view bytes) {
    ProtoReader reader(bytes);
    while (reader.Next()) {
      const std::string_view message = reader.bytes();
      if (absl::Status status = builder_.CountRows(1, sizeof message); !status.ok()) return status;
      switch (reader.field()) {
        case pprof::kSampleType:
          types_.push_back({Number(message, pprof::kType), Number(message, pprof::kUnit)});
          break;
        case pprof::kSample:
          samples_.push_back(message);
          break;
        case pprof::kMapping:
          mapping_messages_.push_back(message);
          break;
        case pprof::kLocation:
          ReadLocation(message);
          break;
        case pprof::kFunction:
          builder_.Count(2 * sizeof(PprofFunction));
          functions_[Number(message, pprof::kFunctionId)] = {Number(message, pprof::kFunctionName),
                                                             Number(message, pprof::kFunctionFile)};
          break;
        case pprof::kString:
          strings_.push_back(message);
          break;
        case pprof::kTimeNanos:
          head_.time_nanos = reader.number();
          break;
        case pprof::kDurationNanos:
          head_.duration_nanos = reader.number();
          break;
        case pprof::kPeriodType:
          head_.period_type = {Number(message, pprof::kType), Number(message, pprof::kUnit)};
          break;
        case pprof::kPeriod:
          head_.period = reader.number();
          break;
        case pprof::kDefaultSampleType:
          head_.default_type = reader.number();
          break;
        default:
          break;
      }
    }
    if (reader.failed()) return absl::DataLossError("the pprof data are truncated or corrupt");
    if (types_.empty()) return absl::InvalidArgumentError("no pprof profile: it has no sample type");
    return absl::OkStatus();
  }

  std::string_view Text(uint64_t string) const {
    return string < strings_.size() ? strings_[static_cast<size_t>(string)] : std::string_view();
  }

  // Returns the row of a string in the model. A string that very many rows name is looked up once.
  int32_t Row(uint64_t string) {
    if (string >= strings_.size()) return builder_.Intern("");
    int32_t& row = string_rows_[static_cast<size_t>(string)];
    if (row == kNoRow) row = builder_.Intern(Text(string));
    return row;
  }

  void ReadLocation(std::string_view message) {
    PprofLocation location;
    uint64_t id = 0;
    for (ProtoReader reader(message); reader.Next();) {
      if (reader.field() == pprof::kLocationId) id = reader.number();
      if (reader.field() == pprof::kLocationMapping) location.mapping = reader.number();
      if (reader.field() == pprof::kLocationAddress) location.address = reader.number();
      if (reader.field() != pprof::kLocationLine) continue;
      location.lines.emplace_back(Number(reader.bytes(), pprof::kLineFunction),
                                  static_cast<int64_t>(Number(reader.bytes(), pprof::kLineNumber)));
    }
    builder_.Count(sizeof(PprofLocation) + location.lines.size() * sizeof location.lines[0]);
    locations_[id] = std::move(location);
  }

  // When all strings are known.
  absl::Status ReadMappings() {
    for (const std::string_view message : mapping_messages_) {
      const std::string_view path = Text(Number(message, pprof::kMappingFile));
      const size_t slash = path.rfind('/');
      std::string name = CutName(slash == std::string_view::npos ? path : path.substr(slash + 1), kMaxLibraryNameBytes);
      if (name.empty()) name = "(no name)";
      PprofMapping mapping{Number(message, pprof::kMappingStart), Number(message, pprof::kMappingOffset)};
      mapping.name = builder_.Intern(name);
      const std::string_view build_id = Text(Number(message, pprof::kMappingBuildId));
      mapping.library =
          builder_.Library({std::move(name), CutName(path, kMaxNameBytes), "", CutName(build_id, kMaxNameBytes)});
      mappings_[Number(message, pprof::kMappingId)] = mapping;
      if (absl::Status status = builder_.CountRows(1, sizeof mapping); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  void ReadHead() {
    const double period_ns =
        static_cast<double>(static_cast<int64_t>(head_.period)) * PprofUnitNs(Text(head_.period_type.unit));
    if (period_ns >= 1e3 && period_ns <= 1e12) model_.interval_ms = period_ns / 1e6;
    const int64_t start_us = static_cast<int64_t>(head_.time_nanos) / 1000;
    if (start_us > 0) model_.start_epoch_ms = static_cast<double>(start_us) / 1e3;
  }

  absl::Status ChooseValues(std::string_view wanted, std::vector<std::string>* notes) {
    for (const NamedUnit& type : types_) values_.Add({Text(type.type), Text(type.unit)});
    const absl::StatusOr<PprofValues::Choice> choice = values_.Choose(wanted, Text(head_.default_type));
    if (!choice.ok()) return choice.status();
    choice_ = *choice;
    if (choice_.time.has_value()) time_unit_ns_ = PprofUnitNs(values_.type(*choice_.time).unit);
    const std::string others = values_.ListOthers(choice_), taken = values_.NameTaken(choice_);
    if (others.empty()) return absl::OkStatus();
    model_.sections.push_back({"pprof", {{"Value of the samples", taken}, {"Values left out", others}}});
    if (!wanted.empty()) return absl::OkStatus();
    notes->push_back(
        Concat("the samples are those of ", taken, "; left out: ", others, "; --event NAME takes another value"));
    return absl::OkStatus();
  }

  absl::Status ReadSample(std::string_view message) {
    if (message.size() > kMaxSampleBytes) {
      return absl::ResourceExhaustedError(Concat("sample ", read_ + 1, " has more than ", kMaxSampleBytes, " bytes"));
    }
    std::vector<uint64_t>&locations = sample_locations_, &values = sample_values_;
    locations.clear();
    values.clear();
    std::string_view thread_name, process_name;
    uint64_t pid = 0, tid = 0;
    ProtoReader reader(message);
    bool is_good = true;
    while (reader.Next()) {
      if (reader.field() == pprof::kSampleLocation) is_good = is_good && reader.AppendNumbers(&locations);
      if (reader.field() == pprof::kSampleValue) is_good = is_good && reader.AppendNumbers(&values);
      if (reader.field() != pprof::kSampleLabel) continue;
      const std::string_view key = Text(Number(reader.bytes(), pprof::kLabelKey));
      const std::string_view text = Text(Number(reader.bytes(), pprof::kLabelText));
      const uint64_t number = Number(reader.bytes(), pprof::kLabelNumber);
      if (key == "thread" || key == "thread_name" || key == "thread.name" || key == "thread_comm") thread_name = text;
      if (key == "process" || key == "comm") process_name = text;
      if (key == "tid" || key == "thread_id" || key == "thread.id") tid = number;
      if (key == "pid" || key == "process_id") pid = number;
    }
    if (reader.failed() || !is_good || values.size() > types_.size()) {
      return absl::DataLossError("a sample of the pprof data is corrupt");
    }
    // Any number of threads may have the same name.
    thread_name = thread_name.substr(0, kMaxNameBytes + 1);
    process_name = process_name.substr(0, kMaxNameBytes + 1);
    values.resize(types_.size(), 0);
    ++read_;
    ProfileSample sample;
    double last_ms = 0;
    const absl::StatusOr<bool> counts = Weigh(values, &sample, &last_ms);
    if (!counts.ok() || !*counts) return counts.status();
    const absl::StatusOr<int32_t> stack = Stack(locations);
    if (!stack.ok()) return stack.status();
    sample.stack = *stack;
    AddTo(Thread(pid, tid, process_name, thread_name), sample, last_ms);
    return absl::OkStatus();
  }

  // Its weight, its CPU time, and how long it takes on the time line. False: it counts nothing.
  absl::StatusOr<bool> Weigh(const std::vector<uint64_t>& values, ProfileSample* sample, double* last_ms) {
    const auto value = [&values](size_t number) { return static_cast<double>(static_cast<int64_t>(values[number])); };
    double time_ns = choice_.time.has_value() ? value(*choice_.time) * time_unit_ns_ : 0;
    // Of CPU time alone a sample is what the sampler waited for.
    const double per_sample = choice_.is_cpu_alone() ? model_.interval_ms : 1;
    const double weight = value(choice_.weight) * choice_.scale / per_sample;
    if (weight > kMaxPprofWeight || (choice_.has_cpu && time_ns > kMaxTimeNs)) {
      return absl::InvalidArgumentError(Concat("sample ", read_, ": the count is too large"));
    }
    if (weight < 0 || (weight == 0 && time_ns < 0)) ++negative_;
    if (weight == 0 && choice_.has_cpu && time_ns > 0) {
      ++uncounted_;
      uncounted_ns_ += time_ns;
    }
    if (weight <= 0) return false;
    time_ns = std::clamp(time_ns, 0.0, kMaxTimeNs);
    sample->weight = weight;
    // A row without CPU time would be an idle one, but here all were counted: what waited was asked for, too.
    if (choice_.has_cpu && time_ns >= 1) sample->cpu_ns = static_cast<int64_t>(time_ns);
    *last_ms = choice_.unit == ProfileWeightUnit::kBytes ? model_.interval_ms : weight * model_.interval_ms;
    if (choice_.unit == ProfileWeightUnit::kMs) *last_ms = weight;
    if (choice_.time.has_value()) *last_ms = time_ns / 1e6;
    return true;
  }

  void NoteLeftOut(std::vector<std::string>* notes) const {
    if (negative_ > 0) {
      notes->push_back(Concat(negative_, " of ", samples_.size(),
                              " samples are left out: their values are negative, as of a difference of two profiles"));
    }
    if (uncounted_ > 0) {
      notes->push_back(Concat(uncounted_, " of ", samples_.size(), " samples are left out: they count 0, though with ",
                              uncounted_ns_ / 1e6, " ms of CPU time, which --event ", values_.type(*choice_.time).name,
                              " takes"));
    }
  }

  // Its CPU time was used since the row before, so it stands at its own end.
  void AddTo(size_t thread, const ProfileSample& sample, double last_ms) {
    constexpr double kMaxMs = 1e14;
    double& now_ms = now_ms_[thread];
    ProfileSample row = sample;
    if (row.cpu_ns >= 0) now_ms = std::min(now_ms + last_ms, kMaxMs);
    row.time_ms = now_ms;
    if (row.cpu_ns < 0) now_ms = std::min(now_ms + last_ms, kMaxMs);
    builder_.Count(sizeof row);
    builder_.AddSample(row, &model_.threads[thread]);
  }

  absl::StatusOr<int32_t> Stack(const std::vector<uint64_t>& locations) {
    int32_t stack = kNoRow;
    for (size_t i = locations.size(); i > 0; --i) {
      const auto found = locations_.find(locations[i - 1]);
      if (found == locations_.end()) {
        return absl::InvalidArgumentError(Concat("a sample names location ", locations[i - 1], ", which is not there"));
      }
      PprofLocation& location = found->second;
      if (location.frames.empty()) MakeFrames(&location);
      visited_ += location.frames.size();
      if (visited_ > most_frames_) {
        return absl::ResourceExhaustedError(Concat("the stacks of its samples have more than ", most_frames_,
                                                   " frames, which is too much for its size"));
      }
      for (size_t frame = 0; frame < location.frames.size() && !builder_.IsTooLarge(); ++frame) {
        stack = builder_.AddModelStack(stack, location.frames[frame]);
      }
      if (absl::Status status = builder_.CountRows(0, 0); !status.ok()) return status;
    }
    return stack;
  }

  void MakeFrames(PprofLocation* location) {
    ProfileFrame frame;
    frame.category = static_cast<int32_t>(ImportedCategory::kUser);
    int32_t library = kNoRow;
    const auto mapping = mappings_.find(location->mapping);
    if (mapping != mappings_.end() && location->mapping != 0) {
      frame.library = mapping->second.library;
      library = mapping->second.name;
      const uint64_t address = location->address - mapping->second.start + mapping->second.offset;
      if (location->address >= mapping->second.start && address <= INT64_MAX) {
        frame.address = static_cast<int64_t>(address);
      }
    }
    if (location->lines.empty()) {
      const uint64_t address = frame.address >= 0 ? static_cast<uint64_t>(frame.address) : location->address;
      const std::string_view prefix = library == kNoRow ? std::string_view() : model_.Text(library);
      const int32_t name = builder_.Intern(Concat(prefix, prefix.empty() ? "0x" : "+0x", HexText(address)));
      frame.function = builder_.Function(name, library);
      location->frames.push_back(builder_.FrameRow(frame));
      return;
    }
    for (size_t i = location->lines.size(); i > 0 && !builder_.IsTooLarge(); --i) {
      const auto [id, line] = location->lines[i - 1];
      const auto found = functions_.find(id);
      const PprofFunction function = found == functions_.end() ? PprofFunction() : found->second;
      const int32_t name = Text(function.name).empty() ? builder_.Intern("(no name)") : Row(function.name);
      frame.function = builder_.Function(name, library);
      frame.source = Text(function.file).empty() ? kNoRow : Row(function.file);
      frame.line = line > 0 && line <= INT32_MAX ? static_cast<int32_t>(line) : 0;
      // Depths only tell functions at one address apart.
      if (frame.address >= 0) frame.inline_depth = static_cast<int32_t>(location->lines.size() - i);
      location->frames.push_back(builder_.FrameRow(frame));
    }
  }

  // A process of another name is what the one before it became by exec.
  int32_t Process(uint64_t pid, std::string_view name) {
    const auto [row, added] =
        processes_.try_emplace({pid, std::string(name)}, static_cast<int32_t>(model_.processes.size()));
    if (!added) return row->second;
    builder_.Count(2 * (sizeof(ProfileProcess) + name.size()));
    const uint64_t image = images_[pid]++;
    model_.processes.push_back({image == 0 ? Concat(pid) : Concat(pid, ".", image), std::string(name), 0});
    return row->second;
  }

  size_t Thread(uint64_t pid, uint64_t tid, std::string_view process_name, std::string_view thread_name) {
    pid = pid == 0 || pid > INT32_MAX ? 1 : pid;
    const int32_t process = Process(pid, process_name);
    const auto [row, added] = threads_.try_emplace({{process, tid}, std::string(thread_name)}, model_.threads.size());
    if (!added) return row->second;
    builder_.Count(2 * (sizeof(ProfileThread) + thread_name.size()));
    ProfileThread& thread = model_.threads.emplace_back();
    now_ms_.push_back(0);
    thread.process = process;
    thread.name = thread_name.empty() ? "samples" : thread_name;
    // Threads that have a name only get numbers of their own, and so does one that had another name before.
    const bool has_tid = tid > 0 && tid <= INT32_MAX && tids_.emplace(process, tid).second;
    uint64_t number = has_tid ? tid : model_.threads.size();
    while (!has_tid && !tids_.emplace(process, number).second) ++number;
    thread.tid = static_cast<int64_t>(number);
    thread.is_main = has_tid && tid == pid;
    thread.weight_unit = choice_.unit;
    return row->second;
  }

  ProfileModel model_;
  ModelBuilder builder_;
  Head head_;
  std::vector<std::string_view> strings_, samples_, mapping_messages_;
  std::vector<int32_t> string_rows_;  // of the model, by row of strings_
  std::vector<NamedUnit> types_;
  absl::flat_hash_map<uint64_t, PprofMapping> mappings_;
  absl::flat_hash_map<uint64_t, PprofLocation> locations_;
  absl::flat_hash_map<uint64_t, PprofFunction> functions_;
  PprofValues values_;
  PprofValues::Choice choice_;
  double time_unit_ns_ = 0;                                 // of choice_.time
  size_t read_ = 0, negative_ = 0, uncounted_ = 0;          // samples
  double uncounted_ns_ = 0;                                 // CPU time of those
  std::vector<uint64_t> sample_locations_, sample_values_;  // of the sample that is being read
  const size_t most_frames_;
  size_t visited_ = 0;
  absl::flat_hash_map<std::pair<uint64_t, std::string>, int32_t> processes_;
  absl::flat_hash_map<uint64_t, uint64_t> images_;  // of a pid
  absl::flat_hash_map<std::pair<std::pair<int32_t, uint64_t>, std::string>, size_t> threads_;
  absl::flat_hash_set<std::pair<int32_t, uint64_t>> tids_;  // of a process
  std::vector<double> now_ms_;                              // by thread
};

// Nothing but numbers of strings. In a text that begins as a message does, with an empty line, other bytes follow.
bool IsValueType(std::string_view message, size_t most_strings) {
  ProtoReader reader(message);
  while (reader.Next()) {
    const bool is_known = reader.field() == pprof::kType || reader.field() == pprof::kUnit;
    if (!is_known || !reader.is_number() || reader.number() > most_strings) return false;
  }
  return !reader.failed();
}

}  // namespace

// Most writers begin with the types of the values; Go's own begin with any field.
bool LooksLikePprof(std::string_view bytes) {
  ProtoReader first(bytes);
  if (first.Next() && first.field() == pprof::kSampleType && !first.is_number() &&
      IsValueType(first.bytes(), bytes.size())) {
    return true;
  }
  bool has_type = false, has_string = false;
  ProtoReader reader(bytes);
  while (reader.Next()) {
    if (reader.field() > pprof::kLastField) return false;
    if (reader.field() != pprof::kComment && reader.is_number() != pprof::IsNumber(reader.field())) return false;
    if (reader.field() == pprof::kSampleType && !IsValueType(reader.bytes(), bytes.size())) return false;
    has_type = has_type || reader.field() == pprof::kSampleType;
    has_string = has_string || reader.field() == pprof::kString;
  }
  return !reader.failed() && has_type && has_string;
}

absl::StatusOr<ProfileModel> LoadPprof(std::string_view bytes, std::string_view value,
                                       std::vector<std::string>* notes) {
  std::vector<std::string> unread;
  return PprofLoader(bytes.size()).Load(bytes, value, notes == nullptr ? &unread : notes);
}

}  // namespace geckoprof
