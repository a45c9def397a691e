#ifndef GECKOPROF_TOOLS_RECORD_SESSION_CONTENTS_H_
#define GECKOPROF_TOOLS_RECORD_SESSION_CONTENTS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "geckoprof/reader/process_profile.h"
#include "geckoprof/reader/segment_reader.h"
#include "geckoprof/segment/segment_name.h"
#include "tools/processed_format/recorded_processes.h"
#include "tools/record/unrecorded_processes.h"
#include "tools/support/process_state.h"

namespace geckoprof {

struct SessionCounters;

// SessionContents has everything that the processes of a recording left behind. A file that cannot be read becomes a
// warning, and the rest is read all the same.
//
// Processes are in the order of their starts. The images of one process follow each other. They are programs that the
// process ran by exec, or recordings of a program that was stopped and started anew. A program that another one
// followed ends with "exec". A process that did not tell its end and is gone has "ended". A process that had another
// name in the end was followed by a program that was not recorded. Processes of other namespaces, and later processes
// to which the kernel gave the same pid, are told apart by `pid_space`.
struct SessionContents {
  RecordedProcesses processes;
  std::vector<std::string> warnings;  // one line each, with the file's path
  std::vector<std::string> reasons;   // "process 4712: no space left": why a process made no segment

  // The command line that the recorder wrote down. It is empty if there was no recorder, or if it had no room.
  std::vector<std::string> command;

  // The counters that the recorder read for each process, and for the machine. It is null if nothing was read. Finish
  // adds the former to the processes.
  std::shared_ptr<const SessionCounters> counters;

  // The end of a process, if the kernel told it ("exited", "killed by signal 9"), and the name that the process had by
  // then.
  struct KnownEnd {
    std::string how;        // "exited", "killed by signal 9"
    std::string name = {};  // of the process by then, up to 15 bytes; empty: unknown
    int status = -1;        // the exit status; -1: none

    // `status` is in the form of waitpid(2).
    static KnownEnd Of(int status);
  };
  std::map<NamespacedPid, KnownEnd> known_ends;

  // The contents are those of the time from here on (session_window.h). 0: all that was recorded.
  int64_t window_begin_ns = 0;

  // These processes told themselves why they are not recorded any more.
  std::set<int32_t> told_why;

  // The segments of these processes were not complete when the processes were gone. They are counted, and no warning
  // tells of them. Finish takes out forked children with a mark, which called exec or ended at once.
  std::vector<int32_t> unfinished;

  // Forked children that left a mark. Finish makes processes of those that have no segment. The program could make any
  // number of marks and notes, so no more than these of each are read.
  static constexpr size_t kMostMarks = 20'000;
  std::vector<MarkedChild> marked;

  // Programs that left no segment. Finish makes processes of those that are not recorded after all.
  std::vector<UnrecordedProgram> unrecorded;

  // Reads all segments, notes and marks of a session directory. A folder that cannot be listed is a warning too. A
  // recorder may move segments into the archive meanwhile.
  void ReadDirectory(const std::string& path);
  void ReadSegment(const std::string& path);
  // Reads an open file, whose name does not matter.
  void ReadSegment(int descriptor);

  // Puts the processes in order. Must be called once, after the last Read.
  void Finish();

  // Gives a reason for each late process without a recording. Must be called after Finish.
  void NoteLate(const std::vector<LateProcess>& late);

  // Return the numbers that `report` counts in the profile. Rows of idle ticks are no samples, and the programs that a
  // process ran by exec are one process.
  uint64_t SampleCount() const;
  size_t ProcessCount() const;

 private:
  using Segments = std::vector<std::pair<int32_t, uint32_t>>;  // pids and images, sorted

  // Returns false if there is no such file.
  bool TryReadSegment(const std::string& path);
  void ReadArchive(const std::string& session, const std::string& name, const Segments& in_files);
  // Returns false, with a warning, if nothing of a segment can be used.
  bool IsUsable(std::string_view name, const SegmentReadResult& result, const ProcessProfile& process);
};

// Returns the command line that the recorder of a session directory wrote down. A very long one is cut. The result is
// empty if there is none.
std::vector<std::string> ReadSessionCommand(const std::string& directory);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_SESSION_CONTENTS_H_
