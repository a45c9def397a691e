#ifndef GECKOPROF_JSON_SINK_STREAM_H_
#define GECKOPROF_JSON_SINK_STREAM_H_

#include <cstring>
#include <memory>
#include <string_view>

#include "geckoprof/json/json_writer.h"

namespace geckoprof {

// SinkStream is the chunk between RapidJSON and a JsonSink. It models RapidJSON's output stream. After a failure of the
// sink, `*failure` has a text and further bytes are discarded.
class SinkStream {
 public:
  using Ch = char;

  SinkStream(JsonSink sink, std::string_view* failure)
      : sink_(sink), failure_(failure), chunk_(new char[JsonWriter::kChunkBytes]), next_(chunk_.get()) {}

  void Put(char c) {
    if (next_ == chunk_.get() + JsonWriter::kChunkBytes) Drain();
    *next_++ = c;
  }

  // Returns contiguous room for `size_bytes` <= 64. `end` is the end of the bytes that were written into room from an
  // earlier call. Advance says where the last bytes end.
  char* Reserve(char* end, size_t size_bytes) {
    if (static_cast<size_t>(chunk_.get() + JsonWriter::kChunkBytes - end) >= size_bytes) return end;
    next_ = end;
    Drain();
    return next_;
  }
  char* Reserve(size_t size_bytes) { return Reserve(next_, size_bytes); }
  void Advance(char* end) { next_ = end; }

  void Append(const char* bytes, size_t size_bytes) {
    while (size_bytes > 0) {
      if (next_ == chunk_.get() + JsonWriter::kChunkBytes) Drain();
      const size_t room = static_cast<size_t>(chunk_.get() + JsonWriter::kChunkBytes - next_);
      const size_t part = size_bytes < room ? size_bytes : room;
      std::memcpy(next_, bytes, part);
      next_ += part;
      bytes += part;
      size_bytes -= part;
    }
  }

  // RapidJSON calls this at the end of the root value. Finish passes the bytes on, so it does nothing.
  void Flush() {}

  [[gnu::noinline]] void Drain() {
    const size_t size_bytes = static_cast<size_t>(next_ - chunk_.get());
    next_ = chunk_.get();
    if (size_bytes == 0 || !failure_->empty()) return;
    drained_bytes_ += size_bytes;
    if (!sink_.write(sink_.context, chunk_.get(), size_bytes)) *failure_ = "the output cannot be written";
  }

  uint64_t bytes_written() const { return drained_bytes_ + static_cast<uint64_t>(next_ - chunk_.get()); }

 private:
  const JsonSink sink_;
  std::string_view* const failure_;
  const std::unique_ptr<char[]> chunk_;
  char* next_;
  uint64_t drained_bytes_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_JSON_SINK_STREAM_H_
