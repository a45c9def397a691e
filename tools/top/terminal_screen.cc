#include "tools/top/terminal_screen.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "geckoprof/base/clock.h"

namespace geckoprof {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l";
constexpr std::string_view kLeave = "\x1b[?25h\x1b[?1049l";

volatile sig_atomic_t g_is_ended = 0;

void End(int) { g_is_ended = 1; }

bool WriteAll(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR && g_is_ended == 0) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

TerminalScreen::TerminalScreen() {
  g_is_ended = 0;
  // The signals are open in ppoll alone: none can come between the question whether one came and the wait.
  sigset_t mask;
  sigemptyset(&mask);
  for (const int signal : kSignals) sigaddset(&mask, signal);
  sigprocmask(SIG_BLOCK, &mask, &saved_mask_);
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    struct sigaction action = {};
    action.sa_handler = End;
    sigaction(kSignals[i], &action, &saved_actions_[i]);
  }
  has_keys_ = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &saved_) == 0;
  if (has_keys_) {
    termios keys = saved_;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    keys.c_cc[VMIN] = 0;
    keys.c_cc[VTIME] = 0;
    keys.c_cc[VSUSP] = _POSIX_VDISABLE;  // nobody would put the screen back
    // Of a background process this would stop it: then it shows pages without keys.
    has_keys_ = tcgetpgrp(STDIN_FILENO) == getpgrp() && tcsetattr(STDIN_FILENO, TCSANOW, &keys) == 0;
  }
  static_cast<void>(WriteAll(kEnter));
}

TerminalScreen::~TerminalScreen() {
  static_cast<void>(WriteAll(kLeave));
  if (has_keys_) tcsetattr(STDIN_FILENO, TCSANOW, &saved_);
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &saved_actions_[i], nullptr);
  sigprocmask(SIG_SETMASK, &saved_mask_, nullptr);
}

bool TerminalScreen::Show(std::string_view page) {
  // Each line ends with what clears the rest of the line that was there, so nothing flickers.
  std::string text = "\x1b[H";
  while (!page.empty()) {
    const size_t end = std::min(page.find('\n'), page.size());
    text += page.substr(0, end);
    text += "\x1b[K";
    page.remove_prefix(std::min(end + 1, page.size()));
    if (!page.empty()) text += "\r\n";
  }
  text += "\x1b[J";
  return WriteAll(text);
}

size_t TerminalScreen::lines() const {
  winsize size = {};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

bool TerminalScreen::Wait(int timeout_ms) {
  const int64_t end_ns = MonotonicNs() + int64_t{timeout_ms} * 1000000;
  while (g_is_ended == 0) {
    const int64_t left_ns = std::max<int64_t>(end_ns - MonotonicNs(), 0);
    const timespec timeout = {static_cast<time_t>(left_ns / 1000000000), static_cast<long>(left_ns % 1000000000)};
    pollfd key = {STDIN_FILENO, POLLIN, 0};
    sigset_t open = saved_mask_;
    for (const int signal : kSignals) sigdelset(&open, signal);
    const int ready = ppoll(&key, has_keys_ ? 1 : 0, &timeout, &open);
    if (ready == 0) return true;
    if (ready < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    char byte = 0;
    constexpr char kEndOfInput = 4;
    if (read(STDIN_FILENO, &byte, 1) <= 0 || byte == 'q' || byte == 'Q' || byte == kEndOfInput) return false;
  }
  return false;
}

}  // namespace geckoprof
