#include "tools/formats/perf_script_loader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/formats/imported_model.h"
#include "tools/formats/perf_script_line.h"
#include "tools/profile/concat.h"

namespace geckoprof {
namespace {

constexpr std::string_view kMarkerType = "perf event";

bool SaysNothing(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos || line.starts_with('#');
}

bool IsClock(std::string_view event) { return event.starts_with("cpu-clock") || event.starts_with("task-clock"); }

bool IsKernel(std::string_view library) {
  return library.starts_with("[kernel") || library.starts_with("[guest.kernel") || library.ends_with(".ko") ||
         library.starts_with("[bpf");
}

class PerfScriptLoader {
 public:
  PerfScriptLoader() : model_(EmptyImport("perf script")), builder_(&model_, ProfileDetail::kFull) {}

  absl::StatusOr<ProfileModel> Load(std::string_view text) {
    for (size_t number = 1; !text.empty(); ++number) {
      const std::string_view line = TakeLine(&text);
      if (!ReadLine(line)) {
        return absl::InvalidArgumentError(Concat("line ", number, ": is neither a sample nor a frame of perf script"));
      }
      if (model_.stacks.size() > kMaxImportedStacks) {
        return absl::ResourceExhaustedError(Concat("line ", number, ": more than ", kMaxImportedStacks, " stacks"));
      }
    }
    EndSample();
    model_.start_epoch_ms = 0;
    model_.interval_ms = interval_ms_ > 0 ? interval_ms_ : 1;
    NameProcesses();
    if (absl::Status status = FinishImport(&model_); !status.ok()) return status;
    return std::move(model_);
  }

 private:
  struct Frame {
    PerfFrameLine line;
    PerfSourceLine source;
  };

  bool ReadLine(std::string_view line) {
    if (SaysNothing(line)) {
      if (!line.starts_with('#')) EndSample();
      return true;
    }
    const bool is_indented = line[0] == ' ' || line[0] == '\t';
    if (is_indented && sample_.has_value()) {
      if (const std::optional<PerfFrameLine> frame = ParsePerfFrame(line)) {
        frames_.push_back({*frame, {}});
        return true;
      }
      const std::optional<PerfSourceLine> source = ParsePerfSource(line);
      if (source.has_value() && !frames_.empty()) {
        frames_.back().source = *source;
        return true;
      }
    }
    // A name is padded on its left, so a sample may be indented, too.
    std::optional<PerfSampleLine> sample = ParsePerfSample(line);
    if (!sample.has_value()) sample = ParseTimelessPerfSample(line);
    if (!sample.has_value()) return false;
    EndSample();
    sample_ = sample;
    if (const std::optional<PerfFrameLine> frame = ParsePerfFrame(sample->frame)) frames_.push_back({*frame, {}});
    return true;
  }

  void EndSample() {
    if (!sample_.has_value()) return;
    if (sample_->time_ms < 0) sample_->time_ms = static_cast<double>(timeless_++);
    if (!has_first_) {
      has_first_ = true;
      first_ms_ = sample_->time_ms;
      event_ = sample_->event;
      if (IsClock(event_) && sample_->period > 0) interval_ms_ = static_cast<double>(sample_->period) / 1e6;
    }
    ProfileThread& thread = Thread(*sample_);
    const double time_ms = std::max(0.0, sample_->time_ms - first_ms_);
    if (sample_->event == event_) {
      ProfileSample row;
      row.time_ms = time_ms;
      row.stack = Stack();
      if (IsClock(event_) && sample_->period >= 0) row.cpu_ns = sample_->period;
      builder_.AddSample(row, &thread);
    } else {
      AddMarker(time_ms, &thread);
    }
    frames_.clear();
    sample_.reset();
  }

  ProfileThread& Thread(const PerfSampleLine& sample) {
    if (model_.processes.empty()) only_pid_ = sample.tid;
    const int64_t pid = sample.pid >= 0 ? sample.pid : only_pid_;
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
    return thread;
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
      entry->second = builder_.Library({std::string(name), std::string(path), "", ""});
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

  void AddMarker(double time_ms, ProfileThread* thread) {
    if (model_.marker_schemas.empty()) {
      ProfileMarkerSchema schema;
      schema.name = kMarkerType;
      schema.display = {"marker-chart", "marker-table"};
      model_.marker_schemas.push_back(std::move(schema));
    }
    ProfileMarkerData data;
    data.type = builder_.Intern(kMarkerType);
    data.stack = Stack();
    data.first_field = static_cast<uint32_t>(model_.marker_fields.size());
    ProfileMarker marker;
    marker.name = builder_.Intern(sample_->event);
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
  bool has_first_ = false;
  double first_ms_ = 0, interval_ms_ = 0;
  uint64_t timeless_ = 0;   // samples without a time: one after the other
  std::string_view event_;  // whose samples are samples
  int64_t only_pid_ = 0;    // of a file without pids
  const std::string no_library_;
  absl::flat_hash_map<int64_t, int32_t> processes_;
  absl::flat_hash_map<std::pair<int64_t, int64_t>, size_t> threads_;
  absl::flat_hash_map<std::string, int32_t> libraries_;
};

}  // namespace

bool LooksLikePerfScript(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = TakeLine(&text);
    if (SaysNothing(line)) continue;
    if (ParsePerfSample(line).has_value()) return true;
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

absl::StatusOr<ProfileModel> LoadPerfScript(std::string_view text) { return PerfScriptLoader().Load(text); }

}  // namespace geckoprof
