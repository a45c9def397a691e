#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_PROCESSED_THREAD_WRITER_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_PROCESSED_THREAD_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "geckoprof/json/json_writer.h"
#include "tools/processed_format/lock_waits.h"
#include "tools/processed_format/loop_blocks.h"
#include "tools/processed_format/native_allocations.h"
#include "tools/processed_format/processed_file.h"
#include "tools/processed_format/processed_tables.h"
#include "tools/processed_format/recorded_processes.h"

namespace geckoprof {

// Returns "1234", and "1234.1" for the program after the first exec of the same process. The viewer keys its tracks by
// it.
std::string ProcessedPid(const ProcessProfile& process);

// ProcessedThreadWriter: writes the threads of a session into the processed format, all times relative to one zero. The
// threads of one process come after each other.
// An idle run of n ticks becomes two rows: n-1 at its first tick and 1 at its last, so that graphs have both its ends.
// Lifetime: a view of everything given to the constructor.
class ProcessedThreadWriter {
 public:
  ProcessedThreadWriter(const RecordedSession& session, int64_t zero_ns, ProcessedTables& tables, JsonWriter& writer)
      : session_(session), zero_ns_(zero_ns), tables_(tables), writer_(writer) {}

  void Write(size_t process, const ThreadRow& row);

 private:
  // A row of the recording, or one end of an idle run.
  struct Sample {
    int32_t stack;  // in the tables of the profile
    uint64_t weight;
    SampleRow row;
  };

  std::vector<Sample> Samples(size_t process, const ThreadRow& thread);
  // The loop blocks are those of the samples' thread, in order of time.
  void WriteSamples(const std::vector<Sample>& samples, const std::vector<LoopBlock>& blocks);
  void WriteMarkers(size_t process, const ThreadRow& thread);
  void WriteAllocations(size_t process);
  JsonNumber MarkerCell(size_t process, const MarkerRow& marker, MarkerColumn column);
  JsonNumber LockWaitCell(size_t process, const LockWait& wait, MarkerColumn column);
  void WriteLockWait(size_t process, const LockWait& wait);
  void WriteMarkerData(size_t process, const ThreadRow& thread, const MarkerRow& marker);
  void WriteMarkerField(const ProcessProfile& profile, const MarkerField& field, const MarkerTypeRow& type);
  JsonNumber TimeAt(int64_t time_ns) const { return JsonNumber::TimeMs(time_ns - zero_ns_); }
  JsonNumber TimeUnless0(int64_t time_ns) const { return time_ns == 0 ? JsonNumber::Null() : TimeAt(time_ns); }

  const RecordedSession& session_;
  const int64_t zero_ns_;
  ProcessedTables& tables_;
  JsonWriter& writer_;
  size_t process_ = 0;  // the process that was written last; the others belong to it
  std::optional<LockWaits> lock_waits_;
  std::optional<NativeAllocations> allocations_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_PROCESSED_THREAD_WRITER_H_
