#ifndef GECKOPROF_ENTRIES_MARKER_WRITER_H_
#define GECKOPROF_ENTRIES_MARKER_WRITER_H_

#include <cstdint>
#include <string_view>

#include "geckoprof/base/ids.h"
#include "geckoprof/segment/stream_writer.h"

namespace geckoprof {

// A marker without fields, or with a text.
struct PlainMarker {
  std::string_view name;  // cut at kLargestNameBytes
  uint32_t category_pair = 0;
  uint32_t phase = 0;  // MarkerPhase
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  bool has_text = false;
  std::string_view text;  // cut at kLargestTextBytes
};

// MarkerWriter: one thread's markers, in a stream of its own. Each chunk says for itself whose they are: at its begin,
// and where another thread goes on with a chunk that was left half-filled.
//
// Threads: one owner. Context: any; a marker of a signal handler that interrupted one of the same thread is dropped and
// counted. No lock, no allocation.
class MarkerWriter {
 public:
  static constexpr size_t kLargestNameBytes = 400;
  static constexpr size_t kLargestTextBytes = 3500;

  // Writes to `segment`, forgetting what was before if that is another one than last time. False: dropped, and counted.
  // A segment that was retired, or is the parent's in a forked child, takes what is on its way and keeps nothing.
  bool Put(const Segment* segment, ThreadId writer, const PlainMarker& marker, int64_t now_ns);

  // The thread has ended: its half-filled chunk is left for others.
  void Leave() { stream_.Leave(); }

 private:
  void Begin(const Segment* segment);
  bool PutInTurn(ThreadId writer, const PlainMarker& marker, int64_t now_ns);

  const Segment* segment_ = nullptr;
  StreamWriter stream_;
  uint32_t announced_serial_ = 0;  // the chunk that says who we are
  volatile bool busy_ = false;     // owner's thread; volatile so that its own signal handler sees it
};

}  // namespace geckoprof

#endif  // GECKOPROF_ENTRIES_MARKER_WRITER_H_
