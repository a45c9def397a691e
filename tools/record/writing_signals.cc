#include "tools/record/writing_signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "geckoprof/base/clock.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

constexpr int kSignals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
constexpr int64_t kProgramsOwnNs = kNsPerSecond;

// Written before the handlers are installed.
int64_t g_end_ns;
char g_given_up[4400];

volatile sig_atomic_t g_asked;

void Say(const char* line) {
  const ssize_t ignored = write(STDERR_FILENO, line, strlen(line));
  static_cast<void>(ignored);
}

void OnSignal(int number) {
  if (MonotonicNs() - g_end_ns < kProgramsOwnNs) return;
  const int error = errno;
  if (g_asked != 0) {
    Say(g_given_up);
    _exit(128 + number);
  }
  g_asked = 1;
  Say("geckoprof: the profile is being made; once more to give up\n");
  errno = error;
}

}  // namespace

void WritingSignals::Begin(const std::string& session_path, int64_t end_ns) {
  g_end_ns = end_ns;
  const std::string line =
      Concat("geckoprof: given up; the data is kept: geckoprof recover ", CleanText(session_path), " -o FILE\n");
  line.copy(g_given_up, sizeof(g_given_up) - 1);
  struct sigaction action = {};
  action.sa_handler = &OnSignal;
  action.sa_flags = SA_RESTART;
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kSignals) {
    sigaction(number, &action, nullptr);
    sigaddset(&set, number);
  }
  signal(SIGPIPE, SIG_IGN);  // an output that nobody reads any more is an error like others: the data is kept
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

namespace {

std::array<char, 1000> g_text;
size_t g_text_bytes = 0;
int g_status = 0;
alignas(16) std::array<char, 64 * 1024> g_stack;  // a signal's frame may take 12 KiB (AMX)

void TellAndEnd(int) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, g_text.data(), g_text_bytes);
  _exit(g_status);
}

}  // namespace

CrashKeeper::CrashKeeper(std::string_view text, int status) {
  g_text_bytes = std::min(text.size(), g_text.size());
  std::copy_n(text.begin(), g_text_bytes, g_text.begin());
  g_status = status;
  const stack_t stack = {.ss_sp = g_stack.data(), .ss_flags = 0, .ss_size = g_stack.size()};
  sigaltstack(&stack, &stack_before_);
  struct sigaction action = {};
  action.sa_handler = &TellAndEnd;
  action.sa_flags = SA_ONSTACK;
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
}

CrashKeeper::~CrashKeeper() {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  sigaltstack(&stack_before_, nullptr);
}

}  // namespace geckoprof
