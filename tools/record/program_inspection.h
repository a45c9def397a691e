#ifndef GECKOPROF_TOOLS_RECORD_PROGRAM_INSPECTION_H_
#define GECKOPROF_TOOLS_RECORD_PROGRAM_INSPECTION_H_

#include <string>

namespace geckoprof {

// Whether a program can be recorded by preloading.
struct ProgramVerdict {
  std::string error;  // why it cannot, and what to do; one line; empty: it can
  std::string note;   // worth saying although it can; may be empty
  int exit_status = 0;
};

// Looks at the file before anything is started, since the dynamic linker says nothing when it ignores LD_PRELOAD. Of a
// script, the interpreter is looked at. What cannot be read (execute permission only) is given the benefit of the
// doubt.
//
// Refused: statically linked (also static-pie), 32-bit, for another machine, linked with a C library other than glibc,
// and what the kernel would start in secure mode: a set-user-id or set-group-id bit that changes an id, and file
// capabilities for a user other than root.
ProgramVerdict InspectProgram(const std::string& path);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_PROGRAM_INSPECTION_H_
