// `geckoprof recover --list` and `--remove-stale`: docs/man/geckoprof-recover.1.md.
#ifndef GECKOPROF_TOOLS_RECOVER_LEFT_SESSION_LIST_H_
#define GECKOPROF_TOOLS_RECOVER_LEFT_SESSION_LIST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/recover/left_session.h"

namespace geckoprof {

// Returns the file name of the program of a segment file, or an empty text if the file does not say. Reads the header
// and the first metadata alone, a few pages of a file that may have 2 GiB. The file may be anything.
std::string SegmentProgram(const std::string& path);

// Returns a size in the form of such lists, such as "14.2 MiB".
std::string MebibytesText(uint64_t bytes);

// Returns the size, the time of the last change, the path and the program, without an end of line.
std::string LeftSessionText(const LeftSession& session);

// One line on stdout for each session of this user below the parents, with the program, which is read from the
// segments. Nothing to list is a line on stderr unless `quiet`. Returns the exit status.
int ListLeftSessions(const std::vector<std::string>& parents, bool quiet);

// Removes those that nobody uses any more, with a line on stderr for each unless `quiet`. Returns the exit status: 1 if
// one could not be removed.
int RemoveLeftSessions(const std::vector<std::string>& parents, bool quiet);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECOVER_LEFT_SESSION_LIST_H_
