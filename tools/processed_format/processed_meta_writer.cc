#include "tools/processed_format/processed_meta_writer.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "geckoprof/gecko_json/gecko_meta_writer.h"
#include "geckoprof/reader/profile_facts.h"
#include "tools/processed_format/end_text.h"
#include "tools/processed_format/processed_file.h"
#include "tools/processed_format/processed_thread_writer.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr size_t kMaxVisibleThreads = 15;  // as the viewer itself chooses
constexpr int64_t kVisibleShare = 20;      // one twentieth of the busiest
constexpr double kNsPerMsDouble = 1e6;

std::string CommandLine(const std::vector<std::string>& arguments) {
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
  const std::string end = EndText(process);
  section.Text("Ended", end.empty() ? "unknown" : end);
  if (process.cpu_ns >= 0) section.Duration("CPU time", std::max<int64_t>(process.cpu_ns - process.sampler_cpu_ns, 0));
  if (process.exit.peak_memory_bytes != 0) {
    section.Number("Peak of resident memory", "bytes", process.exit.peak_memory_bytes);
  }
  section.Text("Features", Joined(process.features));
  section.Number("Buffer capacity", "bytes", process.capacity_bytes);
  section.Number("Buffer used by samples", "bytes", process.segment_bytes_used);
  section.Number("Samples asked for", "integer", process.samples_asked);
  section.Number("Samples taken", "integer", process.samples_taken);
  if (!process.sampled_by.empty()) section.Text("Sampled by", process.sampled_by);
  section.Duration("CPU time of the sampler", process.sampler_cpu_ns);
  if (process.handler_ns != 0) section.Duration("Time in the signal handler", process.handler_ns);
  if (!process.core_speeds.empty()) section.Text("Frequency of the cores", process.core_speeds);
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

}  // namespace

int64_t SessionZeroNs(const RecordedSession& session) {
  int64_t zero_ns = INT64_MAX;
  session.processes.VisitFacts([&zero_ns](size_t, const ProcessFacts& process) {
    zero_ns = std::min(zero_ns, process.start_ns);
    if (process.exec_ns != 0) zero_ns = std::min(zero_ns, process.exec_ns);
  });
  return session.processes.empty() ? 0 : zero_ns;
}

void ThreadCandidates::Add(const ProcessProfile& process) {
  if (images_ == 0) first_pid_ = process.pid;
  for (const ThreadRow& thread : process.threads) {
    ThreadUse use;
    use.image = images_;
    use.is_main = thread.is_main && process.pid == first_pid_;
    use.is_empty = thread.samples.empty() && thread.markers.empty();
    for (const SampleRow& sample : thread.samples) {
      use.samples += IsSample(sample) ? 1 : 0;
      use.cpu_ns += std::min(std::max<int64_t>(sample.cpu_delta_ns, 0), INT64_MAX - use.cpu_ns);
    }
    Add(use);
  }
  ++images_;
}

// The main thread of the busiest image of the first pid: a script that hands over to its program by exec is there for
// the program.
void ThreadCandidates::ForceFirstMain(std::vector<Candidate>& candidates) {
  std::map<uint32_t, std::pair<int64_t, int64_t>> work;  // CPU time and samples of the images that can have it
  for (const Candidate& candidate : candidates) {
    if (candidate.is_main && !candidate.is_empty) work[candidate.image] = {};
  }
  for (const Candidate& candidate : candidates) {
    const auto image = work.find(candidate.image);
    if (image == work.end()) continue;
    auto& [cpu_ns, samples] = image->second;
    cpu_ns += std::min(candidate.cpu_ns, INT64_MAX - cpu_ns);
    samples += candidate.samples;
  }
  Candidate* best = nullptr;
  for (Candidate& candidate : candidates) {
    if (!candidate.is_main || candidate.is_empty) continue;
    if (best == nullptr || work[candidate.image] > work[best->image]) best = &candidate;
  }
  if (best != nullptr) best->is_forced = true;
}

InitialThreads ThreadCandidates::Choose() const {
  std::vector<Candidate> candidates = candidates_;
  ForceFirstMain(candidates);
  if (std::all_of(candidates.begin(), candidates.end(), [](const Candidate& c) { return c.cpu_ns == 0; })) {
    for (Candidate& candidate : candidates) candidate.cpu_ns = candidate.samples;  // no CPU times: the next best
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::tuple(b.is_forced, a.is_empty, b.cpu_ns) < std::tuple(a.is_forced, b.is_empty, a.cpu_ns);
  });
  int64_t busiest_ns = 0;
  for (const Candidate& candidate : candidates) busiest_ns = std::max(busiest_ns, candidate.cpu_ns);
  InitialThreads threads;
  for (const Candidate& candidate : candidates) {
    const bool is_busy = candidate.cpu_ns > 0 && candidate.cpu_ns >= busiest_ns / kVisibleShare;
    if ((!candidate.is_forced && !is_busy) || threads.visible.size() == kMaxVisibleThreads) continue;
    threads.visible.push_back(candidate.number);
    if (is_busy && !threads.selected.has_value()) threads.selected = candidate.number;
  }
  if (threads.visible.empty() && !candidates.empty()) threads.visible.push_back(candidates[0].number);
  if (!threads.selected.has_value() && !threads.visible.empty()) threads.selected = threads.visible[0];
  return threads;
}

void WriteInitialThreads(const InitialThreads& threads, JsonWriter& writer) {
  writer.StartArrayProperty("initialVisibleThreads");
  for (const uint32_t thread : threads.visible) writer.Uint(thread);
  writer.EndArray();
  writer.StartArrayProperty("initialSelectedThreads");
  if (threads.selected.has_value()) writer.Uint(*threads.selected);
  writer.EndArray();
}

ProcessedMeta::ProcessedMeta(const RecordedSession& session)
    : session_(session), zero_ns_(SessionZeroNs(session)), end_ns_(zero_ns_) {
  marker_types_.push_back(LockWaitMarkerType());
  marker_type_names_.insert(marker_types_.back().name);
}

void ProcessedMeta::Add(const ProcessProfile& process) {
  begin_ns_ = std::min(begin_ns_, RecordingStartNs(process));
  end_ns_ = std::max(end_ns_, RecordingEndNs(process));
  samplers_ns_ += std::min(process.sampler_cpu_ns, INT64_MAX - samplers_ns_);
  walked_stacks_ |= std::find(process.features.begin(), process.features.end(), "stackwalk") != process.features.end();
  // Types of the same name in several processes are one: the first wins, as in the viewer.
  for (const MarkerTypeRow& type : process.marker_types) {
    if (type.has_schema && marker_type_names_.insert(type.name).second) marker_types_.push_back(type);
  }
  threads_.Add(process);
  sections_.Add([&](JsonWriter& writer) { WriteProcessSection(process, writer); });
}

bool ProcessedMeta::WriteExtra(const Symbolizer& symbolizer, JsonWriter& writer) {
  writer.StartArrayProperty("extra");
  {
    ExtraSection section("Recording", writer);
    if (!session_.capture.empty()) section.Text("Capture", session_.capture);
    if (!session_.end.empty()) section.Text("End", session_.end);
    if (session_.exit_status_known) section.Text("Exit status", std::to_string(session_.exit_status));
    std::vector<std::pair<int32_t, uint32_t>> pids;
    session_.processes.VisitFacts(
        [&pids](size_t, const ProcessFacts& process) { pids.emplace_back(process.pid, process.pid_space); });
    std::sort(pids.begin(), pids.end());
    const auto processes = std::unique(pids.begin(), pids.end()) - pids.begin();
    section.Number("Processes", "integer", static_cast<uint64_t>(processes));
    section.Number("Program images", "integer", session_.processes.size());
    if (session_.cpu_times.has_value()) {
      section.Duration("CPU time of the program and its children", session_.cpu_times->program_ns);
      section.Duration("CPU time that the samples have", session_.cpu_times->sampled_ns);
      section.Duration("CPU time of the samplers", samplers_ns_);
    }
    if (session_.unsampled_processes != 0) {
      section.Number("Processes that ended before their first sample", "integer", session_.unsampled_processes);
      section.Duration("CPU time of processes that ended before their first sample", session_.unsampled_cpu_ns);
    }
    WriteLosses(session_.losses, section);
    const Symbolizer::Counts& counts = symbolizer.counts();
    section.Number("Libraries with symbols", "integer", counts.loaded);
    section.Number("Libraries with source lines", "integer", counts.with_lines);
    section.Number("Libraries whose file is gone", "integer", counts.unreadable);
    section.Number("Libraries whose file has changed", "integer", counts.mismatched);
    section.Number("Addresses without a function", "integer", counts.unknown_addresses);
  }
  const bool are_whole = sections_.WriteTo(writer);
  writer.EndArray();
  return are_whole;
}

bool ProcessedMeta::Write(const GeckoCategories& categories, const Symbolizer& symbolizer, JsonWriter& writer) {
  static const ProcessProfile kNoProcess;
  const bool is_empty = session_.processes.empty();
  const ProcessProfile& first = is_empty ? kNoProcess : session_.processes[0];
  const GeckoMachine machine = ReadGeckoMachine();
  ProfileHead head;
  head.start_epoch_ms = first.start_epoch_ms - static_cast<double>(first.start_ns - zero_ns_) / kNsPerMsDouble;
  head.start_monotonic_ns = JsonNumber::Int(zero_ns_);
  head.boot_id = ReadBootId(zero_ns_, head.start_epoch_ms);
  head.recording_start_time = JsonNumber::TimeMs((is_empty ? zero_ns_ : begin_ns_) - zero_ns_);
  head.recording_end_time = JsonNumber::TimeMs(end_ns_ - zero_ns_);
  head.interval = JsonNumber::TimeMs(AskedInterval(first));
  head.walked_stacks = walked_stacks_;
  head.product = session_.product.empty() && !is_empty ? ProgramName(first) : std::string_view(session_.product);
  head.oscpu = machine.oscpu;
  head.cpu_name = machine.cpu_name;
  head.logical_cpus = machine.logical_cpus;
  head.command_line = CommandLine(session_.arguments.empty() ? first.arguments : session_.arguments);
  head.imported_from = "geckoprof";
  head.is_final = true;
  head.categories = categories.rows();
  head.marker_types = marker_types_;
  WriteHead(head, writer);
  writer.Key("configuration");
  WriteConfiguration(first, writer);
  WriteInitialThreads(threads_.Choose(), writer);
  return WriteExtra(symbolizer, writer);
}

}  // namespace geckoprof
