#ifndef GECKOPROF_BASEPROFILER_PROCESS_SESSION_PLACE_H_
#define GECKOPROF_BASEPROFILER_PROCESS_SESSION_PLACE_H_

#include <cstdint>

#include "geckoprof/base/ids.h"
#include "geckoprof/segment/segment.h"

namespace geckoprof {

// SessionPlace: the folder that a process's segments lie in, and what becomes of them there.
//
//   given   GECKOPROF_SESSION_DIR          everything stays: whoever gave it gathers it, and reads why one is missing
//   own     the user's geckoprof-<uid>     removed at a normal end, so what stays is of a crash, or was not written
//   none    neither can be had             anonymous memory
//
// Threads: one at a time. Context: kernel calls only.
class SessionPlace {
 public:
  // `given`: empty if nobody gave one; borrowed.
  void Choose(const char* given);

  bool is_own() const { return is_own_; }
  // Whether its recorder wants no further processes.
  bool IsFull() const;
  SegmentLayout Layout(uint64_t capacity_bytes) const;
  // Tells a recorder why there is no segment of this process.
  void NoteFailure(ProcessId pid, Segment::CreateResult result) const;
  // The segment, if the place is the process's own.
  void Remove(const Segment& segment) const;

 private:
  const char* directory() const { return is_own_ ? own_ : given_; }

  const char* given_ = "";
  bool is_own_ = false;
  char own_[64] = {};
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PROCESS_SESSION_PLACE_H_
