#include "tools/top/terminal_screen.h"

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

namespace geckoprof {
namespace {

// Runs a screen that shows one page in a terminal of its own; returns what the terminal got, and in `same` whether its
// settings are those of before.
std::string Run(const char* key, bool* same) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  REQUIRE(child >= 0);
  if (child == 0) {
    termios before = {}, during = {}, after = {};
    tcgetattr(STDIN_FILENO, &before);
    bool ended = false;
    {
      TerminalScreen screen;
      tcgetattr(STDIN_FILENO, &during);
      ended = screen.Show("one\ntwo\n") && !screen.Wait(60000);
    }
    tcgetattr(STDIN_FILENO, &after);
    // Who stopped it with Ctrl-Z would be left with its screen.
    const bool stops = during.c_cc[VSUSP] != _POSIX_VDISABLE;
    const bool is_put_back = before.c_lflag == after.c_lflag && before.c_cc[VSUSP] == after.c_cc[VSUSP];
    _exit(ended && !stops && is_put_back ? 0 : 1);
  }
  std::string text;
  char buffer[1024];
  bool sent = false;
  for (ssize_t got = 0; (got = read(terminal, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<size_t>(got));
    if (sent || text.find("two") == std::string::npos) continue;
    sent = true;
    CHECK(write(terminal, key, 1) == 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  close(terminal);
  *same = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return text;
}

TEST_CASE("q, Ctrl-C and Ctrl-D end the page and put the terminal back") {
  for (const char* key : {"q", "\x03", "\x04"}) {
    bool same = false;
    const std::string text = Run(key, &same);
    CHECK(same);
    CHECK(text.starts_with("\x1b[?1049h\x1b[?25l"));
    CHECK(text.find("one\x1b[K\r") != std::string::npos);
    CHECK(text.ends_with("\x1b[?25h\x1b[?1049l"));
  }
}

}  // namespace
}  // namespace geckoprof
