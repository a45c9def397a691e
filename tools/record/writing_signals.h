#ifndef GECKOPROF_TOOLS_RECORD_WRITING_SIGNALS_H_
#define GECKOPROF_TOOLS_RECORD_WRITING_SIGNALS_H_

#include <cstdint>
#include <string>

namespace geckoprof {

// WritingSignals: what SIGINT, SIGQUIT, SIGTERM and SIGHUP mean while the profile is made, after the program's end.
//
//   within a second of that   nothing: they were meant for the program (Ctrl-C twice; timeout(1) signals the child and
//                             then its group)
//   the first one later       a line: the profile is being made, once more gives up
//   the next one              a line that names the kept data, and the end by that signal's status
// SIGPIPE is ignored: a write to a FIFO whose reader has left fails, and the data is kept.
// Threads: one. Once begun, for the rest of the process.
class WritingSignals {
 public:
  // Takes effect for signals that are pending now, too; unblocks them. `session_path` is kept when given up. The
  // program ended at `end_ns` (MonotonicNs).
  static void Begin(const std::string& session_path, int64_t end_ns);
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_WRITING_SIGNALS_H_
