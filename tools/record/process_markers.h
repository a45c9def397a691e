#ifndef GECKOPROF_TOOLS_RECORD_PROCESS_MARKERS_H_
#define GECKOPROF_TOOLS_RECORD_PROCESS_MARKERS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "geckoprof/reader/process_profile.h"
#include "tools/processed_format/recorded_processes.h"

namespace geckoprof {

// ProcessMarkers adds the lives of the processes as markers to their threads. The segments' headers and tables tell all
// of it, so no process has recorded such a marker.
//
//   process start   main thread, at its first sign of life           command line, parent
//   exec            main thread of the program that follows          command line
//   fork            main thread of the parent, at the child's start  the child's number and command line
//   exit            main thread, at the end                          the end, CPU time, peak memory
//   crash           the thread that crashed                          signal, cause, stack
//
// It keeps a few facts of each process, and the command lines that a marker of another process shows.
// Threads: one.
class ProcessMarkers {
 public:
  // Markers before `least_ns` are left out. REQUIRES: the processes are in their final order, with the programs of a
  // process in order of their starts.
  explicit ProcessMarkers(const RecordedProcesses& processes, int64_t least_ns = 0);

  // Adds the markers to the process of a row. It must have none of them yet, and must have a thread.
  void AddTo(size_t row, ProcessProfile& process) const;

 private:
  struct Fork {
    int64_t time_ns;
    int32_t child_pid;
    SharedText child_command;
  };
  struct Life {
    bool is_first = false;      // program of the process
    SharedText parent_command;  // of a process that was forked, or empty
    std::vector<Fork> forks;
  };
  const int64_t least_ns_;
  std::vector<Life> lives_;  // by row
};

// Adds the marker of the time from exec to our constructor to the main thread. There are no samples of this time.
//
//   exec_ns            the recorder's program: it knows the time
//   before_exec_ns     another program: the last sign of life of the program before it, or its fork
//
// A process without either time gets no marker.
void AddLoadingMarker(ProcessProfile& process);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_PROCESS_MARKERS_H_
