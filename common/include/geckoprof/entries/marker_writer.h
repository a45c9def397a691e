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

  // Begins to write for `segment`, forgetting what was before. For the writer of another segment this is the only call
  // that helps.
  void Begin(const Segment* segment);
  const Segment* segment() const { return segment_; }

  // False: dropped, and counted.
  bool Put(ThreadId writer, const PlainMarker& marker, int64_t now_ns);

  // The thread has ended: its half-filled chunk is left for others.
  void Leave() { stream_.Leave(); }

 private:
  bool PutInTurn(ThreadId writer, const PlainMarker& marker, int64_t now_ns);

  const Segment* segment_ = nullptr;
  StreamWriter stream_;
  uint32_t announced_serial_ = 0;  // the chunk that says who we are
  volatile bool busy_ = false;     // owner's thread; volatile so that its own signal handler sees it
};

}  // namespace geckoprof

#endif  // GECKOPROF_ENTRIES_MARKER_WRITER_H_
