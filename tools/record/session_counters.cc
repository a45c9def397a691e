#include "tools/record/session_counters.h"

#include <bit>

#include "tools/record/counter_file.h"

namespace geckoprof {

SessionCounters SessionCounters::Read(const std::string& session) {
  SessionCounters counters;
  VisitCounterRows(session, [&counters](const CounterRowBytes& bytes) {
    const auto row = std::bit_cast<ProcessCounterRow>(bytes);
    if (row.pid == 0) {
      counters.machine.Add(bytes);
    } else {
      counters.processes.Add(row);
    }
  });
  return counters;
}

}  // namespace geckoprof
