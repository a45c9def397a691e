#include "tools/support/standard_output.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>

#include "tools/support/own_process.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr int64_t kRedrawNs = 100'000'000;
constexpr int64_t kRedrawOtherNs = 40'000'000;  // where the text has changed: what comes and goes faster only flickers
constexpr size_t kMaxTextBytes = 60;            // a line that wraps could not be erased

int64_t NowNs() {
  struct timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void WriteAll(int fd, std::string_view text) {
  // A terminal that takes no more is no reason to stop the work.
  [[maybe_unused]] const ssize_t ignored = write(fd, text.data(), text.size());
}

}  // namespace

ProgressLine::ProgressLine(int fd) : fd_(fd), is_terminal_(isatty(fd) == 1) {}

void ProgressLine::Show(std::string_view text, double share) {
  if (!is_terminal_) return;
  const size_t text_hash = std::hash<std::string_view>()(text);
  const int64_t now_ns = NowNs();
  const int64_t pause_ns = text_hash == last_text_hash_ ? kRedrawNs : kRedrawOtherNs;
  if (shown_ && now_ns - last_drawn_ns_ < pause_ns) return;
  last_text_hash_ = text_hash;
  last_drawn_ns_ = now_ns;
  shown_ = true;
  std::string line = Concat("\r\033[K", text.substr(0, kMaxTextBytes));
  if (share >= 0) line += Concat("  ", static_cast<int>(std::min(share, 1.0) * 100), " %");
  WriteAll(fd_, line);
}

void ProgressLine::Clear() {
  if (shown_) WriteAll(fd_, "\r\033[K");
  shown_ = false;
}

namespace {

int first_error = 0;

void NoteError() {
  if (first_error == 0) first_error = errno;
}

}  // namespace

void PrintStandardOutput(std::string_view text) {
  if (fwrite(text.data(), 1, text.size(), stdout) != text.size()) NoteError();
  if (first_error == EPIPE) EndBySignal(SIGPIPE);  // nothing that could still be found is of interest
}

bool FinishStandardOutput() {
  if (fflush(stdout) != 0) NoteError();
  if (first_error == EPIPE) EndBySignal(SIGPIPE);
  if (first_error == 0 && ferror(stdout) == 0) return true;
  errno = first_error;
  return false;
}

int PrintAndFinish(const char* command, std::string_view text) {
  PrintStandardOutput(text);
  if (FinishStandardOutput()) return 0;
  fprintf(stderr, "%s: standard output: cannot write: %s\n", command, strerror(errno));
  return 1;
}

}  // namespace geckoprof
