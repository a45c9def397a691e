// Counters in a processed profile.
#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_PROCESSED_COUNTER_WRITER_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_PROCESSED_COUNTER_WRITER_H_

#include <cstddef>
#include <cstdint>

#include "geckoprof/json/json_writer.h"
#include "geckoprof/reader/process_profile.h"
#include "tools/processed_format/spooled_json.h"

namespace geckoprof {

// ProcessedCounters: the counters of all processes, with how they are drawn. A counter is shown below its process's
// main thread, whose number is that of the threads of all processes in order. Threads: one at a time.
class ProcessedCounters {
 public:
  explicit ProcessedCounters(int64_t zero_ns) : zero_ns_(zero_ns) {}

  // To be called for each process, in order.
  void Add(const ProcessProfile& process);
  bool empty() const { return counters_.empty(); }
  // Writes the elements of "counters". Returns false if the counters were lost.
  [[nodiscard]] bool Write(JsonWriter& writer) { return counters_.WriteTo(writer); }

 private:
  const int64_t zero_ns_;
  SpooledJson counters_;
  size_t first_thread_ = 0;  // of the next process
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_PROCESSED_COUNTER_WRITER_H_
