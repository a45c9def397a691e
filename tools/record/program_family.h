#ifndef GECKOPROF_TOOLS_RECORD_PROGRAM_FAMILY_H_
#define GECKOPROF_TOOLS_RECORD_PROGRAM_FAMILY_H_

#include <sys/types.h>

#include <string>
#include <utility>

namespace geckoprof {

// ProgramFamily: whether a process is the recorded program or one that comes from it: by its parents, by the
// environment that it inherited, or, where it has ended meanwhile, by what it left in the session directory. What is
// none of these three (an orphan with an environment of its own that has ended unrecorded) is taken for a stranger.
//
// Threads: one.
class ProgramFamily {
 public:
  // `session`: the path of its directory; empty: there is none.
  explicit ProgramFamily(std::string session) : session_(std::move(session)) {}

  // `process`: as the kernel gives it to the recorder with a signal.
  bool Has(pid_t process, pid_t program) const;

 private:
  bool HasLeftData(pid_t process) const;

  const std::string session_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_PROGRAM_FAMILY_H_
