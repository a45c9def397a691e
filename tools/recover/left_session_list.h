// `geckoprof recover --list` and `--remove-stale`: docs/man/geckoprof-recover.1.md.
#ifndef GECKOPROF_TOOLS_RECOVER_LEFT_SESSION_LIST_H_
#define GECKOPROF_TOOLS_RECOVER_LEFT_SESSION_LIST_H_

#include <string>
#include <vector>

namespace geckoprof {

// Returns the file name of the program of a segment file, or an empty text if the file does not say. Reads the header
// and the first metadata alone, a few pages of a file that may have 2 GiB. The file may be anything.
std::string SegmentProgram(const std::string& path);

// One line on stdout for each session of this user below the parents, with the program, which is read from the
// segments. Nothing to list is a line on stderr unless `quiet`. Returns the exit status.
int ListLeftSessions(const std::vector<std::string>& parents, bool quiet);

// Removes those that nobody uses any more, with a line on stderr for each unless `quiet`. Returns the exit status: 1 if
// one could not be removed.
int RemoveLeftSessions(const std::vector<std::string>& parents, bool quiet);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECOVER_LEFT_SESSION_LIST_H_
