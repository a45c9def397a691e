#include "tools/support/progress_line.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <string>

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

}  // namespace geckoprof
