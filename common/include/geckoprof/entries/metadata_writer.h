#ifndef GECKOPROF_ENTRIES_METADATA_WRITER_H_
#define GECKOPROF_ENTRIES_METADATA_WRITER_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "geckoprof/base/ids.h"
#include "geckoprof/entries/entry_builder.h"
#include "geckoprof/segment/stream_writer.h"

namespace geckoprof {

// The description of a counter, which is written once per recording.
struct CounterDefinition {
  uint32_t id = 0;
  uint64_t flags = 0;    // kCounterHasNumber, kCounterIsRate
  int64_t since_ns = 0;  // when it had ...
  int64_t count = 0;     // ... these values
  int64_t number = 0;
  std::string_view name, category, description, unit, color;
};

// MetadataWriter writes the data that a profile cannot do without, such as threads, modules and the process itself. Its
// chunks are never recycled. A long text is cut at 4 KiB. When the stream reaches its cap, entries are dropped and
// counted (kMetadataFull).
//
// Threads: one at a time. The thread that starts the profiler writes first, and then the sampler. Context: not signal
// context. It allocates nothing.
class MetadataWriter {
 public:
  explicit MetadataWriter(const Segment* segment)
      : stream_(segment, StreamId::FromNumber(kMetadataStream), StreamWriter::Supply::kPinned) {}

  bool Thread(ThreadIndex index, ThreadId tid, bool is_main, int64_t registered_ns, std::string_view name);
  bool ThreadName(ThreadIndex index, std::string_view name);
  bool ThreadEnd(ThreadIndex index, int64_t ended_ns);
  bool Module(uint32_t id, int64_t mapped_ns, uint64_t start, uint64_t end, uint64_t bias, std::string_view path,
              std::string_view build_id);
  bool ModuleEnd(uint32_t id, int64_t unmapped_ns);
  bool Process(std::string_view executable, std::span<const std::string_view> arguments);
  bool Filters(std::span<const std::string_view> filters);
  // `limited_share` is what the profiler took if its limit ends the interval, in hundredths of a per cent. -1: it was
  // asked for.
  bool Interval(int64_t until_ns, int64_t interval_ns, int64_t limited_share);
  bool Problem(std::string_view text);
  bool Counter(const CounterDefinition& counter);
  bool CounterEnd(uint32_t id, int64_t ended_ns, int64_t count, int64_t number);

 private:
  static constexpr size_t kLargestEntry = 4096;
  bool Append(const EntryBuilder& entry, int64_t now_ns) { return stream_.Append(entry.bytes(), now_ns).has_value(); }
  StreamWriter stream_;
  uint8_t room_[kLargestEntry] = {};
};

}  // namespace geckoprof

#endif  // GECKOPROF_ENTRIES_METADATA_WRITER_H_
