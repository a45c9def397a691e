#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/convert/format_loaders.h"
#include "tools/convert/imported_model.h"
#include "tools/convert/perf_script_line.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr std::string_view kMarkerType = "perf event";
constexpr size_t kMostFrames = size_t{1} << 18;  // of a stack; the kernel collects at most a few thousand

bool IsEmptyOrComment(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos || line.starts_with('#');
}

bool IsKernel(std::string_view library) {
  return library.starts_with("[kernel") || library.starts_with("[guest.kernel") || library.ends_with(".ko") ||
         library.starts_with("[bpf");
}

class PerfScriptLoader {
 public:
  explicit PerfScriptLoader(size_t text_bytes)
      : model_(EmptyImport("perf script")),
        builder_(&model_, ProfileDetail::kFull, text_bytes, ModelBuilder::kLinesRatio) {}

  absl::StatusOr<ProfileModel> Load(std::string_view text, std::string_view wanted_event,
                                    std::vector<std::string>* notes) {
    for (size_t number = 1; !text.empty(); ++number) {
      const std::string_view line = TakeLine(&text);
      if (!ReadLine(line)) {
        return absl::InvalidArgumentError(Concat("line ", number, ": is neither a sample nor a frame of perf script"));
      }
      if (frames_.size() > kMostFrames) {
        return absl::ResourceExhaustedError(Concat("line ", number, ": a stack of more than ", kMostFrames, " frames"));
      }
      if (absl::Status status = builder_.CountRows(0, 0); !status.ok()) return status;
    }
    EndSample();
    model_.start_epoch_ms = 0;
    if (!events_.empty()) {
      const absl::StatusOr<size_t> event = events_.Choose(wanted_event);
      if (!event.ok()) return event.status();
      Distribute(*event);
      NameEvents(*event, notes);
    }
    NameProcesses();
    if (absl::Status status = FinishImport(&model_); !status.ok()) return status;
    return std::move(model_);
  }

 private:
  struct Frame {
    PerfFrameLine line;
    PerfSourceLine source;
  };

  // A sample of any event: whether it is one of the profile's is known at the end.
  struct Row {
    double time_ms = 0;
    int64_t period = -1;
    size_t event = 0, thread = 0;
    int32_t stack = kNoRow;
  };

  bool ReadLine(std::string_view line) {
    if (IsEmptyOrComment(line)) {
      if (!line.starts_with('#')) EndSample();
      return true;
    }
    if (IsPerfRecord(line)) {
      EndSample();
      in_record_ = true;
      return true;
    }
    const bool is_indented = line[0] == ' ' || line[0] == '\t';
    if (is_indented && sample_.has_value() && !BeginsNext(line)) {
      if (const std::optional<PerfFrameLine> frame = ParsePerfFrame(line)) {
        frames_.push_back({*frame, {}});
        return true;
      }
      const std::optional<PerfSourceLine> source = ParsePerfSource(line);
      if (source.has_value() && !frames_.empty()) {
        frames_.back().source = *source;
        if (source->is_inlined) frames_.back().line.is_inlined = true;
        return true;
      }
    }
    // A name is padded on its left, so a sample may be indented, too.
    std::optional<PerfSampleLine> sample = ParsePerfSample(line);
    if (!sample.has_value()) sample = ParseTimelessPerfSample(line);
    if (!sample.has_value()) return is_indented && in_record_;  // namespaces take several lines
    EndSample();
    in_record_ = false;
    sample_ = sample;
    if (const std::optional<PerfFrameLine> frame = ParsePerfFrame(sample->frame)) frames_.push_back({*frame, {}});
    return true;
  }

  // Of samples without call chains each is a line, with its frame: one of a program whose name is a number, as bc, is
  // none of the line's before.
  bool BeginsNext(std::string_view line) const {
    return !sample_->frame.empty() && (ParsePerfSample(line).has_value() || ParseTimelessPerfSample(line).has_value());
  }

  void EndSample() {
    if (!sample_.has_value()) return;
    if (sample_->time_ms < 0) sample_->time_ms = static_cast<double>(timeless_++);
    builder_.Count(sizeof(Row) + sizeof(ProfileSample));
    rows_.push_back(
        {sample_->time_ms, sample_->period, events_.Add(sample_->event, sample_->period), Thread(*sample_), Stack()});
    frames_.clear();
    sample_.reset();
  }

  size_t Thread(const PerfSampleLine& sample) {
    if (!only_pid_.has_value() && sample.tid != kUnknownPerfTask) only_pid_ = sample.tid;
    int64_t pid = sample.pid;
    if (pid < 0 && sample.tid != kUnknownPerfTask) pid = *only_pid_;
    const auto [process, is_new_process] = processes_.try_emplace(pid, static_cast<int32_t>(model_.processes.size()));
    if (is_new_process) model_.processes.push_back({Concat(pid), "", 0});
    const auto [row, is_new] = threads_.try_emplace({pid, sample.tid}, model_.threads.size());
    if (is_new) {
      ProfileThread& thread = model_.threads.emplace_back();
      thread.process = process->second;
      thread.tid = sample.tid;
      thread.is_main = pid == sample.tid;
    }
    ProfileThread& thread = model_.threads[row->second];
    if (thread.name != sample.comm) thread.name = sample.comm;  // as it was called last
    return row->second;
  }

  // Gives the threads what is theirs. Lines of several recordings, or of perf's own buffers, need not come in order of
  // time.
  void Distribute(size_t event) {
    const bool is_clock = IsPerfClockEvent(events_.event(event).name);
    double first_ms = rows_[0].time_ms;
    for (const Row& row : rows_) first_ms = std::min(first_ms, row.time_ms);
    double interval_ms = 0;
    for (const Row& row : rows_) {
      ProfileThread& thread = model_.threads[row.thread];
      if (row.event != event) {
        AddMarker(row, row.time_ms - first_ms, &thread);
        continue;
      }
      ProfileSample sample;
      sample.time_ms = row.time_ms - first_ms;
      sample.stack = row.stack;
      if (is_clock && row.period >= 0) sample.cpu_ns = row.period;
      if (is_clock && row.period > 0 && interval_ms == 0) interval_ms = static_cast<double>(row.period) / 1e6;
      builder_.AddSample(sample, &thread);
    }
    model_.interval_ms = interval_ms > 0 ? interval_ms : 1;
  }

  void NameEvents(size_t event, std::vector<std::string>* notes) {
    const PerfEvents::Event& chosen = events_.event(event);
    if (chosen.name.empty()) return;
    ProfileSection section{"perf", {{"Event of the samples", std::string(chosen.written)}}};
    if (const uint64_t others = events_.CountOthers(event); others > 0) {
      const std::string list = events_.ListOthers(event);
      section.entries.push_back({"Events that are markers", list});
      notes->push_back(Concat(
          "the samples are those of ", chosen.written, " (", chosen.count, "); ", others,
          others == 1 ? " sample of another event became a marker: " : " samples of other events became markers: ",
          list, "; --event NAME takes another one's"));
    }
    if (const std::string periods = events_.ListPeriods(event); !periods.empty()) {
      section.entries.push_back({"Events that a sample stands for", periods});
      notes->push_back(Concat("the samples of ", chosen.written, " stand for ", periods,
                              " events each; each of them counts as one here, while `perf report` adds up the events"));
    }
    model_.sections.push_back(std::move(section));
  }

  void NameProcesses() {
    for (const ProfileThread& thread : model_.threads) {
      std::string& name = model_.processes[static_cast<size_t>(thread.process)].name;
      if (name.empty() || thread.is_main) name = thread.name;
    }
    if (model_.processes.size() == 1) model_.product = model_.processes[0].name;
  }

  int32_t Library(std::string_view path) {
    const auto [entry, added] = libraries_.try_emplace(std::string(path), kNoRow);
    if (added) {
      const size_t slash = path.rfind('/');
      const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
      entry->second = builder_.Library({CutName(name, kMaxLibraryNameBytes), std::string(path), "", ""});
    }
    return entry->second;
  }

  // The lines are innermost first; a function that was inlined has the library of the one that it was inlined into.
  int32_t Stack() {
    int32_t stack = kNoRow, library = kNoRow;
    bool is_kernel = false;
    for (size_t i = frames_.size(); i > 0; --i) {
      const Frame& line = frames_[i - 1];
      if (!line.line.is_inlined) {
        library = line.line.library.empty() ? kNoRow : Library(line.line.library);
        is_kernel = IsKernel(line.line.library);
      }
      ProfileFrame frame;
      frame.library = library;
      const std::string& name = library == kNoRow ? no_library_ : model_.libraries[static_cast<size_t>(library)].name;
      frame.function = builder_.Function(line.line.symbol.empty() ? "[unknown]" : line.line.symbol, name);
      frame.line = line.source.line;
      if (!line.source.file.empty()) frame.source = builder_.Intern(line.source.file);
      frame.category = static_cast<int32_t>(is_kernel ? ImportedCategory::kKernel : ImportedCategory::kUser);
      stack = builder_.AddModelStack(stack, builder_.FrameRow(frame));
    }
    return stack;
  }

  void AddMarker(const Row& row, double time_ms, ProfileThread* thread) {
    if (model_.marker_schemas.empty()) {
      MarkerTypeRow schema;
      schema.name = kMarkerType;
      schema.display = {"marker-chart", "marker-table"};
      model_.marker_schemas.push_back(std::move(schema));
    }
    ProfileMarkerData data;
    data.type = builder_.Intern(kMarkerType);
    data.stack = row.stack;
    data.first_field = static_cast<uint32_t>(model_.marker_fields.size());
    ProfileMarker marker;
    marker.name = builder_.Intern(events_.event(row.event).written);
    marker.start_ms = time_ms;
    marker.data = static_cast<int32_t>(model_.marker_data.size());
    marker.category = static_cast<int32_t>(ImportedCategory::kOther);
    model_.marker_data.push_back(data);
    thread->markers.push_back(marker);
  }

  ProfileModel model_;
  ModelBuilder builder_;
  std::optional<PerfSampleLine> sample_;  // the one being read
  std::vector<Frame> frames_;
  bool in_record_ = false;  // what was read last is none
  std::vector<Row> rows_;
  PerfEvents events_;
  uint64_t timeless_ = 0;            // samples without a time: one after the other
  std::optional<int64_t> only_pid_;  // of a file without pids: the first thread's number
  const std::string no_library_;
  absl::flat_hash_map<int64_t, int32_t> processes_;
  absl::flat_hash_map<std::pair<int64_t, int64_t>, size_t> threads_;
  absl::flat_hash_map<std::string, int32_t> libraries_;
};

}  // namespace

bool LooksLikePerfScript(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = TakeLine(&text);
    if (IsEmptyOrComment(line)) continue;
    if (IsPerfRecord(line) || ParsePerfSample(line).has_value()) return true;
    // Without a time the line could be of folded stacks: its frames must be there.
    const std::optional<PerfSampleLine> sample = ParseTimelessPerfSample(line);
    if (!sample.has_value()) return false;
    const size_t last = line.find_last_not_of(" \t") + 1, space = line.find_last_of(" \t", last - 1);
    if (!sample->frame.empty()) return !WholeNumber(line.substr(space + 1, last - space - 1)).has_value();
    const std::string_view next = TakeLine(&text);
    return !next.empty() && (next[0] == ' ' || next[0] == '\t') && ParsePerfFrame(next).has_value();
  }
  return false;
}

absl::StatusOr<ProfileModel> LoadPerfScript(std::string_view text, std::string_view event,
                                            std::vector<std::string>* notes) {
  std::vector<std::string> unread;
  return PerfScriptLoader(text.size()).Load(text, event, notes == nullptr ? &unread : notes);
}

}  // namespace geckoprof
