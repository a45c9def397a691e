#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "geckoprof/gecko_json/marker_field_writer.h"
#include "geckoprof/json/json_writer.h"
#include "tools/convert/format_writers.h"
#include "tools/json/json_copy.h"
#include "tools/processed_format/processed_file.h"
#include "tools/profile/model_builder.h"
#include "tools/profile/overhead_copy.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// ModelSource puts the frames and stacks of a model into the shared tables. They have the same rows there. Lifetime: a
// view of the model.
class ModelSource final : public ProcessedSource {
 public:
  ModelSource(const ProfileModel& model, JsonView overheads)
      : model_(model), overheads_(overheads), string_rows_(model.strings.size(), kNoRow) {
    for (const ProfileLibrary& library : model.libraries) AddLibrary(library);
    tables_.Reserve(model.frames.size(), model.stacks.size());
    for (const ProfileFrame& frame : model.frames) AddFrame(frame);
    for (const ProfileStack& stack : model.stacks) {
      tables_.AppendStack(stack.prefix, stack.frame == kNoRow ? BareFrame(stack) : stack.frame);
    }
    for (const MarkerTypeRow& type : model.marker_schemas) marker_types_.try_emplace(type.name, &type);
    MakeCategories();
  }

  const SharedTables& tables() const { return tables_; }

  void WriteThreads(JsonWriter& writer) override {
    for (const ProfileThread& thread : model_.threads) WriteThread(thread, writer);
  }

  bool HasCounters() const override { return !model_.counters.empty(); }
  void WriteCounters(JsonWriter& writer) override {
    for (const ProfileCounter& counter : model_.counters) WriteModelCounter(counter, writer);
  }
  void WriteOverhead(JsonWriter& writer) override {
    if (overheads_.size() == 0) return;
    writer.StartArrayProperty("profilerOverhead");
    for (size_t i = 0; i < overheads_.size(); ++i) {
      const std::string pid = TextOf(overheads_.At(i)["pid"]);
      const auto process = std::ranges::find(model_.processes, pid, [](const ProfileProcess& p) { return p.pid; });
      const auto thread = MainThreadOf(static_cast<int32_t>(process - model_.processes.begin()));
      if (!thread.has_value()) continue;
      CopyOverhead(
          overheads_.At(i), pid, *thread, [&](JsonView looks) { CopyJson(looks, writer); }, writer);
    }
    writer.EndArray();
  }

  void WriteMeta(JsonWriter& writer) override {
    ProfileHead head;
    head.start_epoch_ms = model_.start_epoch_ms;
    if (const double end_ms = model_.begin_ms + model_.duration_ms; end_ms > LastMs() + model_.interval_ms) {
      head.recording_start_time = TimeCell(model_.begin_ms);
      head.recording_end_time = TimeCell(end_ms);
    }
    head.interval = TimeCell(model_.interval_ms > 0 ? model_.interval_ms : 1);
    head.product = model_.product;
    head.oscpu = model_.machine;
    head.command_line = model_.command_line;
    head.imported_from = "geckoprof convert";
    head.has_symbols = !has_bare_addresses_;
    head.categories = categories_;
    head.marker_types = model_.marker_schemas;
    WriteHead(head, writer);
    writer.StartArrayProperty("extra");
    for (const ProfileSection& section : model_.sections) {
      ExtraSection extra(section.label, writer);
      for (const ProfileSection::Entry& entry : section.entries) extra.Text(entry.label, entry.value);
    }
    writer.EndArray();
  }

 private:
  std::string_view Text(int32_t string) const { return model_.strings[static_cast<size_t>(string)]; }

  // Returns the row here of a string of the model.
  int32_t String(int32_t string) {
    int32_t& row = string_rows_[static_cast<size_t>(string)];
    if (row == kNoRow) row = static_cast<int32_t>(tables_.String(Text(string)));
    return row;
  }

  // Adds the frame of a stack that has none, or finds the one of an earlier stack.
  int32_t BareFrame(const ProfileStack& stack) {
    const auto [row, is_new] =
        bare_frames_.try_emplace({stack.function, stack.category}, static_cast<int32_t>(tables_.frames().size()));
    ProfileFrame frame;
    frame.function = stack.function;
    frame.category = stack.category;
    if (is_new) AddFrame(frame);
    return row->second;
  }

  void AddLibrary(const ProfileLibrary& library) {
    const std::string& path = library.path.empty() ? library.name : library.path;
    libs_.push_back(tables_.AddLib({"", library.name, path, library.name, path, library.breakpad_id, library.code_id}));
    resources_.push_back(tables_.LibResource(libs_.back()));
  }

  void AddFrame(const ProfileFrame& frame) {
    SharedTables::Func func{FuncName(frame)};
    SharedTables::Frame made;
    if (frame.library != kNoRow) {
      made.lib = libs_[static_cast<size_t>(frame.library)];
      func.resource = resources_[static_cast<size_t>(frame.library)];
    }
    if (frame.source != kNoRow) {
      func.source = tables_.AddSource({static_cast<uint32_t>(String(frame.source)), "", 1, 1, kNoRow, ""});
    }
    made.func = tables_.AddFunc(func);
    made.address = frame.address;
    made.inline_depth = frame.inline_depth;
    made.category = frame.category;
    if (frame.line > 0) made.line = frame.line;
    if (frame.column > 0) made.column = frame.column;
    tables_.AppendFrame(made);
  }

  // "libc.so.6+0x1c15" is "0x1c15" in the file, where the function has its library beside it.
  uint32_t FuncName(const ProfileFrame& frame) {
    const int32_t name = model_.functions[static_cast<size_t>(frame.function)].name;
    if (frame.library == kNoRow) return static_cast<uint32_t>(String(name));
    const std::string prefix = model_.libraries[static_cast<size_t>(frame.library)].name + "+";
    if (!Text(name).starts_with(Concat(prefix, "0x"))) return static_cast<uint32_t>(String(name));
    has_bare_addresses_ = true;
    return tables_.String(Text(name).substr(prefix.size()));
  }

  // The viewer needs a grey category. Markers without a category have it.
  void MakeCategories() {
    for (size_t i = 0; i < model_.categories.size(); ++i) {
      const bool has_color = i < model_.category_colors.size() && !model_.category_colors[i].empty();
      categories_.push_back({model_.categories[i], has_color ? model_.category_colors[i] : "grey", {"Other"}});
    }
    const auto grey = std::ranges::find(categories_, "grey", &CategoryRow::color);
    fallback_category_ = grey - categories_.begin();
    if (grey == categories_.end()) categories_.push_back({"Other", "grey", {"Other"}});
  }

  // Returns the time of the last row. Readers show nothing beyond the end that is written, and everything without one.
  double LastMs() const {
    double last_ms = model_.begin_ms;
    for (const ProfileThread& thread : model_.threads) {
      for (const auto* samples : {&thread.samples, &thread.frees}) {
        for (const ProfileSample& sample : *samples) last_ms = std::max(last_ms, sample.time_ms);
      }
      for (const ProfileMarker& marker : thread.markers) last_ms = std::max({last_ms, marker.start_ms, marker.end_ms});
    }
    for (const ProfileCounter& counter : model_.counters) last_ms = std::max(last_ms, counter.last_ms);
    return last_ms;
  }

  void WriteThread(const ProfileThread& row, JsonWriter& writer) {
    const ProfileProcess& process = model_.processes[static_cast<size_t>(row.process)];
    const double first_ms = row.samples.empty() ? 0 : std::min(0.0, row.samples[0].time_ms);
    ProcessedThread thread;
    thread.process_startup_time = TimeCell(process.shift_ms);
    thread.register_time = TimeCell(row.register_ms.value_or(first_ms));
    if (row.unregister_ms.has_value()) thread.unregister_time = TimeCell(*row.unregister_ms);
    thread.name = row.name.empty() ? "thread" : row.name;
    thread.is_main = row.is_main;
    thread.process_name = process.name;
    thread.pid = process.pid;
    thread.parent_pid = process.parent_pid;
    thread.tid = row.tid;
    StartThread(thread, writer);
    WriteThreadSamples(row, writer);
    WriteThreadMarkers(row, writer);
    writer.EndObject();
  }

  // The format's readers take the CPU time of a thread's first row for that before the recording. Where it counts, a
  // row stands ahead that counts nothing: no stack, no CPU time, no weight.
  static bool HasLeadingRow(const ProfileThread& thread) {
    if (!thread.starts_later || thread.samples.empty()) return false;
    return thread.samples[0].cpu_ns > 0 || thread.begin_ms.has_value();
  }

  // The sample's own CPU time before it, though not before the recording.
  static double LeadingTimeMs(const ProfileThread& thread) {
    const ProfileSample& first = thread.samples[0];
    if (thread.begin_ms.has_value() && *thread.begin_ms <= first.time_ms) return *thread.begin_ms;
    return std::max(first.time_ms - static_cast<double>(first.cpu_ns) / 1e6, std::min(0.0, first.time_ms));
  }

  static std::vector<ProfileSample> WithLeadingRow(const ProfileThread& thread) {
    std::vector<ProfileSample> rows = {ProfileSample{LeadingTimeMs(thread), 0, 0, kNoRow}};
    rows.insert(rows.end(), thread.samples.begin(), thread.samples.end());
    return rows;
  }

  void WriteThreadSamples(const ProfileThread& thread, JsonWriter& writer) const {
    std::vector<ProfileSample> extended;
    if (HasLeadingRow(thread)) extended = WithLeadingRow(thread);
    const std::vector<ProfileSample>& samples = extended.empty() ? thread.samples : extended;
    size_t free = 0;  // samples that were freed weigh 0
    const auto weight_of = [&](const ProfileSample& sample) {
      const bool is_free = sample.weight == 0 && free < thread.frees.size() &&
                           thread.frees[free].time_ms == sample.time_ms && thread.frees[free].stack == sample.stack;
      return JsonNumber::Double(is_free ? -thread.frees[free++].weight : sample.weight);
    };
    const auto fill = [&](SampleColumn column, size_t first_row, std::span<JsonNumber> cells) {
      if (first_row == 0) free = 0;
      const auto fill_by = [&](const auto& cell) { FillFromRows(samples, first_row, cells, cell); };
      const auto fill_state = [&](const auto& number_of) {
        fill_by([&](const ProfileSample& s) {
          return thread.has_states ? JsonNumber::Int(number_of(s)) : JsonNumber::Null();
        });
      };
      switch (column) {
        case SampleColumn::kStack:
          return fill_by([&](const ProfileSample& s) { return RowCell(s.stack); });
        case SampleColumn::kTime:
          return fill_by([](const ProfileSample& s) { return TimeCell(s.time_ms); });
        case SampleColumn::kWeight:
          return fill_by(weight_of);
        case SampleColumn::kEventDelay:
          return fill_by([](const ProfileSample&) { return JsonNumber::Null(); });
        case SampleColumn::kCpuDelta:
          return fill_by(
              [](const ProfileSample& s) { return s.cpu_ns < 0 ? JsonNumber::Null() : JsonNumber::Int(s.cpu_ns); });
        case SampleColumn::kState:
          return fill_state(
              [](const ProfileSample& s) { return s.begins_wait ? kBeginsToWait : static_cast<int64_t>(s.state); });
        case SampleColumn::kWaitCause:
          return fill_state([](const ProfileSample& s) { return static_cast<int64_t>(s.cause); });
        case SampleColumn::kReadyDelta:
          return fill_state([](const ProfileSample& s) { return s.ready_ns; });
        case SampleColumn::kLock:
          return fill_state([&](const ProfileSample& s) { return static_cast<int64_t>(LockWaitOf(s).address); });
        case SampleColumn::kLockHolder:
          return fill_state([&](const ProfileSample& s) { return LockWaitOf(s).holder_tid; });
      }
    };
    const std::string_view weight_type = thread.weight_unit == ProfileWeightUnit::kSamples ? "samples"
                                         : thread.weight_unit == ProfileWeightUnit::kBytes ? "bytes"
                                                                                           : "tracing-ms";
    WriteSamples({samples.size(), thread.has_states, weight_type}, fill, writer);
  }

  ProfileLockWait LockWaitOf(const ProfileSample& sample) const {
    return sample.lock_wait == kNoRow ? ProfileLockWait() : model_.lock_waits[static_cast<size_t>(sample.lock_wait)];
  }

  void WriteThreadMarkers(const ProfileThread& thread, JsonWriter& writer) {
    const auto fill = [&](MarkerColumn column, size_t first_row, std::span<JsonNumber> cells) {
      FillFromRows(thread.markers, first_row, cells,
                   [&](const ProfileMarker& marker) { return MarkerCell(marker, column); });
    };
    WriteMarkers(
        thread.markers.size(), fill, [&](size_t row) { WriteData(thread.markers[row].data, writer); }, writer);
  }

  JsonNumber MarkerCell(const ProfileMarker& marker, MarkerColumn column) {
    const auto phase = static_cast<int64_t>(marker.phase);
    switch (column) {
      case MarkerColumn::kName:
        return JsonNumber::Int(String(marker.name));
      case MarkerColumn::kStartTime:
        return HasStartTime(phase) ? TimeCell(marker.start_ms) : JsonNumber::Null();
      case MarkerColumn::kEndTime:
        return HasEndTime(phase) ? TimeCell(marker.end_ms) : JsonNumber::Null();
      case MarkerColumn::kPhase:
        return JsonNumber::Int(phase);
      case MarkerColumn::kCategory:
        return JsonNumber::Int(marker.category == kNoRow ? fallback_category_ : marker.category);
    }
    return JsonNumber::Null();
  }

  void WriteData(int32_t row, JsonWriter& writer) {
    if (row == kNoRow) return writer.Null();
    const ProfileMarkerData& data = model_.marker_data[static_cast<size_t>(row)];
    const std::string_view type = data.type == kNoRow ? "" : Text(data.type);
    const auto declared = marker_types_.find(type);
    writer.StartObject();
    writer.StringProperty("type", type);
    for (uint32_t i = 0; i < data.field_count; ++i) {
      const ProfileMarkerField& field = model_.marker_fields[data.first_field + i];
      writer.Key(Text(field.key));
      switch (field.kind) {
        case ProfileMarkerField::Kind::kText:
          if (declared != marker_types_.end() && IsInStringTable(*declared->second, Text(field.key))) {
            writer.Int(String(field.text));
          } else {
            writer.String(Text(field.text));
          }
          break;
        case ProfileMarkerField::Kind::kNumber:
          writer.Double(field.number);
          break;
        case ProfileMarkerField::Kind::kBool:
          writer.Bool(field.number != 0);
          break;
        case ProfileMarkerField::Kind::kJson:
          writer.Splice(Text(field.text));
          break;
      }
    }
    WriteCause(JsonNumber::Null(), JsonNumber::Null(), data.stack, writer);
    writer.EndObject();
  }

  std::optional<size_t> MainThreadOf(int32_t process) const {
    const auto& threads = model_.threads;
    const auto main = std::find_if(threads.begin(), threads.end(), [&](const ProfileThread& thread) {
      return thread.process == process && thread.is_main;
    });
    return main == threads.end() ? std::nullopt : std::optional(static_cast<size_t>(main - threads.begin()));
  }

  void WriteModelCounter(const ProfileCounter& counter, JsonWriter& writer) const {
    const std::optional<size_t> main_thread = MainThreadOf(counter.process);
    if (!main_thread.has_value()) return;
    CounterRow row;
    row.name = counter.name;
    row.category = counter.category;
    row.description = counter.description;
    row.unit = counter.unit;
    row.color = counter.color;
    row.is_rate = counter.is_rate;
    row.has_number = counter.has_operations;
    const auto fill = [&](CounterColumn column, size_t first_row, std::span<JsonNumber> cells) {
      FillFromRows(counter.rows, first_row, cells, [&](const ProfileCounter::Row& cell) {
        if (column == CounterColumn::kTime) return TimeCell(cell.time_ms);
        return JsonNumber::Double(column == CounterColumn::kCount ? cell.count : cell.operations);
      });
    };
    WriteCounter(row, model_.processes[static_cast<size_t>(counter.process)].pid, *main_thread, counter.rows.size(),
                 fill, writer);
  }

  const ProfileModel& model_;
  const JsonView overheads_;
  SharedTables tables_;
  bool has_bare_addresses_ = false;        // names of functions that only symbols can tell
  std::vector<int32_t> libs_, resources_;  // rows here, by those of the model
  std::vector<int32_t> string_rows_;       // likewise; kNoRow: not asked for yet
  std::vector<CategoryRow> categories_;
  int64_t fallback_category_ = 0;
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> bare_frames_;  // by function and category
  absl::flat_hash_map<std::string_view, const MarkerTypeRow*> marker_types_;
};

}  // namespace

void WriteModel(const ProfileModel& model, FormatOutput* output, JsonView overheads) {
  ModelSource source(model, overheads);
  output->WriteJson([&](JsonWriter& writer) { WriteProcessedFile(source, source.tables(), writer); });
}

}  // namespace geckoprof
