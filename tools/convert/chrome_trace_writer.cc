#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "geckoprof/json/json_writer.h"
#include "tools/convert/format_writers.h"
#include "tools/convert/marker_spans.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

// Ids of nodes: these two, then one for each row of the stacks.
constexpr int64_t kRootNode = 1, kIdleNode = 2, kFirstNode = 3;
constexpr size_t kChunkSamples = 10000;
constexpr std::string_view kSampleCategory = "disabled-by-default-v8.cpu_profiler";

class ChromeTraceWriter {
 public:
  ChromeTraceWriter(const ExportedProfile& profile, JsonWriter& writer)
      : profile_(profile), model_(profile.model()), writer_(writer), written_(model_.stacks.size(), 0) {}

  void Write() {
    writer_.StartObject();
    writer_.StringProperty("displayTimeUnit", "ns");
    writer_.StartArrayProperty("traceEvents");
    for (size_t i = 0; i < model_.processes.size(); ++i) {
      const auto process = static_cast<int32_t>(i);
      WriteName("process_name", profile_.Pid(process), profile_.Pid(process), profile_.ProcessName(process));
    }
    for (const ProfileThread& thread : model_.threads) {
      WriteName("thread_name", profile_.Pid(thread.process), profile_.Tid(thread), profile_.ThreadName(thread));
    }
    for (size_t i = 0; i < model_.threads.size(); ++i) {
      number_ = i + 1;
      WriteSamples(model_.threads[i]);
      WriteMarkers(model_.threads[i]);
    }
    for (const ProfileCounter& counter : model_.counters) WriteCounter(counter);
    writer_.EndArray();
    writer_.EndObject();
  }

 private:
  void StartEvent(std::string_view phase, std::string_view name, int64_t pid, int64_t tid) {
    writer_.StartObject();
    writer_.StringProperty("ph", phase);
    writer_.StringProperty("name", name);
    writer_.IntProperty("pid", pid);
    writer_.IntProperty("tid", tid);
  }
  // us with three decimals.
  void Us(std::string_view key, int64_t time_ns) {
    constexpr int64_t kMost = INT64_MAX / 1000;
    writer_.TimeMsProperty(key, std::min(time_ns, kMost) * 1000);
  }

  void WriteName(std::string_view what, int64_t pid, int64_t tid, const std::string& name) {
    StartEvent("M", what, pid, tid);
    writer_.StringProperty("cat", "__metadata");  // speedscope wants one of the first event, and Chrome writes it
    writer_.StartObjectProperty("args");
    writer_.StringProperty("name", name);
    writer_.EndObject();
    writer_.EndObject();
  }

  void WriteSamples(const ProfileThread& thread) {
    struct Sample {
      int64_t time_ns;
      int32_t stack;
    };
    if (!profile_.IsMain(thread)) return;  // a trace has no unit that tells allocations from samples
    std::vector<Sample> samples;
    bool any = false;
    for (const ProfileSample& row : thread.samples) {
      const int32_t stack = profile_.Counts(thread, row) ? row.stack : kNoRow;
      // A sample lasts until the next one. The row of a gap has the time of its end.
      const double gap_ms = profile_.IsGapStack(stack) ? static_cast<double>(row.cpu_ns) / 1e6 : 0;
      samples.push_back({profile_.TimeNs(row.time_ms - gap_ms), stack});
      any = any || samples.back().stack != kNoRow;
    }
    if (!any) return;
    std::stable_sort(samples.begin(), samples.end(),
                     [](const Sample& a, const Sample& b) { return a.time_ns < b.time_ns; });
    int64_t last_ns = samples[0].time_ns;
    StartSampleEvent("Profile", thread, last_ns);
    Us("startTime", last_ns);
    EndSampleEvent();
    for (size_t i = 0; i < samples.size(); i += kChunkSamples) {
      const size_t end = std::min(i + kChunkSamples, samples.size());
      StartSampleEvent("ProfileChunk", thread, samples[i].time_ns);
      writer_.StartObjectProperty("cpuProfile");
      writer_.StartArrayProperty("nodes");
      if (i == 0) {
        WriteNode(kRootNode, 0, "(root)", "", 0);
        WriteNode(kIdleNode, kRootNode, "(idle)", "", 0);
      }
      for (size_t j = i; j < end; ++j) WriteNewNodes(samples[j].stack);
      writer_.EndArray();
      writer_.StartArrayProperty("samples");
      for (size_t j = i; j < end; ++j)
        writer_.Int(samples[j].stack == kNoRow ? kIdleNode : kFirstNode + samples[j].stack);
      writer_.EndArray();
      writer_.EndObject();
      writer_.StartArrayProperty("timeDeltas");
      for (size_t j = i; j < end; ++j) {
        // Whole us, and what is cut off is in the next one.
        const int64_t delta_us = (samples[j].time_ns - last_ns) / 1000;
        last_ns += delta_us * 1000;
        writer_.Int(delta_us);
      }
      writer_.EndArray();
      EndSampleEvent();
    }
  }

  void StartSampleEvent(std::string_view name, const ProfileThread& thread, int64_t time_ns) {
    StartEvent("P", name, profile_.Pid(thread.process), profile_.Tid(thread));
    writer_.StringProperty("cat", kSampleCategory);
    writer_.StringProperty("id", Concat("0x", HexText(number_)));
    Us("ts", time_ns);
    writer_.StartObjectProperty("args");
    writer_.StartObjectProperty("data");
  }
  void EndSampleEvent() {
    for (int i = 0; i < 3; ++i) writer_.EndObject();
  }

  void WriteNode(int64_t id, int64_t parent, std::string_view name, std::string_view url, int32_t line) {
    writer_.StartObject();
    writer_.IntProperty("id", id);
    if (parent != 0) writer_.IntProperty("parent", parent);
    writer_.StartObjectProperty("callFrame");
    writer_.StringProperty("functionName", name);
    writer_.StringProperty("codeType", "other");
    writer_.IntProperty("scriptId", 0);
    if (!url.empty()) {
      writer_.StringProperty("url", url);
      if (line > 0) writer_.IntProperty("lineNumber", line - 1);
    }
    writer_.EndObject();
    writer_.EndObject();
  }

  // What of a stack this thread has not written yet, callers first.
  void WriteNewNodes(int32_t stack) {
    path_.clear();
    for (int32_t row = stack; row != kNoRow && written_[static_cast<size_t>(row)] != number_;
         row = model_.stacks[static_cast<size_t>(row)].prefix) {
      if (profile_.IsRoot(row)) break;
      path_.push_back(row);
      written_[static_cast<size_t>(row)] = static_cast<uint32_t>(number_);
    }
    for (size_t i = path_.size(); i > 0; --i) {
      const ProfileStack& row = model_.stacks[static_cast<size_t>(path_[i - 1])];
      const bool is_first = row.prefix == kNoRow || profile_.IsRoot(row.prefix);
      ProfileFrame frame;
      if (row.frame != kNoRow) frame = model_.frames[static_cast<size_t>(row.frame)];
      // No line: the readers would take each line for a function of its own.
      WriteNode(kFirstNode + path_[i - 1], is_first ? kRootNode : kFirstNode + row.prefix,
                profile_.FunctionName(row.function), profile_.Source(frame), 0);
    }
  }

  void WriteMarkers(const ProfileThread& thread) {
    for (const MarkerSpan& span : SpansOf(profile_, thread)) {
      if (span.is_instant) {
        WriteMarker("i", thread, span, span.start_ns);
      } else if (span.lane == 0) {
        WriteMarker("X", thread, span, span.start_ns);
      } else {
        ++async_;
        WriteMarker("b", thread, span, span.start_ns);
        WriteMarker("e", thread, span, span.end_ns);
      }
    }
  }

  void WriteMarker(std::string_view phase, const ProfileThread& thread, const MarkerSpan& span, int64_t time_ns) {
    const ProfileMarker& marker = thread.markers[static_cast<size_t>(span.marker)];
    StartEvent(phase, profile_.Text(marker.name), profile_.Pid(thread.process), profile_.Tid(thread));
    writer_.StringProperty("cat", marker.category == kNoRow
                                      ? "marker"
                                      : CleanText(model_.categories[static_cast<size_t>(marker.category)]));
    Us("ts", time_ns);
    if (phase == "X") Us("dur", span.end_ns - span.start_ns);
    if (phase == "i") writer_.StringProperty("s", "t");
    if (phase == "b" || phase == "e") writer_.StringProperty("id", Concat("0x", HexText(async_)));
    if (phase != "e" && marker.data != kNoRow) WriteData(model_.marker_data[static_cast<size_t>(marker.data)]);
    writer_.EndObject();
  }

  void WriteData(const ProfileMarkerData& data) {
    writer_.StartObjectProperty("args");
    for (uint32_t i = 0; i < data.field_count; ++i) {
      const ProfileMarkerField& field = model_.marker_fields[data.first_field + i];
      writer_.Key(profile_.Text(field.key));
      switch (field.kind) {
        case ProfileMarkerField::Kind::kText:
          writer_.String(profile_.Text(field.text));
          break;
        case ProfileMarkerField::Kind::kNumber:
          writer_.Double(field.number);
          break;
        case ProfileMarkerField::Kind::kBool:
          writer_.Bool(field.number != 0);
          break;
        case ProfileMarkerField::Kind::kJson:
          writer_.Splice(model_.strings[static_cast<size_t>(field.text)]);
          break;
      }
    }
    writer_.EndObject();
  }

  void WriteCounter(const ProfileCounter& counter) {
    const int64_t pid = profile_.Pid(counter.process);
    double sum = 0;
    const std::string name = CleanText(counter.name);
    const std::string unit = counter.unit.empty() ? "value" : CleanText(counter.unit);
    for (const ProfileCounter::Row& row : counter.rows) {
      sum += row.count;
      StartEvent("C", name, pid, pid);
      Us("ts", profile_.TimeNs(row.time_ms));
      writer_.StartObjectProperty("args");
      writer_.DoubleProperty(unit, counter.is_rate ? row.count : sum);
      writer_.EndObject();
      writer_.EndObject();
    }
  }

  const ExportedProfile& profile_;
  const ProfileModel& model_;
  JsonWriter& writer_;
  std::vector<uint32_t> written_;  // by row of the stacks: the thread that last wrote its node
  std::vector<int32_t> path_;
  size_t number_ = 0;  // of the thread, from 1 on
  uint64_t async_ = 0;
};

}  // namespace

void WriteChromeTrace(ExportedProfile& profile, FormatOutput* output) {
  output->WriteJson([&](JsonWriter& writer) { ChromeTraceWriter(profile, writer).Write(); });
}

}  // namespace geckoprof
