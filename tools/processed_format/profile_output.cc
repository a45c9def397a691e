#include "tools/processed_format/profile_output.h"

#include <algorithm>
#include <vector>

#include "geckoprof/gecko_json/gecko_writer.h"
#include "geckoprof/gecko_json/overhead_writer.h"
#include "geckoprof/json/json_writer.h"
#include "tools/processed_format/json_file.h"
#include "tools/processed_format/processed_file.h"
#include "tools/processed_format/processed_meta_writer.h"
#include "tools/processed_format/processed_tables.h"
#include "tools/processed_format/processed_thread_writer.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

class SessionSource final : public ProcessedSource {
 public:
  SessionSource(const RecordedSession& session, Symbolizer& symbolizer)
      : session_(session), symbolizer_(symbolizer), tables_(session, symbolizer), meta_(session) {}

  const ProcessedTables& tables() const { return tables_; }
  bool is_whole() const { return is_whole_; }

  void WriteThreads(JsonWriter& writer) override {
    ProcessedThreadWriter threads(session_, zero_ns_, tables_, writer);
    for (size_t row = 0; row < session_.processes.size(); ++row) {
      const ProcessProfile& process = session_.processes[row];
      for (const ThreadRow& thread : process.threads) threads.Write(row, thread);
      AddOfProcess(process);
      meta_.Add(process);
    }
  }
  bool HasCounters() const override { return !counters_.empty(); }
  void WriteCounters(JsonWriter& writer) override { is_whole_ &= counters_.WriteTo(writer); }
  void WriteOverhead(JsonWriter& writer) override {
    if (overheads_.empty()) return;
    writer.StartArrayProperty("profilerOverhead");
    is_whole_ &= overheads_.WriteTo(writer);
    writer.EndArray();
  }
  void WriteMeta(JsonWriter& writer) override { is_whole_ &= meta_.Write(tables_.categories(), symbolizer_, writer); }

 private:
  // A counter is shown below the main thread of its process, which the costs of the sampler name too.
  void AddOfProcess(const ProcessProfile& process) {
    const auto main = std::ranges::find_if(process.threads, &ThreadRow::is_main);
    const size_t main_thread = threads_ + static_cast<size_t>(main - process.threads.begin());
    threads_ += process.threads.size();
    if (main == process.threads.end()) return;
    if (HasOverhead(process)) {
      overheads_.Add([&](JsonWriter& writer) {
        WriteProcessedOverhead(process, zero_ns_, ProcessedPid(process), main_thread, writer);
      });
    }
    for (const CounterRow& counter : process.counters) {
      const auto fill = [&](CounterColumn column, size_t first_row, std::span<JsonNumber> cells) {
        FillFromRows(counter.samples, first_row, cells, [&](const CounterSample& sample) {
          if (column == CounterColumn::kTime) return JsonNumber::TimeMs(sample.time_ns - zero_ns_);
          return column == CounterColumn::kCount ? CounterCell(counter, sample) : JsonNumber::Int(sample.number);
        });
      };
      counters_.Add([&](JsonWriter& writer) {
        WriteCounter(counter, ProcessedPid(process), main_thread, counter.samples.size(), fill, writer);
      });
    }
  }

  const RecordedSession& session_;
  Symbolizer& symbolizer_;
  const int64_t zero_ns_ = SessionZeroNs(session_);
  ProcessedTables tables_;
  SpooledJson counters_, overheads_;
  size_t threads_ = 0;  // of the processes so far
  ProcessedMeta meta_;
  bool is_whole_ = true;
};

}  // namespace

bool WriteProcessedProfile(const RecordedSession& session, Symbolizer& symbolizer, JsonWriter& writer,
                           MissingNames* missing_names) {
  SessionSource source(session, symbolizer);
  WriteProcessedFile(source, source.tables().tables(), writer);
  *missing_names = source.tables().missing_names();
  return source.is_whole();
}

namespace {

void Show(ProgressLine* progress, std::string_view text) {
  if (progress != nullptr) progress->Show(text);
}

const ProcessProfile& ProcessAt(const void* context, size_t row) {
  return (*static_cast<const RecordedProcesses*>(context))[row];
}

// Returns false if the profile is not whole.
bool WriteSession(const RecordedSession& session, OutputFormat format, ProgressLine* progress,
                  ProfileFindings* findings, JsonWriter& writer) {
  if (format == OutputFormat::kGecko) {
    WriteGeckoProfile({session.processes.size(), &ProcessAt, &session.processes}, writer, session.product);
    return true;
  }
  // No server is asked at the end of a recording: that may take minutes. `geckoprof symbolicate` asks.
  SymbolPlaces places;
  places.debuginfod = false;
  Symbolizer symbolizer(places);
  symbolizer.set_watcher([&](const std::string& library) { Show(progress, Concat("reading symbols of ", library)); });
  MissingNames missing_names;
  const bool is_whole = WriteProcessedProfile(session, symbolizer, writer, &missing_names);
  findings->names_note = missing_names.Note();
  findings->problems = symbolizer.Problems();
  return is_whole;
}

}  // namespace

absl::Status WriteProfile(const RecordedSession& session, OutputFormat format, OutputFile& file, ProgressLine* progress,
                          ProfileFindings* findings) {
  if (session.processes.empty()) return absl::FailedPreconditionError("nothing was recorded");
  Show(progress, format == OutputFormat::kProcessed ? "finding function names" : "writing the profile");
  return WriteJsonFile(file, progress,
                       [&](JsonWriter& writer) { return WriteSession(session, format, progress, findings, writer); });
}

}  // namespace geckoprof
