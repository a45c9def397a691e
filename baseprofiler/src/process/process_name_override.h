#ifndef GECKOPROF_BASEPROFILER_PROCESS_PROCESS_NAME_OVERRIDE_H_
#define GECKOPROF_BASEPROFILER_PROCESS_PROCESS_NAME_OVERRIDE_H_

#include <cstdint>

#include "geckoprof/segment/segment.h"
#include "geckoprof/segment/stream_writer.h"
#include "process/table_lock.h"

namespace geckoprof {

// ProcessNameOverride: the name that the program gives its process in profiles. Several processes may run one program
// and do different work. The name holds in each recording until the program changes it. A forked child begins with its
// parent's name.
//
// Threads: any, under a lock that is held only for copying.
// Context: not signal context.
// Lifetime: constant-initialised static memory.
class ProcessNameOverride {
 public:
  static constexpr uint32_t kMaxBytes = 95;

  static ProcessNameOverride& Get();

  // Sets the name, cut between characters at kMaxBytes. Null or an empty name restores the program's own name. A
  // caller then calls WriteTo for the current recording.
  void Set(const char* name);
  // Writes the name if the recording does not have it. A start calls this if
  // HasPersistent(PersistentState::kProcessName).
  void WriteTo(const Segment& segment);
  void AfterForkInChild();

 private:
  TableLock lock_;
  // lock_ guards the members below.
  char name_[kMaxBytes + 1] = {};
  bool was_set_ = false;
  bool is_written_ = false;  // in the recording that stream_ writes to
  StreamWriter stream_;
  uint32_t serial_ = 0;  // identifies that recording
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PROCESS_PROCESS_NAME_OVERRIDE_H_
