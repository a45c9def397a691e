#ifndef GECKOPROF_TOOLS_RECORD_SESSION_LIMIT_H_
#define GECKOPROF_TOOLS_RECORD_SESSION_LIMIT_H_

#include <cstdint>
#include <vector>

#include "geckoprof/segment/segment_format.h"
#include "geckoprof/segment/segment_view.h"

namespace geckoprof {

// SessionLimit is the limit of a session, the larger of the capacity and 64 KiB for each live process. It bounds the
// bytes that count, which are those of all files except a part of the live processes' segments (LiveSegmentUse).
struct SessionLimit {
  static constexpr uint64_t kLeastBytes = uint64_t{64} << 10;  // for each live process

  static SessionLimit For(uint64_t capacity_bytes, uint64_t live_processes);

  uint64_t bytes;
  DroppedFor kind;
};

// LiveSegmentUse says how many bytes of a live process's segment count for the limit. A process needs some memory to
// record at all and cannot give it up, so dropping the data of others would free nothing.
//
//   header, directory                    does not count
//   a chunk with a writer                does not count
//   metadata                             the first chunk does not count
//   chunks that are ready for a writer   three do not count
//   finished chunks                      count; the process can release them
//
// The segment may be of any contents. It counts at most the bytes that its file takes.
class LiveSegmentUse {
 public:
  LiveSegmentUse(const SegmentView& view, uint64_t allocated_bytes);

  uint64_t counted_bytes() const { return counted_bytes_; }
  // The time of the newest entry of each finished chunk.
  const std::vector<int64_t>& finished_ns() const { return finished_ns_; }

 private:
  uint64_t counted_bytes_ = 0;
  std::vector<int64_t> finished_ns_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_SESSION_LIMIT_H_
