// What a process finds and leaves in its session directory, and which one it takes where nobody gave it one.
#ifndef GECKOPROF_BASEPROFILER_PROCESS_SESSION_FILES_H_
#define GECKOPROF_BASEPROFILER_PROCESS_SESSION_FILES_H_

#include <cstdint>
#include <span>

#include "geckoprof/base/ids.h"

namespace geckoprof {

// Finds or makes geckoprof-<uid>, mode 0700 and owned by the user, in /dev/shm, else in /tmp, and writes its path. All
// processes of the user that have no session directory share it; one that exits removes its own file, one that is
// killed leaves it there for `geckoprof recover`. `next_parent`: 0, or what the last call left there, to go on where
// the last folder has no room. False, with an empty path, if none can be had (somebody else owns the name, say): the
// segment is anonymous memory then.
bool UserSessionDirectory(std::span<char> path, uint32_t& next_parent);

// Says in the session directory why there is no segment of this process (session_format.h). Needs no space for data, so
// it can be left where nothing else can.
void WriteStopNote(const char* directory, ProcessId pid, const char* reason);

// Lets the recorder know that a process under a seccomp filter is left alone (session_format.h), with calls alone that
// the loader has just made itself.
void ShowFiltered(const char* directory);

// Whether the recorder has closed the session for further processes.
bool IsSessionFull(const char* directory);

// Whether there is no such folder: the recorder has gone, and nobody would gather what is recorded now.
bool IsSessionGone(const char* directory);

// Removes the segment's file, and the directory if it is empty then.
void RemoveSession(const char* segment_path, const char* directory);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PROCESS_SESSION_FILES_H_
