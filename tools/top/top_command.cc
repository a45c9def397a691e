#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "geckoprof/base/clock.h"
#include "tools/options/command_options.h"
#include "tools/options/commands.h"
#include "tools/support/standard_output.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"
#include "tools/top/live_figures.h"
#include "tools/top/live_page.h"
#include "tools/top/live_source.h"
#include "tools/top/terminal_screen.h"

namespace geckoprof {
namespace {

constexpr char kExamples[] =
    "Examples:\n"
    "  geckoprof top $(pidof server)\n"
    "  geckoprof top /dev/shm/geckoprof-a1B2c3\n"
    "  geckoprof top --once --interval 5 4711 >page.txt\n\n"
    "q or Ctrl-C ends. `geckoprof recover --list` shows the sessions that are in use.\n";

constexpr int64_t kNsPerSecond = 1000000000;
// Reading takes at most this part of the time, whatever is in the segments.
constexpr int64_t kReadingShare = 5;

int Fail(std::string_view what) {
  fprintf(stderr, "geckoprof top: %s\n", CleanText(what).c_str());
  return 1;
}

class Top {
 public:
  Top(std::string target, LiveSource source, int64_t interval_s, bool full_names)
      : target_(std::move(target)),
        source_(std::move(source)),
        interval_ns_(interval_s * kNsPerSecond),
        full_names_(full_names) {}

  int ShowOnce() {
    const std::optional<std::string> page = NextPage(0);
    if (!page.has_value()) return Fail(Concat(target_, ": there is nothing that can be read"));
    PrintStandardOutput(*page);
    return FinishStandardOutput() ? 0 : Fail(Concat("standard output: cannot write: ", strerror(errno)));
  }

  // Until somebody ends it, or what is looked at has ended: its last page stays then.
  int ShowLive() {
    std::string last;
    {
      TerminalScreen screen;
      while (true) {
        const int64_t begin_ns = MonotonicNs();
        std::optional<std::string> page = NextPage(screen.lines());
        if (!page.has_value()) break;
        last = *std::move(page);
        if (!screen.Show(last) || (!any_lives_ && pages_ > 1)) break;
        const int64_t took_ns = MonotonicNs() - begin_ns;
        const int64_t wait_ns = std::max(interval_ns_ - took_ns, took_ns * (kReadingShare - 1));
        if (!screen.Wait(static_cast<int>(wait_ns / 1000000))) return 0;
      }
    }
    if (last.empty()) return Fail(Concat(target_, ": there is nothing that can be read"));
    PrintStandardOutput(last);
    if (!FinishStandardOutput()) return 1;
    fprintf(stderr, "geckoprof top: %s has ended\n", CleanText(target_).c_str());
    return 0;
  }

 private:
  // None: there is nothing to read (any more).
  std::optional<std::string> NextPage(size_t lines) {
    const LiveSource::Contents contents = source_.Read();
    const std::vector<ProcessProfile>& processes = contents.processes;
    any_lives_ = contents.any_lives;
    if (processes.empty()) return std::nullopt;
    // What is dead is shown as it was in the end.
    const int64_t to_ns = any_lives_ ? MonotonicNs() : LastTimeNs(processes) + 1;
    const bool follows = any_lives_ && last_ns_ != 0 && last_ns_ < to_ns;
    const int64_t from_ns = follows ? last_ns_ : to_ns - interval_ns_;
    last_ns_ = to_ns;
    LiveFigures figures = LiveFigures::Of(processes, from_ns, to_ns, names_);
    LivePage page;
    page.title = Concat("geckoprof top ", target_, any_lives_ ? "" : "  (ended)",
                        contents.any_damaged && !any_lives_ ? "  (damaged: what could be read)" : "");
    page.lines = lines;
    page.style = TerminalStyle::OfStandardOutput();
    page.style.full_names = full_names_;
    if (full_names_ && lines == 0) page.style.width = 0;
    page.losses_before = pages_++ > 0 ? &losses_ : nullptr;
    std::string text = page.Text(figures);
    losses_ = std::move(figures.losses);
    return text;
  }

  const std::string target_;
  const LiveSource source_;
  const int64_t interval_ns_;
  const bool full_names_;
  FrameNames names_;
  bool any_lives_ = false;
  int64_t last_ns_ = 0;
  uint64_t pages_ = 0;
  std::map<std::string, uint64_t> losses_;
};

}  // namespace

int TopMain(std::span<char* const> args) {
  std::string target;
  int64_t interval_s = 1;
  bool once = false, full_names = false;
  CommandOptions options("top", "Shows what a program does while it is being recorded.", kExamples);
  options.Positional("PID|SESSION", &target, "process, session directory or segment file");
  options.OfferOperands({ValueHint::Kind::kFolders});
  options.Flag("--once", &once, "print one page and end; so does a pipe");
  options.Number("--interval", &interval_s, 1, 3600, "SECONDS", "time that a page is of (1)");
  options.Flag("--full-names", &full_names, "do not shorten functions' names");
  if (const std::optional<int> status = options.Parse(args)) return *status;
  absl::StatusOr<LiveSource> source = LiveSource::Find(target);
  if (!source.ok()) return Fail(std::string(source.status().message()));
  Top top(target, *std::move(source), interval_s, full_names);
  return once || !isatty(STDOUT_FILENO) ? top.ShowOnce() : top.ShowLive();
}

}  // namespace geckoprof
