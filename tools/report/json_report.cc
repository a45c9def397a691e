#include "tools/report/json_report.h"

#include <algorithm>
#include <utility>

#include "tools/report/json_text.h"
#include "tools/report/report_table.h"
#include "tools/report/section_totals.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

// Null: the file does not say.
void WriteGaps(const std::optional<GapSums>& gaps, JsonText* json) {
  json->Key("gaps");
  if (!gaps.has_value()) return json->Null();
  json->BeginObject();
  for (const auto& [key, number] : {std::pair("count", static_cast<int64_t>(gaps->count)),
                                    std::pair("cpuNs", gaps->cpu_ns), std::pair("longestNs", gaps->longest_ns)}) {
    json->Key(key);
    json->Integer(number);
  }
  json->EndObject();
}

void WriteAllocations(const AllocationSums& sums, JsonText* json) {
  json->Key("allocations");
  json->BeginObject();
  for (const auto& [key, number] : {std::pair("count", sums.count), std::pair("bytes", sums.bytes),
                                    std::pair("frees", sums.frees), std::pair("freedBytes", sums.freed_bytes)}) {
    json->Key(key);
    json->Number(number);
  }
  json->EndObject();
}

class JsonReport {
 public:
  JsonReport(const ProfileModel& model, const ProfileSummary& summary, size_t top)
      : model_(model), summary_(summary), top_(top) {}

  std::string Write(const std::string& file);

 private:
  void Text(std::string_view key, std::string_view value) {
    json_.Key(key);
    json_.String(CleanText(value));
  }
  void Number(std::string_view key, double value) {
    json_.Key(key);
    json_.Number(value);
  }
  void Integer(std::string_view key, int64_t value) {
    json_.Key(key);
    json_.Integer(value);
  }
  void FunctionName(int32_t row) {
    const ProfileFunction& function = model_.functions[static_cast<size_t>(row)];
    Text("name", model_.strings[static_cast<size_t>(function.name)]);
    if (function.library != kNoRow) Text("library", model_.strings[static_cast<size_t>(function.library)]);
  }
  void Meta(const std::string& file);
  void Threads();
  void Functions(std::string_view key, const std::vector<ProfileSummary::Function>& functions);
  void Path();
  void Markers();
  void Counters();
  void Sections();

  const ProfileModel& model_;
  const ProfileSummary& summary_;
  const size_t top_;
  JsonText json_;
};

void JsonReport::Meta(const std::string& file) {
  Text("file", file);
  Text("format", model_.format == ProfileFormat::kGecko ? "gecko" : "processed");
  Integer("version", model_.version);
  Text("product", model_.product);
  Text("command", model_.command_line);
  Text("machine", model_.machine);
  Text("end", RecordingText(model_, "End"));
  Number("startEpochMs", model_.start_epoch_ms);
  Number("durationMs", summary_.duration_ms);
  Number("intervalMs", model_.interval_ms);
  Integer("processes", static_cast<int64_t>(summary_.processes));
  Integer("programImages", static_cast<int64_t>(summary_.program_images));
  Number("samples", summary_.samples);
  Number("idleSamples", summary_.idle_samples);
  WriteCountedUnit(summary_, &json_);
  WriteGaps(summary_.gaps, &json_);
  Integer("markerCount", static_cast<int64_t>(summary_.markers));
}

void JsonReport::Threads() {
  json_.Key("threads");
  json_.BeginArray();
  for (const ProfileSummary::Thread& sum : summary_.threads) {
    const ProfileThread& thread = model_.threads[static_cast<size_t>(sum.row)];
    const ProfileProcess& process = model_.processes[static_cast<size_t>(thread.process)];
    json_.BeginObject();
    Text("name", thread.name);
    Text("processName", process.name);
    Text("pid", process.pid);
    Integer("tid", thread.tid);
    json_.Key("isMainThread");
    json_.Bool(thread.is_main);
    json_.Key("cpuNs");
    sum.cpu_ns.has_value() ? json_.Integer(*sum.cpu_ns) : json_.Null();
    json_.Key("coreWaitNs");
    sum.ready_ns.has_value() ? json_.Integer(*sum.ready_ns) : json_.Null();
    json_.Key("waitNs");
    sum.wait_ns.has_value() ? json_.Integer(*sum.wait_ns) : json_.Null();
    WriteGaps(sum.gaps, &json_);
    Number("samples", sum.samples);
    Number("idleSamples", sum.idle_samples);
    if (thread.weight_unit == ProfileWeightUnit::kBytes) WriteAllocations(sum.allocations, &json_);
    json_.EndObject();
  }
  json_.EndArray();
}

void JsonReport::Functions(std::string_view key, const std::vector<ProfileSummary::Function>& functions) {
  json_.Key(key);
  json_.BeginArray();
  for (size_t i = 0; i < std::min(top_, functions.size()); ++i) {
    json_.BeginObject();
    FunctionName(functions[i].row);
    Number("self", functions[i].self_samples);
    Number("total", functions[i].total_samples);
    json_.EndObject();
  }
  json_.EndArray();
}

void JsonReport::Path() {
  json_.Key("heaviestPath");
  json_.BeginArray();
  for (const ProfileSummary::PathStep& step : summary_.heaviest_path) {
    json_.BeginObject();
    FunctionName(step.function);
    Number("samples", step.samples);
    Number("self", step.self_samples);
    json_.EndObject();
  }
  json_.EndArray();
}

void JsonReport::Markers() {
  json_.Key("markers");
  json_.BeginArray();
  for (size_t i = 0; i < std::min(top_, summary_.marker_names.size()); ++i) {
    const ProfileSummary::Marker& marker = summary_.marker_names[i];
    json_.BeginObject();
    Text("name", model_.strings[static_cast<size_t>(marker.name)]);
    Integer("count", static_cast<int64_t>(marker.count));
    Number("totalMs", marker.total_ms);
    json_.EndObject();
  }
  json_.EndArray();
}

void JsonReport::Counters() {
  json_.Key("counters");
  json_.BeginArray();
  for (const int32_t row : summary_.counters) {
    const ProfileCounter& counter = model_.counters[static_cast<size_t>(row)];
    json_.BeginObject();
    Text("name", counter.name);
    Text("category", counter.category);
    Text("unit", counter.unit);
    Text("pid", model_.processes[static_cast<size_t>(counter.process)].pid);
    Number("total", counter.total);
    json_.Key("isRate");
    json_.Bool(counter.is_rate);
    json_.Key("peak");
    counter.peak.has_value() ? json_.Number(*counter.peak) : json_.Null();
    if (counter.has_operations) Number("operations", counter.operations);
    Number("durationMs", counter.last_ms - counter.first_ms);
    json_.EndObject();
  }
  json_.EndArray();
}

void JsonReport::Sections() {
  json_.Key("sections");
  json_.BeginArray();
  for (const ProfileSection& section : model_.sections) {
    json_.BeginObject();
    Text("label", section.label);
    json_.Key("entries");
    json_.BeginArray();
    for (const ProfileSection::Entry& entry : section.entries) {
      json_.BeginObject();
      Text("label", entry.label);
      Text("value", entry.value);
      json_.EndObject();
    }
    json_.EndArray();
    json_.EndObject();
  }
  json_.EndArray();
}

std::string JsonReport::Write(const std::string& file) {
  json_.BeginObject();
  Meta(file);
  Threads();
  Functions("functionsBySelf", summary_.by_self);
  Functions("functionsByTotal", summary_.by_total);
  Path();
  Markers();
  Counters();
  Sections();
  json_.EndObject();
  return std::move(json_).Take();
}

}  // namespace

void WriteCountedUnit(const ProfileSummary& summary, JsonText* json) {
  json->Key("countedSamples");
  json->Number(summary.in_bytes ? 0 : summary.counted_samples);
  json->Key("unit");
  json->String(summary.in_bytes ? "bytes" : "samples");
  if (summary.in_bytes) {
    json->Key("countedBytes");
    json->Number(summary.counted_samples);
  }
  if (!summary.allocations.empty()) WriteAllocations(summary.allocations, json);
  json->Key("rowsWithoutWeight");
  json->Integer(static_cast<int64_t>(summary.rows_without_weight));
}

std::string WriteJsonReport(const ProfileModel& model, const ProfileSummary& summary, const std::string& file,
                            size_t top) {
  return JsonReport(model, summary, top).Write(file);
}

std::string WriteViewJson(const ReportTable& table, ReportView view, const ProfileSummary& summary,
                          const std::string& file) {
  JsonText json;
  json.BeginObject();
  json.Key("file");
  json.String(CleanText(file));
  json.Key("by");
  json.String(ReportViewName(view));
  json.Key("durationMs");
  json.Number(summary.duration_ms);
  json.Key("samples");
  json.Number(summary.samples);
  json.Key("idleSamples");
  json.Number(summary.idle_samples);
  WriteCountedUnit(summary, &json);
  WriteTableJson(table, &json);
  json.EndObject();
  return std::move(json).Take();
}

}  // namespace geckoprof
