#ifndef GECKOPROF_ENTRIES_LOOK_WRITER_H_
#define GECKOPROF_ENTRIES_LOOK_WRITER_H_

#include <cstddef>
#include <cstdint>

#include "geckoprof/entries/sample_writer.h"
#include "geckoprof/segment/leb128.h"

namespace geckoprof {

// Look is what one look of the sampler has cost. Times are in ns. The phases are wall time, so they contain the time in
// which the sampler had no core.
//
//   planned   begin                                              end
//      |--late--|--upkeep--|--sources--|--threads--|--sources--|
struct Look {
  int64_t time_ns = 0;     // its begin
  int64_t late_ns = 0;     // from the planned time to the begin; 0 if the sampler was woken before
  int64_t upkeep_ns = 0;   // commands, new chunks, lists of threads and modules
  int64_t sources_ns = 0;  // counters, and the work of the full library at this tick
  int64_t threads_ns = 0;  // samples of the threads
  int64_t cpu_ns = 0;      // CPU time of the sampler from the start of the recording to the begin
};

// LookWriter writes the costs of the sampler's looks into the sampler's stream, in batches. A look takes 6 to 10 bytes.
// The end of a process by a signal loses the last batch, which is half a second at most.
//
// Threads: owned by the sampler. Context: not signal context. It allocates nothing.
class LookWriter {
 public:
  explicit LookWriter(SampleWriter* samples) : samples_(*samples) {}

  void Add(const Look& look);
  // Writes the looks that are held. Must be called before the sampler ends.
  void Flush();

 private:
  static constexpr size_t kBatchBytes = 256;
  static constexpr size_t kMaxBytesEach = 6 * kMaxLeb128Bytes;
  static constexpr int64_t kLongestNs = 500'000'000;

  SampleWriter& samples_;
  int64_t first_ns_ = 0;       // the begin of the batch's first look
  int64_t before_ = 0;         // the begin of the look before, in units from first_ns_
  int64_t cpu_before_ns_ = 0;  // that is in rows
  size_t used_ = 0;
  uint8_t batch_[kBatchBytes];
};

}  // namespace geckoprof

#endif  // GECKOPROF_ENTRIES_LOOK_WRITER_H_
