#include "geckoprof/gecko_json/overhead_writer.h"

#include <algorithm>
#include <array>
#include <string>

#include "geckoprof/base/clock.h"
#include "geckoprof/reader/profile_facts.h"

namespace geckoprof {
namespace {

constexpr std::array<std::string_view, 7> kColumns = {
    "time", "locking", "expiredMarkerCleaning", "counters", "threads", "lateness", "samplerCPU"};

JsonNumber Us(int64_t ns) {
  constexpr int64_t kMost = INT64_MAX / kNsPerUs;
  return JsonNumber::TimeMs(std::clamp(ns, -kMost, kMost) * kNsPerUs);
}

std::array<JsonNumber, kColumns.size()> Cells(const LookRow& look, JsonNumber time) {
  return {time, Us(0), Us(look.upkeep_ns), Us(look.sources_ns), Us(look.threads_ns), Us(look.late_ns), Us(look.cpu_ns)};
}

// The mean, the least and the greatest of a number.
class Spread {
 public:
  void Add(int64_t ns) {
    sum_ += static_cast<double>(ns);
    least_ = count_ == 0 ? ns : std::min(least_, ns);
    most_ = count_++ == 0 ? ns : std::max(most_, ns);
  }
  double sum_us() const { return sum_ / kNsPerUs; }
  void Write(std::string_view name, JsonWriter& writer) const {
    writer.DoubleProperty("mean" + std::string(name), sum_us() / static_cast<double>(std::max<int64_t>(count_, 1)));
    writer.NumberProperty("min" + std::string(name), Us(least_));
    writer.NumberProperty("max" + std::string(name), Us(most_));
  }

 private:
  double sum_ = 0;
  int64_t count_ = 0, least_ = 0, most_ = 0;
};

// Writes the sums that hold also where looks were recycled.
void WriteTotals(const ProcessProfile& process, JsonWriter& writer) {
  writer.TimeMsProperty("recordingTime", std::max<int64_t>(RecordingEndNs(process) - RecordingStartNs(process), 0));
  writer.TimeMsProperty("samplerCPUTime", process.sampler_cpu_ns);
  writer.TimeMsProperty("handlerTime", process.handler_ns);
}

void WriteStatistics(const LookList& looks, JsonWriter& writer) {
  if (looks.empty()) return;
  Spread interval, overhead, locking, cleaning, counter, thread;
  const int64_t first_ns = looks.front().time_ns;
  int64_t last_ns = first_ns;
  for (const LookRow& look : looks) {
    if (look.time_ns > last_ns) interval.Add(look.time_ns - last_ns);
    last_ns = std::max(last_ns, look.time_ns);
    overhead.Add(look.upkeep_ns + look.sources_ns + look.threads_ns);
    locking.Add(0);
    cleaning.Add(look.upkeep_ns);
    counter.Add(look.sources_ns);
    thread.Add(look.threads_ns);
  }
  const double profiled_us = static_cast<double>(last_ns - first_ns) / kNsPerUs;
  writer.StartObjectProperty("statistics");
  writer.DoubleProperty("profiledDuration", profiled_us);
  writer.UintProperty("samplingCount", looks.size());
  writer.DoubleProperty("overheadDurations", overhead.sum_us());
  writer.DoubleProperty("overheadPercentage", profiled_us > 0 ? overhead.sum_us() / profiled_us : 0);  // 1 is 100 %
  interval.Write("Interval", writer);
  overhead.Write("Overhead", writer);
  locking.Write("Lockings", writer);
  cleaning.Write("Cleaning", writer);
  counter.Write("Counter", writer);
  thread.Write("Thread", writer);
  writer.EndObject();
}

}  // namespace

bool HasOverhead(const ProcessProfile& process) { return !process.looks.empty() || process.handler_ns != 0; }

void WriteGeckoOverhead(const ProcessProfile& process, JsonWriter& writer) {
  if (!HasOverhead(process)) return;
  writer.StartObjectProperty("profilerOverhead");
  writer.StartObjectProperty("samples");
  writer.StartObjectProperty("schema");
  for (size_t column = 0; column < kColumns.size(); ++column) writer.UintProperty(kColumns[column], column);
  writer.EndObject();
  writer.StartArrayProperty("data");
  for (const LookRow& look : process.looks) {
    writer.NumberRow(Cells(look, Us(RelativeNs(look.time_ns, process.start_ns))));
  }
  writer.EndArray();
  writer.EndObject();
  WriteStatistics(process.looks, writer);
  WriteTotals(process, writer);
  writer.EndObject();
}

void WriteProcessedOverhead(const ProcessProfile& process, int64_t zero_ns, std::string_view pid, size_t main_thread,
                            JsonWriter& writer) {
  if (!HasOverhead(process)) return;
  writer.StartObject();
  writer.StringProperty("pid", pid);
  writer.UintProperty("mainThreadIndex", main_thread);
  writer.StartObjectProperty("samples");
  for (size_t column = 0; column < kColumns.size(); ++column) {
    writer.StartArrayProperty(kColumns[column]);
    for (const LookRow& look : process.looks) {
      writer.Number(Cells(look, JsonNumber::TimeMs(RelativeNs(look.time_ns, zero_ns)))[column]);
    }
    writer.EndArray();
  }
  writer.UintProperty("length", process.looks.size());
  writer.EndObject();
  WriteStatistics(process.looks, writer);
  WriteTotals(process, writer);
  writer.EndObject();
}

}  // namespace geckoprof
