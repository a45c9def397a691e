#include "tools/processed_format/processed_counter_writer.h"

#include <algorithm>
#include <string_view>

#include "geckoprof/labels/category_numbers.h"
#include "tools/processed_format/json_column.h"
#include "tools/processed_format/processed_thread_writer.h"

namespace geckoprof {
namespace {

// What the viewer gives counters of a category that it knows, where the program did not choose.
std::string_view ColorOf(const CounterRow& counter) {
  if (IsGraphColor(counter.color)) return counter.color;
  if (counter.category == "Memory") return "orange";
  return counter.category == "Bandwidth" ? "blue" : "grey";
}

void WriteTooltipRow(std::string_view source, std::string_view unit, std::string_view label, JsonWriter& writer) {
  writer.StartObject();
  writer.StringProperty("type", "value");
  writer.StringProperty("source", source);
  writer.StartObjectProperty("format");
  writer.StringProperty("unit", unit);
  writer.EndObject();
  writer.StringProperty("label", label);
  writer.EndObject();
}

// The viewer formats bytes; a number in another unit has it in its label.
void WriteTooltip(const CounterRow& counter, JsonWriter& writer) {
  const bool is_bytes = counter.unit == "bytes";
  const std::string_view unit = is_bytes ? "bytes" : "number";
  const std::string in_unit = is_bytes || counter.unit.empty() ? "" : " (" + counter.unit + ")";
  writer.StartArrayProperty("tooltipRows");
  if (counter.is_rate) {
    // The viewer divides by ms, and turns bytes alone into those of a second.
    WriteTooltipRow("rate", is_bytes ? "bytes-per-second" : "number", (is_bytes ? "per second" : "per ms") + in_unit,
                    writer);
    WriteTooltipRow("count", unit, "in this sample" + in_unit, writer);
  } else {
    WriteTooltipRow("accumulated", unit, "at this time, relative" + in_unit, writer);
    WriteTooltipRow("count-range", unit, "range in the graph" + in_unit, writer);
  }
  if (counter.has_number) WriteTooltipRow("sample-number", "number", "operations since the sample before", writer);
  writer.EndArray();
}

void WriteCounter(const ProcessProfile& process, const CounterRow& counter, size_t main_thread, int64_t zero_ns,
                  JsonWriter& writer) {
  writer.StartObject();
  writer.StringProperty("name", counter.name);
  writer.StringProperty("category", counter.category);
  writer.StringProperty("description", counter.description);
  writer.StringProperty("pid", ProcessedPid(process));
  writer.UintProperty("mainThreadIndex", main_thread);
  writer.StartObjectProperty("samples");
  WriteColumn("time", counter.samples, writer, [&](const CounterSample& s) { writer.TimeMs(s.time_ns - zero_ns); });
  WriteColumn("count", counter.samples, writer, [&](const CounterSample& s) { writer.Int(s.count); });
  if (counter.has_number) {
    WriteColumn("number", counter.samples, writer, [&](const CounterSample& s) { writer.Int(s.number); });
  }
  writer.UintProperty("length", counter.samples.size());
  writer.EndObject();
  WriteCounterDisplay(counter, writer);
  writer.EndObject();
}

}  // namespace

void WriteCounterDisplay(const CounterRow& counter, JsonWriter& writer) {
  constexpr int64_t kMemoryWeight = 10, kOtherWeight = 50;  // lower is nearer the top
  const bool is_memory = counter.category == "Memory";
  writer.StartObjectProperty("display");
  writer.StringProperty("graphType", counter.is_rate ? "line-rate" : "line-accumulated");
  writer.StringProperty("unit", counter.unit);
  writer.StringProperty("color", ColorOf(counter));
  if (is_memory) {
    writer.StringProperty("markerSchemaLocation", "timeline-memory");
  } else {
    writer.NullProperty("markerSchemaLocation");
  }
  writer.IntProperty("sortWeight", is_memory ? kMemoryWeight : kOtherWeight);
  writer.StringProperty("label", counter.name);
  WriteTooltip(counter, writer);
  writer.EndObject();
}

void ProcessedCounters::Add(const ProcessProfile& process) {
  const auto main = std::find_if(process.threads.begin(), process.threads.end(),
                                 [](const ThreadRow& thread) { return thread.is_main; });
  if (main != process.threads.end()) {
    const size_t main_thread = first_thread_ + static_cast<size_t>(main - process.threads.begin());
    for (const CounterRow& counter : process.counters) {
      counters_.Add([&](JsonWriter& writer) { WriteCounter(process, counter, main_thread, zero_ns_, writer); });
    }
  }
  first_thread_ += process.threads.size();
}

bool ProcessedCounters::Write(JsonWriter& writer) {
  if (counters_.empty()) return true;
  writer.StartArrayProperty("counters");
  const bool are_whole = counters_.WriteTo(writer);
  writer.EndArray();
  return are_whole;
}

}  // namespace geckoprof
