#ifndef GECKOPROF_TOOLS_RECOVER_LEFT_SESSION_H_
#define GECKOPROF_TOOLS_RECOVER_LEFT_SESSION_H_

#include <cstdint>
#include <string>
#include <vector>

namespace geckoprof {

// LeftSession: what one recording holds on a file system: a session directory (SessionDirectory), or one file of the
// directory that all unattended programs of a user share, a copy of the library, or a page for the browser:
//
//   <parent>/geckoprof-a1B2c3/, geckoprof-a1B2c3.old/     one recording: with all that is in it
//   <parent>/geckoprof-lib-a1B2c3/                        root's copy of the library (PublicLibrary)
//   <parent>/geckoprof-view-a1B2c3/                       the page of a `geckoprof view` (BrowserPage)
//   <parent>/geckoprof-<uid>/4711-0.segment, note-4711    one file a process without a recorder
//   <parent>/geckoprof-<uid>-<time>/4711-0.segment        the same, if another user has that name
//
// It is in use while its recorder lives (it holds a lock on the directory) or one of its processes does, a copy while a
// process has it in its environment or mapped; then it is to
// be left alone. A process in another pid namespace is not seen: without a recorder its file looks left behind.
struct LeftSession {
  std::string path;            // of the directory or the file, for people
  std::string parent, folder;  // path and name: where LeftFolder finds it
  std::string file;            // in the folder; empty: the folder itself, with all that is in it
  std::string only_file;       // of a copy of the library, or of a page
  bool in_use = false;
  uint64_t bytes = 0;                 // that the files really take
  int64_t changed_s = 0;              // last change of the directory or the file, seconds since the epoch
  std::vector<std::string> segments;  // names in the folder, in order

  enum class Outcome : uint8_t {
    kRemoved,
    kInUse,    // by now
    kChanged,  // by now it is gone, or not a recording's
    kFailed,   // error: errno
  };
  struct Removal {
    Outcome outcome = Outcome::kRemoved;
    int error = 0;
  };
  // Locks the directory as a recorder does, looks at everything again, and removes it if it is still a recording's and
  // unused; what a process puts there even later stays, and the directory with it. Where there are no locks nothing is
  // removed: nobody could know of the recorder.
  [[nodiscard]] Removal Remove() const;
};

// Those of this user below the parents, by path. A directory that others may write to, or that holds anything that is
// not of a recording (LeftFolder), is none.
std::vector<LeftSession> FindLeftSessions(const std::vector<std::string>& parents);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECOVER_LEFT_SESSION_H_
