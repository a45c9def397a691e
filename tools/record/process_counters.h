#ifndef GECKOPROF_TOOLS_RECORD_PROCESS_COUNTERS_H_
#define GECKOPROF_TOOLS_RECORD_PROCESS_COUNTERS_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "geckoprof/control/process_meter.h"
#include "geckoprof/reader/process_profile.h"
#include "tools/record/counter_file.h"
#include "tools/support/process_state.h"

namespace geckoprof {

// ProcessCounters asks the kernel what each process of a session uses, and keeps the answers in the session's file of
// counters. It costs the processes nothing.
//
//   4711-0.segment --> pid 4711 --> CPU clock --changed--> /proc/4711 --> a row
//                                        \--as before--> nothing
//
// Looks come every 10 ms, or less often when there are many processes. They take at most 0.5 % of one core. A process
// that did nothing gets no row. The row before a change has the time of the last look without one. A row has the pid
// that its process has for itself. A look lists the processes of the machine to find those of other pid namespaces.
// Threads: one.
class ProcessCounters {
 public:
  // `path` is the folder of the session. `file` must outlive the object.
  ProcessCounters(std::string path, CounterFile& file) : path_(std::move(path)), file_(file) {}

  // Returns the ns until the next look.
  int64_t Look();

 private:
  struct Process {
    std::optional<ProcessMeter> meter;  // nothing: it is of another pid namespace, and was not found
    ProcessCounterRow last;             // of the last look
    bool is_last_written = true;        // to the file
  };

  void FindProcesses();
  // Adds the process of a new segment, unless it is known. A process of another pid namespace is also added to
  // `others`. Returns nothing while the segment is not complete.
  std::optional<NamespacedPid> AddProcess(const char* segment, pid_t pid, std::vector<NamespacedPid>& others);
  void FindOthers(const std::vector<NamespacedPid>& names);  // of other pid namespaces
  // Returns false if the process has ended.
  bool LookAt(Process& process, std::vector<ProcessCounterRow>& rows);

  const std::string path_;
  CounterFile& file_;
  const PidNamespaces namespaces_;
  std::map<std::string, NamespacedPid> segments_;  // complete ones in the folder, and their processes
  std::map<NamespacedPid, Process> processes_;     // of these segments, except those that have ended
  // The names of the machine's processes at the last look for others. If the kernel has used a number again, the rows
  // have the start of another process, and belong to none.
  std::map<pid_t, NamespacedPid> names_;
};

// ProcessCounterRows has the rows of a session's file, by process.
// Threads: any, once it does not change any more.
class ProcessCounterRows {
 public:
  // A row that makes no sense is left out.
  void Add(const ProcessCounterRow& row);

  // Adds the counters of the program that `process` has.
  void AddTo(ProcessProfile& process) const;

 private:
  using Key = std::tuple<int32_t, uint32_t, uint64_t>;  // pid, its namespace, and start of the process
  std::map<Key, std::vector<ProcessCounterRow>> rows_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_PROCESS_COUNTERS_H_
