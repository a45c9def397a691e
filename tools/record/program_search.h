#ifndef GECKOPROF_TOOLS_RECORD_PROGRAM_SEARCH_H_
#define GECKOPROF_TOOLS_RECORD_PROGRAM_SEARCH_H_

#include <string>

namespace geckoprof {

// The exit statuses that shells use when a program cannot be started (POSIX, "Exit Status for Commands").
inline constexpr int kStatusNotExecutable = 126;
inline constexpr int kStatusNotFound = 127;

// A program to run, or why there is none.
struct FoundProgram {
  std::string path;   // to be given to exec
  std::string error;  // one line; empty: found
  int exit_status = 0;
};

// Finds `name` as a shell would: with a slash it is a path, else the folders of `path_variable` are searched in order
// (an empty folder is the current one), passing over what may not be executed. A null path_variable stands for
// /bin:/usr/bin.
FoundProgram FindProgram(const std::string& name, const char* path_variable);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_PROGRAM_SEARCH_H_
