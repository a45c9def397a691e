#include "tools/processed_format/processed_writer.h"

#include "tools/processed_format/processed_counter_writer.h"
#include "tools/processed_format/processed_file.h"
#include "tools/processed_format/processed_meta_writer.h"
#include "tools/processed_format/processed_tables.h"
#include "tools/processed_format/processed_thread_writer.h"

namespace geckoprof {
namespace {

class SessionSource final : public ProcessedSource {
 public:
  SessionSource(const RecordedSession& session, Symbolizer& symbolizer)
      : session_(session), symbolizer_(symbolizer), tables_(session, symbolizer), counters_(zero_ns_), meta_(session) {}

  const ProcessedTables& tables() const { return tables_; }
  bool is_whole() const { return is_whole_; }

  void WriteThreads(JsonWriter& writer) override {
    ProcessedThreadWriter threads(session_, zero_ns_, tables_, writer);
    for (size_t row = 0; row < session_.processes.size(); ++row) {
      const ProcessProfile& process = session_.processes[row];
      for (const ThreadRow& thread : process.threads) threads.Write(row, thread);
      counters_.Add(process);
      meta_.Add(process);
    }
  }
  bool HasCounters() const override { return !counters_.empty(); }
  void WriteCounters(JsonWriter& writer) override { is_whole_ &= counters_.Write(writer); }
  void WriteMeta(JsonWriter& writer) override { is_whole_ &= meta_.Write(tables_.categories(), symbolizer_, writer); }

 private:
  const RecordedSession& session_;
  Symbolizer& symbolizer_;
  const int64_t zero_ns_ = SessionZeroNs(session_);
  ProcessedTables tables_;
  ProcessedCounters counters_;
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

}  // namespace geckoprof
