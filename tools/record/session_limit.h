#ifndef GECKOPROF_TOOLS_RECORD_SESSION_LIMIT_H_
#define GECKOPROF_TOOLS_RECORD_SESSION_LIMIT_H_

#include <cstdint>
#include <vector>

#include "geckoprof/segment/segment_format.h"
#include "geckoprof/segment/segment_view.h"

namespace geckoprof {

// SessionLimit is the limit of a session, the larger of the capacity and 64 KiB for each live process. It bounds the
// bytes that count. What live processes keep in any case (LiveSegmentUse) counts up to half of the limit, so that data
// that can be dropped has the other half.
//
//   few live processes     | kept | data ........................... |           together at most the limit
//   many                   | kept, counted | kept, on top | data ... |
struct SessionLimit {
  static constexpr uint64_t kLeastBytes = uint64_t{64} << 10;  // for each live process

  static SessionLimit For(uint64_t capacity_bytes, uint64_t live_processes);

  // Returns how many bytes of the session count. Live processes keep `kept_bytes` of them.
  uint64_t CountedBytes(uint64_t all_bytes, uint64_t kept_bytes) const;

  uint64_t bytes;
  DroppedFor kind;
};

// LiveSegmentUse says how many bytes of a live process's segment are data, and how many the process keeps. It needs
// some memory to record at all and cannot give it up, so dropping the data of others would free nothing of it.
//
//   header, directory                    kept
//   a chunk with a writer                kept
//   metadata                             the first chunk is kept
//   chunks that are ready for a writer   three are kept
//   finished chunks                      data; the process can release them
//
// The segment may be of any contents. The data has at most the bytes that its file takes.
class LiveSegmentUse {
 public:
  LiveSegmentUse(const SegmentView& view, uint64_t allocated_bytes);

  uint64_t kept_bytes() const { return kept_bytes_; }
  // The time of the newest entry of each finished chunk.
  const std::vector<int64_t>& finished_ns() const { return finished_ns_; }

 private:
  uint64_t kept_bytes_ = 0;
  std::vector<int64_t> finished_ns_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_SESSION_LIMIT_H_
