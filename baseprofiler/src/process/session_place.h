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
//           (in /dev/shm, or in /tmp)
//   none    neither can be had, or holds   anonymous memory: the process can still write its profile at its end, which
//           what is wanted                 says so where a folder was given
//
// Threads: one at a time. Context: kernel calls only.
class SessionPlace {
 public:
  // `given`: empty if nobody gave one; borrowed.
  void Choose(const char* given);

  bool is_own() const { return is_own_; }
  // Whether somebody gathers what forked children leave there.
  bool is_given() const { return given_[0] != '\0'; }
  // Whether its recorder wants no further processes.
  bool IsFull() const;
  // Makes the segment, of the own places in the first that has room for it. False: there is none, and a recorder is
  // told why.
  bool Create(Segment& segment, uint64_t capacity_bytes, ProcessId pid, ProcessId parent);
  // Where a forked child says that there is one; empty where nobody would read it.
  const char* MarkDirectory() const { return is_own_ ? "" : given_; }
  // The segment, if the place is the process's own.
  void Remove(const Segment& segment) const;

 private:
  const char* directory() const { return is_own_ ? own_ : given_; }
  SegmentLayout Layout(uint64_t capacity_bytes) const;
  void ChooseNext();

  const char* given_ = "";
  bool is_own_ = false;
  uint32_t next_parent_ = 0;  // of own places
  char own_[64] = {};
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PROCESS_SESSION_PLACE_H_
