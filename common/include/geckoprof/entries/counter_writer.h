#ifndef GECKOPROF_ENTRIES_COUNTER_WRITER_H_
#define GECKOPROF_ENTRIES_COUNTER_WRITER_H_

#include <cstddef>
#include <cstdint>

#include "geckoprof/entries/sample_writer.h"

namespace geckoprof {

// CounterWriter: puts the values of counters into the sampler's stream, behind the tick they were read at.
//
//   | kTick | kCounterSample: id, change; id, change; ... |        5 to 8 bytes a counter that changed
//
// One that did not change costs nothing, but for the first tick of each chunk: there every counter that has ever
// changed is written whole, so that the values are right whatever chunk before it was recycled.
// Threads: owned by the sampler. Context: not signal context. No allocation.
class CounterWriter {
 public:
  explicit CounterWriter(SampleWriter* samples) : samples_(*samples) {}

  struct Value {
    int64_t count;
    int64_t number;
    bool has_number;
  };
  // What the segment says of a counter already; at first what its definition says.
  struct Written {
    int64_t count = 0;
    int64_t number = 0;
    bool ever = false;  // besides the definition
  };

  // Begin ... Add of every counter ... End, once a tick.
  void Begin();
  void Add(uint32_t id, const Value& value, Written& written);
  // False: the chunk came to its end. Begin again, with all counters.
  bool End();

 private:
  static constexpr size_t kBatchBytes = 1024;
  static constexpr size_t kMaxBytesEach = 3 * kMaxLeb128Bytes;
  void Flush();

  SampleWriter& samples_;
  uint32_t chunk_serial_ = 0;  // of the chunk that has all values; 0: none
  bool whole_ = false;         // this time all are written, and whole
  bool fits_ = true;
  bool dropped_ = false;
  size_t used_ = 0;
  uint8_t batch_[kBatchBytes] = {};
};

}  // namespace geckoprof

#endif  // GECKOPROF_ENTRIES_COUNTER_WRITER_H_
