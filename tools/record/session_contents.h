#ifndef GECKOPROF_TOOLS_RECORD_SESSION_CONTENTS_H_
#define GECKOPROF_TOOLS_RECORD_SESSION_CONTENTS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "geckoprof/reader/process_profile.h"
#include "geckoprof/reader/segment_reader.h"
#include "tools/record/late_processes.h"
#include "tools/record/marked_child.h"

namespace geckoprof {

// SessionContents: everything that the processes of a recording left behind, read. Whatever cannot be read becomes a
// warning; nothing that lies in the folder stops the reading of the rest.
//
// Processes are in the order of their start; the images of one pid follow one another: programs, each but the last
// of which ends with "exec", or recordings of one that was stopped and started anew. One that said nothing of its end
// and is not there any more has "ended", somehow; one that had another name in the end was followed by a program that
// was not recorded.
struct SessionContents {
  std::vector<ProcessProfile> processes;
  std::vector<std::string> warnings;  // one line each, with the file's path
  std::vector<std::string> reasons;   // "process 4712: no space left": who made no segment, and why

  // What the recorder wrote down of the command line; empty: there was none, or it had no room.
  std::vector<std::string> command;

  // By pid, of this process's pid namespace, where the kernel said it: how the process ended ("exited", "killed by
  // signal 9"), and its name by then.
  struct KnownEnd {
    std::string how;
    std::string name = {};  // up to 15 bytes; empty: not known
  };
  std::map<int32_t, KnownEnd> known_ends;

  // Processes that said themselves why they are not recorded any more.
  std::set<int32_t> told_why;

  // Whose segment was not complete when it was gone: counted, and not worth a warning. Finish takes out those that a
  // mark tells of, too: forked children that called exec or ended at once.
  std::vector<int32_t> unfinished;

  // Forked children that said that they are there. Finish makes processes of those that have no segment.
  std::vector<MarkedChild> marked;

  // Reads all segments, notes and marks of a session directory. A folder that cannot be listed is a warning too.
  void ReadDirectory(const std::string& path);
  void ReadSegment(const std::string& path);
  // The same of an open file, whose name says nothing.
  void ReadSegment(int descriptor);

  // Puts the processes in order. To be called once, after the last Read.
  void Finish();

  // Gives a reason for each of the processes of which there is nothing. To be called after Finish.
  void NoteLate(const std::vector<LateProcess>& late);

  // Samples of threads that ran, not the rows of idle ticks; and processes, however many programs each ran by exec. The
  // numbers that `report` counts in the profile.
  uint64_t SampleCount() const;
  size_t ProcessCount() const;

 private:
  void AddRead(std::string_view name, const SegmentReadResult& result, ProcessProfile process);
};

// The command line that the recorder of a session directory wrote down, cut where it is very long; empty: none.
std::vector<std::string> ReadSessionCommand(const std::string& directory);

// A segment's file name, "<pid>-<image>.segment".
struct SegmentName {
  int32_t pid = 0;
  uint32_t image = 0;
  // False for any other name.
  [[nodiscard]] bool Parse(std::string_view file_name);
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_SESSION_CONTENTS_H_
