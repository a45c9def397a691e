#include "geckoprof/gecko_json/gecko_writer.h"

#include <string>

#include "geckoprof/base/thread_name.h"
#include "geckoprof/gecko_json/gecko_categories.h"
#include "geckoprof/gecko_json/gecko_library_map.h"
#include "geckoprof/gecko_json/gecko_meta_writer.h"
#include "geckoprof/gecko_json/gecko_text.h"
#include "geckoprof/gecko_json/gecko_thread_writer.h"
#include "geckoprof/gecko_json/overhead_writer.h"
#include "geckoprof/reader/profile_facts.h"

namespace geckoprof {
namespace {

// Column positions, as Firefox writes them.
constexpr std::string_view kSourceSchema = R"({"id":0,"filename":1,"startLine":2,"startColumn":3,"sourceMapURL":4})";

void WriteLibraries(const ProcessProfile& process, const GeckoLibraryMap& map, JsonWriter& writer) {
  writer.StartArrayProperty("libs");
  for (const GeckoLibraryMap::Row& row : map.rows()) {
    const LibraryRow& library = process.libraries[static_cast<size_t>(row.library)];
    const std::string_view path = LibraryPathText(library.path);
    const std::string_view name = PathBaseName(path);
    writer.StartObject();
    writer.UintProperty("start", row.start);
    writer.UintProperty("end", row.end);
    writer.IntProperty("offset", 0);
    writer.StringProperty("name", name);
    writer.StringProperty("path", path);
    writer.StringProperty("debugName", name);
    writer.StringProperty("debugPath", path);
    writer.StringProperty("breakpadId", BreakpadId(library.build_id));
    if (!library.build_id.empty()) writer.StringProperty("codeId", CodeId(library.build_id));
    writer.StringProperty("arch", "");
    writer.EndObject();
  }
  writer.EndArray();
}

// The viewer takes the thread called kMainThreadName for the main thread. There must be exactly one.
size_t MainThread(const ProcessProfile& process) {
  for (size_t i = 0; i < process.threads.size(); ++i) {
    if (process.threads[i].is_main) return i;
  }
  for (size_t i = 0; i < process.threads.size(); ++i) {
    if (process.threads[i].tid == process.pid) return i;
  }
  return 0;
}

std::string_view OtherThreadName(const ThreadRow& thread) {
  if (thread.name.empty()) return "thread";  // as in the processed format: the viewer shows no name at all otherwise
  return thread.name == kMainThreadName ? "GeckoMain (2)" : std::string_view(thread.name);
}

void WriteThreads(const ProcessProfile& process, const GeckoLibraryMap& map, const GeckoCategories& categories,
                  const std::vector<int32_t>& category_numbers, JsonWriter& writer, uint64_t* idle_rows_left) {
  GeckoThreadWriter threads(process, map, categories, category_numbers, writer, idle_rows_left);
  writer.StartArrayProperty("threads");
  const size_t main = MainThread(process);
  for (size_t i = 0; i < process.threads.size(); ++i) {
    threads.Write(process.threads[i], i == main ? kMainThreadName : OtherThreadName(process.threads[i]));
  }
  if (process.threads.empty()) {  // a profile without threads is refused
    ThreadRow main_thread;
    main_thread.tid = process.pid;
    main_thread.registered_ns = process.start_ns;
    threads.Write(main_thread, kMainThreadName);
  }
  writer.EndArray();
}

// The viewer takes the first row for what was there before.
void WriteCounters(const ProcessProfile& process, JsonWriter& writer) {
  if (process.counters.empty()) return;
  writer.StartArrayProperty("counters");
  for (const CounterRow& counter : process.counters) {
    writer.StartObject();
    writer.StringProperty("name", counter.name);
    writer.StringProperty("category", counter.category);
    writer.StringProperty("description", counter.description);
    writer.StartObjectProperty("samples");
    writer.Key("schema");
    writer.Splice(counter.has_number ? R"({"time":0,"count":1,"number":2})" : R"({"time":0,"count":1})");
    writer.StartArrayProperty("data");
    for (const CounterSample& sample : counter.samples) {
      const JsonNumber row[] = {JsonNumber::TimeMs(RelativeNs(sample.time_ns, process.start_ns)),
                                CounterCell(counter, sample), JsonNumber::Int(sample.number)};
      writer.NumberRow({row, counter.has_number ? size_t{3} : size_t{2}});
    }
    writer.EndArray();
    writer.EndObject();
    writer.EndObject();
  }
  writer.EndArray();
}

void WritePausedRanges(const ProcessProfile& process, JsonWriter& writer) {
  writer.StartArrayProperty("pausedRanges");
  for (const PausedRange& range : process.paused) {
    writer.StartObject();
    writer.TimeMsProperty("startTime", RelativeNs(range.start_ns, process.start_ns));
    if (range.end_ns != 0) {
      writer.TimeMsProperty("endTime", RelativeNs(range.end_ns, process.start_ns));
    } else {
      writer.NullProperty("endTime");
    }
    writer.StringProperty("reason", range.reason);
    writer.EndObject();
  }
  writer.EndArray();
}

void WriteProfilingLog(const ProcessProfile& process, const GeckoHooks& hooks, JsonWriter& writer) {
  writer.StartObjectProperty("profilingLog");
  writer.StartObjectProperty(std::to_string(OutputPid(process)));
  writer.TimeMsProperty("profilingLogBegin_TSms", 0);
  writer.TimeMsProperty("profilingLogEnd_TSms", RelativeNs(process.end_ns, process.start_ns));
  writer.Key("recording");
  WriteRecordingFacts(process, writer);
  if (hooks.add_to_log != nullptr) hooks.add_to_log(hooks.context, writer);
  writer.EndObject();
  writer.EndObject();
}

void WriteProcess(const GeckoProcesses& processes, size_t number, GeckoCategories& categories, std::string_view product,
                  const GeckoHooks& hooks, JsonWriter& writer, uint64_t* idle_rows_left) {
  const uint64_t bytes_before = writer.bytes_written();
  const ProcessProfile& process = processes.at(processes.context, number);
  const bool is_parent = number == 0;
  const GeckoLibraryMap map(process.libraries);
  writer.StartObject();
  WriteLibraries(process, map, writer);
  WriteGeckoMeta(process, categories, is_parent, product, writer);
  writer.StartArrayProperty("pages");
  writer.EndArray();
  writer.StartObjectProperty("sources");
  writer.Key("schema");
  writer.Splice(kSourceSchema);
  writer.StartArrayProperty("data");
  writer.EndArray();
  writer.EndObject();
  WriteThreads(process, map, categories, categories.AddAll(process.categories), writer, idle_rows_left);
  WriteCounters(process, writer);
  WriteGeckoOverhead(process, writer);
  WritePausedRanges(process, writer);
  GeckoHooks own_hooks = hooks;
  if (!is_parent) own_hooks.add_to_log = nullptr;
  WriteProfilingLog(process, own_hooks, writer);
  if (hooks.written != nullptr) hooks.written(hooks.context, number, writer.bytes_written() - bytes_before);
  writer.StartArrayProperty("processes");
  for (size_t child = 1; is_parent && child < processes.count; ++child) {
    WriteProcess(processes, child, categories, {}, hooks, writer, idle_rows_left);
  }
  writer.EndArray();
  if (is_parent && hooks.add_to_profile != nullptr) hooks.add_to_profile(hooks.context, writer);
  writer.EndObject();
}

}  // namespace

void WriteGeckoProfile(const GeckoProcesses& processes, JsonWriter& writer, std::string_view product,
                       const GeckoHooks& hooks) {
  GeckoCategories categories(processes.at(processes.context, 0).categories);
  for (size_t child = 1; child < processes.count; ++child) {
    categories.AddAll(processes.at(processes.context, child).categories);
  }
  categories.Close();
  uint64_t idle_rows_left = GeckoThreadWriter::kMaxIdleRows;
  WriteProcess(processes, 0, categories, product, hooks, writer, &idle_rows_left);
}

void WriteGeckoProfile(const ProcessProfile& process, JsonWriter& writer) {
  const auto at = [](const void* context, size_t) -> const ProcessProfile& {
    return *static_cast<const ProcessProfile*>(context);
  };
  WriteGeckoProfile({1, at, &process}, writer);
}

JsonNumber CounterCell(const CounterRow& counter, const CounterSample& sample) {
  if (counter.parts <= 1) return JsonNumber::Int(sample.count);
  return JsonNumber::Double(static_cast<double>(sample.count) / static_cast<double>(counter.parts));
}

}  // namespace geckoprof
