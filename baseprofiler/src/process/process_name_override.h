#ifndef GECKOPROF_BASEPROFILER_PROCESS_PROCESS_NAME_OVERRIDE_H_
#define GECKOPROF_BASEPROFILER_PROCESS_PROCESS_NAME_OVERRIDE_H_

#include <cstdint>

#include "geckoprof/segment/segment.h"
#include "geckoprof/segment/stream_writer.h"
#include "process/table_lock.h"

namespace geckoprof {

// ProcessNameOverride: what the program calls its process in profiles: several that run one program may do different
// work. It is the process's, in each recording, until it is given another; a forked child begins with its parent's.
//
// Threads: any, under a lock that is held for copying alone. Context: not signal context. Lifetime:
// constant-initialised static memory.
class ProcessNameOverride {
 public:
  static constexpr uint32_t kMostBytes = 95;

  static ProcessNameOverride& Get();

  // Cut between characters; null or empty: none, the program's own counts. For the recording that goes on: WriteTo.
  void Set(const char* name);
  // Writes it if the recording has not got it. At its start: if IsKept(Kept::kProcessName).
  void WriteTo(const Segment& segment);
  void AfterForkInChild();

 private:
  TableLock lock_;
  // Guarded by lock_.
  char name_[kMostBytes + 1] = {};
  bool was_set_ = false;
  bool is_written_ = false;  // to the recording that stream_ writes to
  StreamWriter stream_;
  uint32_t serial_ = 0;  // of that recording
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PROCESS_PROCESS_NAME_OVERRIDE_H_
