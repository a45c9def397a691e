#ifndef GECKOPROF_TOOLS_RECORD_MARKER_WATCH_H_
#define GECKOPROF_TOOLS_RECORD_MARKER_WATCH_H_

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "geckoprof/segment/leb128.h"
#include "geckoprof/segment/segment_view.h"
#include "tools/record/capture_triggers.h"

namespace geckoprof {

// MarkerWatch finds long markers in the segments of a session while they are written. Each look reads only what is new:
//
//   directory of a segment     chunk 7: block and tail as before   -> nothing is new
//                              chunk 8: a larger tail              -> the entries behind the old tail
//                              chunk 9: another block              -> all entries
//   metadata                   once for each site without a known name, if its marker is long
//
// An interval may be one marker with two times, or a start and an end with the same name on one thread. Chunks that
// were recycled between two looks are not seen. The program does nothing for it.
//
// Threads: one. Memory: 16 bytes for each chunk of the live segments, and the names of their sites.
class MarkerWatch {
 public:
  // Markers of `least_ns` or less are left out.
  MarkerWatch(std::string session, int64_t least_ns) : session_(std::move(session)), least_ns_(least_ns) {}

  using Found = std::function<void(const LongMarker& marker)>;
  // Calls `found` for each long marker whose end is new, in all segments.
  void Look(const Found& found);
  // The same for one segment, by file name. Other names are passed over.
  void LookAtFile(const std::string& name, const Found& found);

 private:
  // How far a chunk was read.
  struct Place {
    uint64_t block = 0;
    uint32_t tail = 0;
    int32_t writer_tid = 0;
  };
  struct Segment {
    int64_t created_ns = 0;                                         // tells it from a later segment with the same name
    std::vector<Place> places = {};                                 // by chunk
    std::map<uint32_t, std::string> site_names = {};                // as far as they were needed
    std::map<std::pair<int32_t, std::string>, int64_t> begun = {};  // starts without an end, by thread and name
    bool is_there = false;
  };
  class Times;  // of markers, in ns
  // The entries of one segment in one look.
  struct Reading;

  void LookAt(int32_t pid, Segment& segment, const SegmentView& view, const Found& found) const;
  void ReadEntries(Reading& reading, std::span<const uint8_t> bytes, Place& place) const;
  void ReadMarker(Reading& reading, Leb128Reader& entry, int32_t writer_tid) const;

  static constexpr size_t kMostBegun = 1000;  // of a segment

  const std::string session_;
  const int64_t least_ns_;
  std::map<std::string, Segment> segments_;  // by file name
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_MARKER_WATCH_H_
