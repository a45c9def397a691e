#include "tools/convert/model_writer.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "geckoprof/gecko_json/format_versions.h"
#include "geckoprof/json/json_writer.h"
#include "geckoprof/reader/marker_formats.h"
#include "tools/convert/model_tables.h"
#include "tools/processed_format/json_column.h"
#include "tools/processed_format/processed_file.h"

namespace geckoprof {
namespace {

// A time with ns, without the digits that a double adds.
void WriteMs(double time_ms, JsonWriter& writer) {
  const double time_ns = std::round(time_ms * 1e6);
  if (std::abs(time_ns) < 9e18) {
    writer.TimeMs(static_cast<int64_t>(time_ns));
  } else {
    writer.Double(time_ms);
  }
}

class ModelWriter {
 public:
  ModelWriter(const ProfileModel& model, JsonWriter& writer) : model_(model), writer_(writer), tables_(model) {
    for (const ProfileMarkerSchema& schema : model.marker_schemas) {
      for (const ProfileMarkerSchema::Field& field : schema.fields) {
        if (IsStringIndexFormat(field.format)) index_fields_.insert({schema.name, field.key});
      }
    }
  }

  void Write() {
    writer_.StartObject();
    WriteMeta();
    tables_.WriteLibs(writer_);
    writer_.StartArrayProperty("pages");
    writer_.EndArray();
    writer_.StartArrayProperty("threads");
    for (const ProfileThread& thread : model_.threads) WriteThread(thread);
    writer_.EndArray();
    WriteCounters();
    tables_.WriteShared(writer_);
    writer_.EndObject();
  }

 private:
  void WriteMeta() {
    writer_.StartObjectProperty("meta");
    writer_.IntProperty("version", GeckoVersion::kWritten);
    writer_.IntProperty("preprocessedProfileVersion", ProcessedVersion::kWritten);
    writer_.DoubleProperty("startTime", model_.start_epoch_ms);
    writer_.DoubleProperty("interval", model_.interval_ms > 0 ? model_.interval_ms : 1);
    WriteDuration();
    for (const std::string_view key : {"processType", "debug"}) writer_.IntProperty(key, 0);
    writer_.IntProperty("stackwalk", 1);
    writer_.StringProperty("product", model_.product);
    writer_.StringProperty("oscpu", model_.machine);
    writer_.StringProperty("platform", "");
    writer_.StringProperty("arguments", model_.command_line);
    writer_.StringProperty("importedFrom", "geckoprof convert");
    writer_.Key("sampleUnits");
    writer_.Splice(R"({"time":"ms","eventDelay":"ms","threadCPUDelta":"ns"})");
    WriteCategories();
    WriteSchemas();
    writer_.BoolProperty("symbolicated", !tables_.has_bare_addresses());
    for (const std::string_view flag :
         {"usesOnlyOneStackType", "sourceCodeIsNotOnSearchfox", "keepProfileThreadOrder"}) {
      writer_.BoolProperty(flag, true);
    }
    WriteExtra();
    writer_.EndObject();
  }

  // Only where the recording went on after all that is in the profile: readers show nothing beyond the end that is
  // written, and without one everything.
  void WriteDuration() {
    double last_ms = model_.begin_ms;
    for (const ProfileThread& thread : model_.threads) {
      for (const auto* samples : {&thread.samples, &thread.frees}) {
        for (const ProfileSample& sample : *samples) last_ms = std::max(last_ms, sample.time_ms);
      }
      for (const ProfileMarker& marker : thread.markers) {
        last_ms = std::max({last_ms, marker.start_ms, marker.end_ms});
      }
    }
    for (const ProfileCounter& counter : model_.counters) last_ms = std::max(last_ms, counter.last_ms);
    const double end_ms = model_.begin_ms + model_.duration_ms;
    if (end_ms <= last_ms + model_.interval_ms) return;  // a sample lasts an interval
    writer_.Key("profilingStartTime");
    WriteMs(model_.begin_ms, writer_);
    writer_.Key("profilingEndTime");
    WriteMs(end_ms, writer_);
  }

  void WriteCategories() {
    writer_.StartArrayProperty("categories");
    const auto write = [&](std::string_view name, std::string_view color) {
      writer_.StartObject();
      writer_.StringProperty("name", name);
      writer_.StringProperty("color", color.empty() ? "grey" : color);
      writer_.Key("subcategories");
      writer_.Splice(R"(["Other"])");
      writer_.EndObject();
    };
    for (size_t i = 0; i < model_.categories.size(); ++i) {
      write(model_.categories[i], i < model_.category_colors.size() ? model_.category_colors[i] : "");
    }
    const auto& colors = model_.category_colors;
    if (std::find(colors.begin(), colors.end(), "grey") == colors.end()) write("Other", "grey");
    writer_.EndArray();
  }

  void WriteSchemas() {
    writer_.StartArrayProperty("markerSchema");
    for (const ProfileMarkerSchema& schema : model_.marker_schemas) {
      writer_.StartObject();
      writer_.StringProperty("name", schema.name);
      WriteText("description", schema.description);
      WriteText("tableLabel", schema.table_label);
      WriteText("chartLabel", schema.chart_label);
      WriteText("tooltipLabel", schema.tooltip_label);
      writer_.StartArrayProperty("display");
      for (const std::string& place : schema.display) writer_.String(place);
      writer_.EndArray();
      writer_.StartArrayProperty("fields");
      for (const ProfileMarkerSchema::Field& field : schema.fields) {
        writer_.StartObject();
        writer_.StringProperty("key", field.key);
        WriteText("label", field.label);
        if (field.format_json.empty()) {
          writer_.StringProperty("format", field.format.empty() ? "string" : field.format);
        } else {
          writer_.Key("format");
          writer_.Splice(field.format_json);
        }
        if (field.hidden) writer_.BoolProperty("hidden", true);
        writer_.EndObject();
      }
      writer_.EndArray();
      writer_.EndObject();
    }
    writer_.EndArray();
  }

  void WriteText(std::string_view key, std::string_view text) {
    if (!text.empty()) writer_.StringProperty(key, text);
  }

  void WriteExtra() {
    writer_.StartArrayProperty("extra");
    for (const ProfileSection& section : model_.sections) {
      writer_.StartObject();
      writer_.StringProperty("label", section.label);
      writer_.StartArrayProperty("entries");
      for (const ProfileSection::Entry& entry : section.entries) {
        writer_.StartObject();
        writer_.StringProperty("label", entry.label);
        writer_.StringProperty("format", "string");
        writer_.StringProperty("value", entry.value);
        writer_.EndObject();
      }
      writer_.EndArray();
      writer_.EndObject();
    }
    writer_.EndArray();
  }

  void TimeOrNull(std::string_view key, bool is_known, double time_ms) {
    writer_.Key(key);
    if (is_known) {
      WriteMs(time_ms, writer_);
    } else {
      writer_.Null();
    }
  }

  void WriteThread(const ProfileThread& thread) {
    const ProfileProcess& process = model_.processes[static_cast<size_t>(thread.process)];
    writer_.StartObject();
    writer_.StringProperty("processType", "default");
    TimeOrNull("processStartupTime", true, process.shift_ms);
    writer_.NullProperty("processShutdownTime");
    TimeOrNull("registerTime", true, thread.register_ms.value_or(FirstTimeMs(thread)));
    TimeOrNull("unregisterTime", thread.unregister_ms.has_value(), thread.unregister_ms.value_or(0));
    writer_.StartArrayProperty("pausedRanges");
    writer_.EndArray();
    writer_.StringProperty("name", thread.name.empty() ? "thread" : thread.name);
    writer_.BoolProperty("isMainThread", thread.is_main);
    writer_.StringProperty("processName", process.name);
    writer_.StringProperty("pid", process.pid);
    if (!process.parent_pid.empty()) writer_.StringProperty("parentPid", process.parent_pid);
    writer_.IntProperty("tid", thread.tid);
    WriteSamples(thread);
    WriteMarkers(thread);
    writer_.EndObject();
  }

  static double FirstTimeMs(const ProfileThread& thread) {
    return thread.samples.empty() ? 0 : std::min(0.0, thread.samples[0].time_ms);
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

  void WriteSamples(const ProfileThread& thread) {
    std::vector<ProfileSample> extended;
    if (HasLeadingRow(thread)) extended = WithLeadingRow(thread);
    const std::vector<ProfileSample>& samples = extended.empty() ? thread.samples : extended;
    writer_.StartObjectProperty("samples");
    WriteColumn("stack", samples, writer_, [&](const ProfileSample& sample) { IntOrNull(sample.stack, writer_); });
    WriteColumn("time", samples, writer_, [&](const ProfileSample& sample) { WriteMs(sample.time_ms, writer_); });
    const bool in_samples = thread.weight_unit == ProfileWeightUnit::kSamples;
    const bool is_weighted =
        !in_samples || std::any_of(samples.begin(), samples.end(), [](const auto& s) { return s.weight != 1; });
    if (is_weighted) {
      size_t free = 0;  // those that were freed weigh 0 among the samples
      WriteColumn("weight", samples, writer_, [&](const ProfileSample& sample) {
        const bool is_free = sample.weight == 0 && free < thread.frees.size() &&
                             thread.frees[free].time_ms == sample.time_ms && thread.frees[free].stack == sample.stack;
        WriteNumber(is_free ? -thread.frees[free++].weight : sample.weight);
      });
    } else {
      writer_.NullProperty("weight");
    }
    writer_.StringProperty("weightType", in_samples                                        ? "samples"
                                         : thread.weight_unit == ProfileWeightUnit::kBytes ? "bytes"
                                                                                           : "tracing-ms");
    if (std::any_of(samples.begin(), samples.end(), [](const auto& s) { return s.cpu_ns >= 0; })) {
      WriteColumn("threadCPUDelta", samples, writer_, [&](const ProfileSample& sample) {
        if (sample.cpu_ns >= 0) {
          writer_.Int(sample.cpu_ns);
        } else {
          writer_.Null();
        }
      });
    }
    if (thread.has_states) WriteStates(samples);
    writer_.UintProperty("length", samples.size());
    writer_.EndObject();
  }

  void WriteStates(const std::vector<ProfileSample>& samples) {
    const auto write = [&](std::string_view name, const auto& number_of) {
      WriteColumn(name, samples, writer_, [&](const ProfileSample& sample) { writer_.Int(number_of(sample)); });
    };
    write("state", [](const ProfileSample& sample) {
      return sample.begins_wait ? kBeginsToWait : static_cast<int64_t>(sample.state);
    });
    write("waitCause", [](const ProfileSample& sample) { return static_cast<int64_t>(sample.cause); });
    write("threadReadyDelta", [](const ProfileSample& sample) { return sample.ready_ns; });
    if (std::all_of(samples.begin(), samples.end(), [](const auto& s) { return s.lock_wait == kNoRow; })) return;
    const auto lock_of = [this](const ProfileSample& sample) {
      return sample.lock_wait == kNoRow ? ProfileLockWait() : model_.lock_waits[static_cast<size_t>(sample.lock_wait)];
    };
    write("lock", [&](const ProfileSample& sample) { return static_cast<int64_t>(lock_of(sample).address); });
    write("lockHolder", [&](const ProfileSample& sample) { return lock_of(sample).holder_tid; });
  }

  // Whole numbers without a fraction.
  void WriteNumber(double number) {
    if (number == std::floor(number) && std::abs(number) < 1e15) {
      writer_.Int(static_cast<int64_t>(number));
    } else {
      writer_.Double(number);
    }
  }

  void WriteMarkers(const ProfileThread& thread) {
    using Phase = ProfileMarkerPhase;
    const std::vector<ProfileMarker>& markers = thread.markers;
    const auto grey = std::find(model_.category_colors.begin(), model_.category_colors.end(), "grey");
    const auto fallback = static_cast<int64_t>(grey - model_.category_colors.begin());
    writer_.StartObjectProperty("markers");
    WriteColumn("name", markers, writer_, [&](const ProfileMarker& m) { writer_.Uint(tables_.String(m.name)); });
    writer_.StartArrayProperty("startTime");
    for (const ProfileMarker& m : markers) {
      m.phase == Phase::kIntervalEnd ? writer_.Null() : WriteMs(m.start_ms, writer_);
    }
    writer_.EndArray();
    writer_.StartArrayProperty("endTime");
    for (const ProfileMarker& m : markers) {
      const bool has_end = m.phase == Phase::kInterval || m.phase == Phase::kIntervalEnd;
      has_end ? WriteMs(m.end_ms, writer_) : writer_.Null();
    }
    writer_.EndArray();
    WriteColumn("phase", markers, writer_, [&](const ProfileMarker& m) { writer_.Int(static_cast<int64_t>(m.phase)); });
    WriteColumn("category", markers, writer_,
                [&](const ProfileMarker& m) { writer_.Int(m.category == kNoRow ? fallback : m.category); });
    WriteColumn("data", markers, writer_, [&](const ProfileMarker& m) { WriteData(m.data); });
    writer_.UintProperty("length", markers.size());
    writer_.EndObject();
  }

  void WriteData(int32_t row) {
    if (row == kNoRow) return writer_.Null();
    const ProfileMarkerData& data = model_.marker_data[static_cast<size_t>(row)];
    const std::string_view type = data.type == kNoRow ? "" : Text(data.type);
    writer_.StartObject();
    writer_.StringProperty("type", type);
    for (uint32_t i = 0; i < data.field_count; ++i) {
      const ProfileMarkerField& field = model_.marker_fields[data.first_field + i];
      writer_.Key(Text(field.key));
      switch (field.kind) {
        case ProfileMarkerField::Kind::kText:
          if (index_fields_.contains(std::pair<std::string, std::string>(type, Text(field.key)))) {
            writer_.Uint(tables_.String(field.text));
          } else {
            writer_.String(Text(field.text));
          }
          break;
        case ProfileMarkerField::Kind::kNumber:
          WriteNumber(field.number);
          break;
        case ProfileMarkerField::Kind::kBool:
          writer_.Bool(field.number != 0);
          break;
        case ProfileMarkerField::Kind::kJson:
          writer_.Splice(Text(field.text));
          break;
      }
    }
    if (data.stack != kNoRow) {
      writer_.StartObjectProperty("cause");
      writer_.IntProperty("stack", data.stack);
      writer_.EndObject();
    }
    writer_.EndObject();
  }

  std::string_view Text(int32_t string) const { return model_.strings[static_cast<size_t>(string)]; }

  void WriteCounters() {
    if (model_.counters.empty()) return;
    writer_.StartArrayProperty("counters");
    for (const ProfileCounter& counter : model_.counters) WriteCounter(counter);
    writer_.EndArray();
  }

  void WriteCounter(const ProfileCounter& counter) {
    const auto& threads = model_.threads;
    auto shown = std::find_if(threads.begin(), threads.end(), [&](const ProfileThread& thread) {
      return thread.process == counter.process && thread.is_main;
    });
    if (shown == threads.end()) return;
    CounterRow row;
    row.name = counter.name;
    row.category = counter.category;
    row.unit = counter.unit;
    row.color = counter.color;
    row.is_rate = counter.is_rate;
    row.has_number = counter.has_operations;
    row.description = counter.description;
    const auto fill = [&](CounterColumn column, size_t first_row, std::span<JsonNumber> cells) {
      FillFromRows(counter.rows, first_row, cells, [&](const ProfileCounter::Row& cell) {
        if (column == CounterColumn::kTime) return TimeCell(cell.time_ms);
        return JsonNumber::Double(column == CounterColumn::kCount ? cell.count : cell.operations);
      });
    };
    geckoprof::WriteCounter(row, model_.processes[static_cast<size_t>(counter.process)].pid,
                            static_cast<size_t>(shown - threads.begin()), counter.rows.size(), fill, writer_);
  }

  const ProfileModel& model_;
  JsonWriter& writer_;
  ModelTables tables_;
  absl::flat_hash_set<std::pair<std::string, std::string>> index_fields_;  // type, key
};

}  // namespace

void WriteModel(const ProfileModel& model, FormatOutput* output) {
  JsonWriter writer(output->json_sink());
  ModelWriter(model, writer).Write();
  // A sink that failed has told the output, the calls above are balanced.
  if (!writer.Finish()) return;
}

}  // namespace geckoprof
