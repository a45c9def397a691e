#ifndef GECKOPROF_TOOLS_RECORD_SESSION_COUNTERS_H_
#define GECKOPROF_TOOLS_RECORD_SESSION_COUNTERS_H_

#include <string>

#include "tools/record/machine_rows.h"
#include "tools/record/process_counters.h"

namespace geckoprof {

// SessionCounters has the counters of a session's file.
struct SessionCounters {
  ProcessCounterRows processes;
  MachineRows machine;

  // Rows that make no sense are left out.
  static SessionCounters Read(const std::string& session);
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_SESSION_COUNTERS_H_
