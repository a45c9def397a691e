#include "tools/convert/processed_meta_writer.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "geckoprof/gecko_json/gecko_meta_writer.h"
#include "geckoprof/gecko_json/gecko_writer.h"
#include "geckoprof/reader/profile_facts.h"
#include "tools/convert/processed_thread_writer.h"
#include "tools/convert/processed_writer.h"
#include "tools/profile/concat.h"

namespace geckoprof {
namespace {

constexpr size_t kMaxVisibleThreads = 15;  // as the viewer itself chooses
constexpr int64_t kVisibleShare = 20;      // one twentieth of the busiest
constexpr double kNsPerMsDouble = 1e6;

// One section of the viewer's "Profile info".
class ExtraSection {
 public:
  ExtraSection(std::string_view label, JsonWriter& writer) : writer_(writer) {
    writer_.StartObject();
    writer_.StringProperty("label", label);
    writer_.StartArrayProperty("entries");
  }
  ~ExtraSection() {
    writer_.EndArray();
    writer_.EndObject();
  }
  void Text(std::string_view label, std::string_view value) {
    Start(label, "string");
    writer_.String(value);
    writer_.EndObject();
  }
  void Number(std::string_view label, std::string_view format, uint64_t value) {
    Start(label, format);
    writer_.Uint(value);
    writer_.EndObject();
  }
  void Duration(std::string_view label, int64_t ns) {
    Start(label, "duration");
    writer_.Double(static_cast<double>(ns) / kNsPerMsDouble);
    writer_.EndObject();
  }

 private:
  void Start(std::string_view label, std::string_view format) {
    writer_.StartObject();
    writer_.StringProperty("label", label);
    writer_.StringProperty("format", format);
    writer_.Key("value");
  }
  JsonWriter& writer_;
};

std::string CommandLine(const RecordedSession& session) {
  const std::vector<std::string>& arguments =
      session.arguments.empty() && !session.processes.empty() ? session.processes[0].arguments : session.arguments;
  std::string line;
  for (const std::string& argument : arguments) {
    if (!line.empty()) line += ' ';
    if (argument.empty() || argument.find_first_of(" \t\n'\"\\$*?;&|<>()") != std::string::npos) {
      line += '\'';
      for (char c : argument) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
      line += '\'';
    } else {
      line += argument;
    }
  }
  return line;
}

std::string Joined(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : ", ") + text;
  return joined;
}

std::string ProcessLabel(const ProcessProfile& process) {
  return Concat(ProgramName(process), " (", ProcessedPid(process), ")");
}

void WriteLosses(const std::vector<LossRow>& losses, ExtraSection& section) {
  for (const LossKind kind : kLossKinds) {
    for (const LossRow& loss : losses) {
      if (KindOfLoss(loss.what) == kind) section.Number(LossLabel(loss.what), "integer", loss.count);
    }
  }
}

void WriteProcessSection(const ProcessProfile& process, JsonWriter& writer) {
  ExtraSection section(ProcessLabel(process), writer);
  section.Text("Ended", process.end_reason.empty() ? "unknown" : process.end_reason);
  section.Text("Features", Joined(process.features));
  section.Number("Buffer capacity", "bytes", process.capacity_bytes);
  section.Number("Buffer used by samples", "bytes", process.segment_bytes_used);
  section.Number("Samples asked for", "integer", process.samples_asked);
  section.Number("Samples taken", "integer", process.samples_taken);
  if (!process.sampled_by.empty()) section.Text("Sampled by", process.sampled_by);
  section.Duration("CPU time of the sampler", process.sampler_cpu_ns);
  WriteLosses(process.losses, section);
  for (const std::string& problem : process.problems) section.Text("Not as asked", problem);
  const PauseHistogram& pauses = process.pauses;
  const size_t buckets = std::min(pauses.upper_ns.size(), pauses.counts.size());
  for (size_t i = 0; i < buckets; ++i) {
    if (pauses.counts[i] == 0) continue;
    section.Number(Concat("Handler ran ", i == 0 ? 0 : pauses.upper_ns[i - 1], " to ", pauses.upper_ns[i], " ns"),
                   "integer", pauses.counts[i]);
  }
}

void WriteExtra(const RecordedSession& session, const Symbolizer& symbolizer, JsonWriter& writer) {
  writer.StartArrayProperty("extra");
  {
    ExtraSection section("Recording", writer);
    if (session.exit_status_known) section.Text("Exit status", std::to_string(session.exit_status));
    std::set<std::pair<int32_t, uint32_t>> pids;
    for (const ProcessProfile& process : session.processes) pids.insert({process.pid, process.pid_space});
    section.Number("Processes", "integer", pids.size());
    section.Number("Program images", "integer", session.processes.size());
    if (session.cpu_times.has_value()) {
      section.Duration("CPU time of the program and its children", session.cpu_times->total_ns);
      section.Duration("CPU time that the samples have", session.cpu_times->sampled_ns);
      int64_t samplers_ns = 0;
      for (const ProcessProfile& process : session.processes) samplers_ns += process.sampler_cpu_ns;
      section.Duration("CPU time of the samplers", samplers_ns);
    }
    WriteLosses(session.losses, section);
    const Symbolizer::Counts& counts = symbolizer.counts();
    section.Number("Libraries with symbols", "integer", counts.loaded);
    section.Number("Libraries with source lines", "integer", counts.with_lines);
    section.Number("Libraries whose file is gone", "integer", counts.unreadable);
    section.Number("Libraries whose file has changed", "integer", counts.mismatched);
    section.Number("Addresses without a function", "integer", counts.unknown_addresses);
  }
  for (const ProcessProfile& process : session.processes) WriteProcessSection(process, writer);
  writer.EndArray();
}

// Types of the same name in several processes are one: the first wins, as in the viewer.
void WriteMarkerSchemas(const RecordedSession& session, JsonWriter& writer) {
  std::set<std::string> written;
  writer.StartArrayProperty("markerSchema");
  for (const MarkerTypeRow& type : {DynamicLinkerMarkerType(), LockWaitMarkerType()}) {
    written.insert(type.name);
    WriteMarkerSchema(type, /*processed=*/true, writer);
  }
  for (const ProcessProfile& process : session.processes) {
    for (const MarkerTypeRow& type : process.marker_types) {
      if (type.has_schema && written.insert(type.name).second) WriteMarkerSchema(type, /*processed=*/true, writer);
    }
  }
  writer.EndArray();
}

void WriteMachine(const RecordedSession& session, JsonWriter& writer) {
  const GeckoMachine machine = ReadGeckoMachine();
  std::string product = session.product;
  if (product.empty() && !session.processes.empty()) product = ProgramName(session.processes[0]);
  writer.StringProperty("product", product);
  writer.StringProperty("oscpu", machine.oscpu);
  writer.StringProperty("platform", "");
  if (!machine.cpu_name.empty()) writer.StringProperty("CPUName", machine.cpu_name);
  if (machine.logical_cpus != 0) writer.UintProperty("logicalCPUs", machine.logical_cpus);
  writer.StringProperty("arguments", CommandLine(session));
  writer.StringProperty("importedFrom", "geckoprof");
}

// What the viewer must know of a profile that is not Firefox's.
void WriteViewFlags(const RecordedSession& session, JsonWriter& writer) {
  for (std::string_view flag : {"symbolicated", "symbolicationNotSupported", "usesOnlyOneStackType",
                                "sourceCodeIsNotOnSearchfox", "keepProfileThreadOrder"}) {
    writer.BoolProperty(flag, true);
  }
  const InitialThreads threads = InitialThreadsOf(session);
  writer.StartArrayProperty("initialVisibleThreads");
  for (uint32_t thread : threads.visible) writer.Uint(thread);
  writer.EndArray();
  writer.StartArrayProperty("initialSelectedThreads");
  if (threads.selected.has_value()) writer.Uint(*threads.selected);
  writer.EndArray();
}

bool WalkedStacks(const RecordedSession& session) {
  return std::any_of(session.processes.begin(), session.processes.end(), [](const ProcessProfile& process) {
    return std::find(process.features.begin(), process.features.end(), "stackwalk") != process.features.end();
  });
}

// A thread that may be shown first.
struct ThreadCandidate {
  uint32_t number = 0;
  size_t image = 0;       // row of the session's processes
  bool is_main = false;   // of an image of the first pid
  bool is_empty = false;  // neither samples nor markers
  bool is_forced = false;
  int64_t cpu_ns = 0;
  int64_t samples = 0;
};

std::vector<ThreadCandidate> ThreadCandidates(const RecordedSession& session) {
  std::vector<ThreadCandidate> candidates;
  for (size_t image = 0; image < session.processes.size(); ++image) {
    const ProcessProfile& process = session.processes[image];
    for (const ThreadRow& thread : process.threads) {
      ThreadCandidate& candidate = candidates.emplace_back();
      candidate.number = static_cast<uint32_t>(candidates.size() - 1);
      candidate.image = image;
      candidate.is_main = thread.is_main && process.pid == session.processes[0].pid;
      candidate.is_empty = thread.samples.empty() && thread.markers.empty();
      for (const SampleRow& sample : thread.samples) {
        candidate.samples += IsSample(sample) ? 1 : 0;
        candidate.cpu_ns += std::min(std::max<int64_t>(sample.cpu_delta_ns, 0), INT64_MAX - candidate.cpu_ns);
      }
    }
  }
  return candidates;
}

// The main thread of the busiest image of the first pid: a script that hands over to its program by exec is there for
// the program.
void ForceFirstMain(const RecordedSession& session, std::vector<ThreadCandidate>& candidates) {
  std::vector<std::pair<int64_t, int64_t>> work(session.processes.size());  // CPU time, samples
  for (const ThreadCandidate& candidate : candidates) {
    auto& [cpu_ns, samples] = work[candidate.image];
    cpu_ns += std::min(candidate.cpu_ns, INT64_MAX - cpu_ns);
    samples += candidate.samples;
  }
  ThreadCandidate* best = nullptr;
  for (ThreadCandidate& candidate : candidates) {
    if (!candidate.is_main || candidate.is_empty) continue;
    if (best == nullptr || work[candidate.image] > work[best->image]) best = &candidate;
  }
  if (best != nullptr) best->is_forced = true;
}

}  // namespace

int64_t SessionZeroNs(const RecordedSession& session) {
  int64_t zero_ns = INT64_MAX;
  for (const ProcessProfile& process : session.processes) {
    zero_ns = std::min(zero_ns, process.start_ns);
    if (process.exec_ns != 0) zero_ns = std::min(zero_ns, process.exec_ns);
  }
  return session.processes.empty() ? 0 : zero_ns;
}

InitialThreads InitialThreadsOf(const RecordedSession& session) {
  std::vector<ThreadCandidate> candidates = ThreadCandidates(session);
  ForceFirstMain(session, candidates);
  if (std::all_of(candidates.begin(), candidates.end(), [](const ThreadCandidate& c) { return c.cpu_ns == 0; })) {
    for (ThreadCandidate& candidate : candidates) candidate.cpu_ns = candidate.samples;  // no CPU times: the next best
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const ThreadCandidate& a, const ThreadCandidate& b) {
    return std::tuple(b.is_forced, a.is_empty, b.cpu_ns) < std::tuple(a.is_forced, b.is_empty, a.cpu_ns);
  });
  int64_t busiest_ns = 0;
  for (const ThreadCandidate& candidate : candidates) busiest_ns = std::max(busiest_ns, candidate.cpu_ns);
  InitialThreads threads;
  for (const ThreadCandidate& candidate : candidates) {
    const bool is_busy = candidate.cpu_ns > 0 && candidate.cpu_ns >= busiest_ns / kVisibleShare;
    if ((!candidate.is_forced && !is_busy) || threads.visible.size() == kMaxVisibleThreads) continue;
    threads.visible.push_back(candidate.number);
    if (is_busy && !threads.selected.has_value()) threads.selected = candidate.number;
  }
  if (threads.visible.empty() && !candidates.empty()) threads.visible.push_back(candidates[0].number);
  if (!threads.selected.has_value() && !threads.visible.empty()) threads.selected = threads.visible[0];
  return threads;
}

void WriteProcessedMeta(const RecordedSession& session, const GeckoCategories& categories, const Symbolizer& symbolizer,
                        JsonWriter& writer) {
  static const ProcessProfile kNoProcess;
  const ProcessProfile& first = session.processes.empty() ? kNoProcess : session.processes[0];
  const int64_t zero_ns = SessionZeroNs(session);
  int64_t begin_ns = session.processes.empty() ? zero_ns : INT64_MAX, end_ns = zero_ns;
  for (const ProcessProfile& process : session.processes) {
    begin_ns = std::min(begin_ns, RecordingStartNs(process));
    end_ns = std::max(end_ns, RecordingEndNs(process));
  }
  writer.StartObjectProperty("meta");
  writer.IntProperty("version", kGeckoFormatVersion);
  writer.IntProperty("preprocessedProfileVersion", kProcessedFormatVersion);
  writer.DoubleProperty("startTime",
                        first.start_epoch_ms - static_cast<double>(first.start_ns - zero_ns) / kNsPerMsDouble);
  writer.IntProperty("startTimeAsClockMonotonicNanosecondsSinceBoot", zero_ns);
  writer.TimeMsProperty("profilingStartTime", begin_ns - zero_ns);
  writer.TimeMsProperty("profilingEndTime", end_ns - zero_ns);
  writer.TimeMsProperty("interval", first.interval_ns);
  writer.IntProperty("processType", 0);
  writer.IntProperty("stackwalk", WalkedStacks(session) ? 1 : 0);
  writer.IntProperty("debug", 0);
  writer.Key("configuration");
  WriteConfiguration(first, writer);
  WriteMachine(session, writer);
  writer.Key("sampleUnits");
  writer.Splice(R"({"time":"ms","eventDelay":"ms","threadCPUDelta":"ns"})");
  writer.Key("categories");
  categories.WriteArray(writer);
  WriteMarkerSchemas(session, writer);
  WriteViewFlags(session, writer);
  WriteExtra(session, symbolizer, writer);
  writer.EndObject();
}

}  // namespace geckoprof
