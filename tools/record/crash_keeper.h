#ifndef GECKOPROF_TOOLS_RECORD_CRASH_KEEPER_H_
#define GECKOPROF_TOOLS_RECORD_CRASH_KEEPER_H_

#include <signal.h>

#include <array>
#include <string_view>

namespace geckoprof {

// CrashKeeper: while it lives, a crash of this process prints a text and ends it with a status, without unwinding:
// libraries that read debug information assert or crash where memory runs out in them, or the stack (`ulimit -s`), and
// that shall cost neither the recorded program's status nor its data. One object at a time, on one thread.
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

#endif  // GECKOPROF_TOOLS_RECORD_CRASH_KEEPER_H_
