#include "tools/convert/processed_writer.h"

#include "tools/convert/processed_counter_writer.h"
#include "tools/convert/processed_meta_writer.h"
#include "tools/convert/processed_tables.h"
#include "tools/convert/processed_thread_writer.h"
#include "tools/convert/shared_tables_writer.h"

namespace geckoprof {

// The threads come first: writing them fills the tables. The order of an object's keys means nothing to readers.
void WriteProcessedProfile(const RecordedSession& session, Symbolizer& symbolizer, JsonWriter& writer) {
  ProcessedTables tables(session, symbolizer);
  ProcessedThreadWriter threads(session, SessionZeroNs(session), tables, writer);
  writer.StartObject();
  writer.StartArrayProperty("threads");
  for (size_t process = 0; process < session.processes.size(); ++process) {
    for (const ThreadRow& thread : session.processes[process].threads) threads.Write(process, thread);
  }
  writer.EndArray();
  WriteProcessedCounters(session, SessionZeroNs(session), writer);
  writer.StartArrayProperty("pages");
  writer.EndArray();
  WriteLibs(tables.tables(), writer);
  writer.StartObjectProperty("shared");
  WriteSharedTables(tables.tables(), kProcessedFormatVersion, writer);
  writer.EndObject();
  WriteProcessedMeta(session, tables.categories(), symbolizer, writer);
  writer.EndObject();
}

}  // namespace geckoprof
