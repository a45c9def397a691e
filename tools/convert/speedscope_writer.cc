#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "geckoprof/json/json_writer.h"
#include "tools/convert/format_writers.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// Frames that speedscope tells apart, and the stack rows' numbers of them, as text.
class SpeedscopeFrames {
 public:
  explicit SpeedscopeFrames(const ExportedProfile& profile) : profile_(profile) {
    const ProfileModel& model = profile.model();
    numbers_.reserve(model.stacks.size());
    for (const ProfileStack& stack : model.stacks) numbers_.push_back(Concat(NumberOf(stack)));
  }

  const std::string& NumberText(int32_t stack) const { return numbers_[static_cast<size_t>(stack)]; }

  void Write(JsonWriter& writer) const {
    writer.StartArrayProperty("frames");
    for (const ProfileFrame& frame : frames_) {
      writer.StartObject();
      writer.StringProperty("name", profile_.FunctionName(frame.function));
      const std::string file = profile_.Source(frame);
      if (!file.empty()) writer.StringProperty("file", file);
      writer.EndObject();
    }
    writer.EndArray();
  }

 private:
  // One for each function and file: the reader adds up by frame, and lines would split a function.
  size_t NumberOf(const ProfileStack& stack) {
    ProfileFrame key;
    key.function = stack.function;
    if (stack.frame != kNoRow) key.source = profile_.model().frames[static_cast<size_t>(stack.frame)].source;
    const auto [entry, added] = rows_.try_emplace(key, frames_.size());
    if (added) frames_.push_back(key);
    return entry->second;
  }

  const ExportedProfile& profile_;
  std::vector<ProfileFrame> frames_;
  absl::flat_hash_map<ProfileFrame, size_t> rows_;
  std::vector<std::string> numbers_;
};

// Samples of one thread with what each of them adds; equal stacks that follow one another are one.
struct SpeedscopeRun {
  int32_t stack = kNoRow;  // kNoRow: the thread did not run
  double weight = 0;
};

std::vector<SpeedscopeRun> Runs(const ExportedProfile& profile, const ProfileThread& thread, bool* any) {
  std::vector<SpeedscopeRun> runs;
  for (const ProfileSample& sample : thread.samples) {
    const int32_t stack = profile.Counts(thread, sample) ? sample.stack : kNoRow;
    *any = *any || stack != kNoRow;
    if (runs.empty() || runs.back().stack != stack) runs.push_back({stack, 0});
    // A gap is no sample. On the time line it is as long as its CPU time.
    const bool is_gap = profile.IsGapStack(stack) && profile.interval_ns() > 0;
    runs.back().weight +=
        is_gap ? static_cast<double>(sample.cpu_ns) / static_cast<double>(profile.interval_ns()) : sample.weight;
  }
  return runs;
}

class SpeedscopeWriter {
 public:
  SpeedscopeWriter(const ExportedProfile& profile, JsonWriter& writer)
      : profile_(profile), frames_(profile), writer_(writer), texts_(profile.model().stacks.size()) {}

  void Write() {
    const ProfileModel& model = profile_.model();
    writer_.StartObject();
    writer_.StringProperty("$schema", "https://www.speedscope.app/file-format-schema.json");
    writer_.StringProperty("name", profile_.ProcessName(0));
    writer_.StringProperty("exporter", "geckoprof");
    writer_.StartObjectProperty("shared");
    frames_.Write(writer_);
    writer_.EndObject();
    writer_.StartArrayProperty("profiles");
    for (const ProfileThread& thread : model.threads) WriteThread(thread);
    writer_.EndArray();
    writer_.UintProperty("activeProfileIndex", busiest_);
    writer_.EndObject();
  }

 private:
  void WriteThread(const ProfileThread& thread) {
    bool any = false;
    const std::vector<SpeedscopeRun> runs = Runs(profile_, thread, &any);
    if (!any) return;
    const bool in_samples = thread.weight_unit == ProfileWeightUnit::kSamples;
    const bool in_time = in_samples && profile_.interval_ns() > 0;
    const double unit = in_time ? static_cast<double>(profile_.interval_ns()) / 1e6 : 1;
    double end = 0, busy = 0;
    for (const SpeedscopeRun& run : runs) {
      end += run.weight * unit;
      if (run.stack != kNoRow) busy += run.weight;
    }
    if (busy > most_ && profile_.IsMain(thread)) {
      most_ = busy;
      busiest_ = written_;
    }
    ++written_;
    writer_.StartObject();
    writer_.StringProperty("type", "sampled");
    writer_.StringProperty("name", Concat(profile_.ThreadName(thread), " (", profile_.ProcessName(thread.process), " ",
                                          profile_.Pid(thread.process), "/", profile_.Tid(thread), ")"));
    writer_.StringProperty("unit", thread.weight_unit == ProfileWeightUnit::kBytes ? "bytes"
                                   : in_time || !in_samples                        ? "milliseconds"
                                                                                   : "none");
    writer_.IntProperty("startValue", 0);
    writer_.DoubleProperty("endValue", end);
    writer_.StartArrayProperty("samples");
    for (const SpeedscopeRun& run : runs) WriteStack(run.stack);
    writer_.EndArray();
    writer_.StartArrayProperty("weights");
    for (const SpeedscopeRun& run : runs) writer_.Double(run.weight * unit);
    writer_.EndArray();
    writer_.EndObject();
  }

  void WriteStack(int32_t stack) {
    if (stack == kNoRow) return writer_.Splice("[]");
    std::pair<size_t, size_t>& known = texts_[static_cast<size_t>(stack)];
    if (known.second != 0) return writer_.Splice(std::string_view(kept_).substr(known.first, known.second));
    text_.assign(1, '[');
    profile_.PathOf(stack, &path_);
    for (const int32_t row : path_) {
      if (text_.size() > 1) text_ += ',';
      text_ += frames_.NumberText(row);
    }
    text_ += ']';
    writer_.Splice(text_);
    if (kept_.size() + text_.size() > kMaxKeptBytes) return;
    known = {kept_.size(), text_.size()};
    kept_ += text_;
  }

  // Stacks come again and again: the texts of so many are kept.
  static constexpr size_t kMaxKeptBytes = size_t{64} << 20;

  const ExportedProfile& profile_;
  SpeedscopeFrames frames_;
  JsonWriter& writer_;
  std::vector<int32_t> path_;
  std::string text_;
  std::string kept_;
  std::vector<std::pair<size_t, size_t>> texts_;  // by row of model.stacks: place in kept_, size
  size_t written_ = 0, busiest_ = 0;
  double most_ = 0;
};

}  // namespace

void WriteSpeedscope(ExportedProfile& profile, FormatOutput* output) {
  output->WriteJson([&](JsonWriter& writer) { SpeedscopeWriter(profile, writer).Write(); });
}

}  // namespace geckoprof
