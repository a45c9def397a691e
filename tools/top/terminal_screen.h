#ifndef GECKOPROF_TOOLS_TOP_TERMINAL_SCREEN_H_
#define GECKOPROF_TOOLS_TOP_TERMINAL_SCREEN_H_

#include <signal.h>
#include <termios.h>

#include <cstddef>
#include <string_view>

namespace geckoprof {

// TerminalScreen: the whole terminal for pages that replace each other, and back to what it was: the other screen, no
// cursor, keys without Enter. SIGINT, SIGTERM and SIGHUP end Wait instead of the process, so that the destructor puts
// everything back. One at a time. Threads: the main one.
class TerminalScreen {
 public:
  // stdout is a terminal. Where stdin is none there are no keys.
  TerminalScreen();
  ~TerminalScreen();
  TerminalScreen(const TerminalScreen&) = delete;
  TerminalScreen& operator=(const TerminalScreen&) = delete;

  // Clean lines in place of what is there. False: the terminal is gone.
  [[nodiscard]] bool Show(std::string_view page);
  size_t lines() const;  // that it has now

  // Waits. False: somebody wants an end: q, Ctrl-C, Ctrl-D, a signal, or stdin ended.
  [[nodiscard]] bool Wait(int timeout_ms);

 private:
  bool has_keys_ = false;
  termios saved_ = {};
  sigset_t saved_mask_ = {};
  struct sigaction saved_actions_[3] = {};
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_TOP_TERMINAL_SCREEN_H_
