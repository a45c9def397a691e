// The signals that the recorder gets while it writes the profile.
#ifndef GECKOPROF_TOOLS_RECORD_WRITING_SIGNALS_H_
#define GECKOPROF_TOOLS_RECORD_WRITING_SIGNALS_H_

#include <signal.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

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

// CrashKeeper: while it lives, a crash of this process prints a text and ends the process with a status, without
// unwinding. Libraries that read debug information may run out of memory or of stack (`ulimit -s`), and then assert or
// crash. The status of the recorded program and its data survive that.
//
// Threads: one, and one object at a time.
class CrashKeeper {
 public:
  // The text's first 1,000 bytes count.
  CrashKeeper(std::string_view text, int status);
  ~CrashKeeper();
  CrashKeeper(const CrashKeeper&) = delete;
  CrashKeeper& operator=(const CrashKeeper&) = delete;

 private:
  static constexpr std::array kSignals = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  std::array<struct sigaction, kSignals.size()> before_;
  stack_t stack_before_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_WRITING_SIGNALS_H_
