#include "tools/processed_format/processed_writer.h"

#include "geckoprof/gecko_json/format_versions.h"
#include "tools/processed_format/processed_counter_writer.h"
#include "tools/processed_format/processed_meta_writer.h"
#include "tools/processed_format/processed_tables.h"
#include "tools/processed_format/processed_thread_writer.h"
#include "tools/processed_format/shared_tables_writer.h"

namespace geckoprof {

// The threads come first: writing them fills the tables. The order of an object's keys means nothing to readers.
bool WriteProcessedProfile(const RecordedSession& session, Symbolizer& symbolizer, JsonWriter& writer,
                           MissingNames* missing_names) {
  ProcessedTables tables(session, symbolizer);
  const int64_t zero_ns = SessionZeroNs(session);
  ProcessedThreadWriter threads(session, zero_ns, tables, writer);
  ProcessedCounters counters(zero_ns);
  ProcessedMeta meta(session);
  writer.StartObject();
  writer.StartArrayProperty("threads");
  for (size_t row = 0; row < session.processes.size(); ++row) {
    const ProcessProfile& process = session.processes[row];
    for (const ThreadRow& thread : process.threads) threads.Write(row, thread);
    counters.Add(process);
    meta.Add(process);
  }
  writer.EndArray();
  bool is_whole = counters.Write(writer);
  writer.StartArrayProperty("pages");
  writer.EndArray();
  WriteLibs(tables.tables(), writer);
  writer.StartObjectProperty("shared");
  WriteSharedTables(tables.tables(), ProcessedVersion::kWritten, writer);
  writer.EndObject();
  is_whole &= meta.Write(tables.categories(), symbolizer, writer);
  writer.EndObject();
  *missing_names = tables.missing_names();
  return is_whole;
}

}  // namespace geckoprof
