#ifndef GECKOPROF_ENTRIES_COUNTER_WRITER_H_
#define GECKOPROF_ENTRIES_COUNTER_WRITER_H_

#include <cstddef>
#include <cstdint>

#include "geckoprof/entries/sample_writer.h"

namespace geckoprof {

// CounterWriter writes the values of counters into the sampler's stream, after the tick at which they were read.
//
//   | kTick | kCounterSample: id, change; id, change; ... |        5 to 8 bytes a counter that changed
//
// An unchanged counter takes no bytes. In the first tick of each chunk, every counter that has ever changed is written
// with its whole value. The values are therefore right even if earlier chunks were recycled.
//
// Threads: owned by the sampler. Context: not signal context. It allocates nothing.
class CounterWriter {
 public:
  explicit CounterWriter(SampleWriter* samples) : samples_(*samples) {}

  struct Value {
    int64_t count;
    int64_t number;
    bool has_number;
  };
  // The counter's last values in the segment. They are initially the values of its definition.
  struct Written {
    int64_t count = 0;
    int64_t number = 0;
    bool ever = false;  // besides the definition
  };

  // Each tick calls Begin, then Add for every counter, then End.
  void Begin();
  void Add(uint32_t id, const Value& value, Written& written);
  // Returns false if the chunk was full. The caller must then begin again, with all counters.
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
