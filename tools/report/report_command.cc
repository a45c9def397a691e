#include "tools/report/report_command.h"

#include <errno.h>
#include <string.h>

#include <cstdio>
#include <string>
#include <utility>

#include "tools/cli/command_options.h"
#include "tools/profile/concat.h"
#include "tools/profile/profile_file.h"
#include "tools/profile/profile_loader.h"
#include "tools/report/json_report.h"
#include "tools/report/profile_summary.h"
#include "tools/report/text_report.h"
#include "tools/support/standard_output.h"

namespace geckoprof {
namespace {

constexpr char kExamples[] =
    "Examples:\n"
    "  geckoprof report profile.json.gz\n"
    "  geckoprof report --top 50 --thread worker profile.json.gz\n"
    "  geckoprof report --json profile.json.gz | jq '.functionsBySelf[0].name'\n";

int Fail(const std::string& file, std::string_view what) {
  fprintf(stderr, "geckoprof report: %s\n", CleanText(Concat(file, ": ", what)).c_str());
  return 1;
}

}  // namespace

int ReportMain(std::span<char* const> args) {
  std::string file;
  SummarySelection selection;
  int64_t top = 20;
  bool json = false, full_names = false;
  CommandOptions options("report", "Shows what a profile says: threads, hot functions, the heaviest call path, losses.",
                         kExamples);
  options.Positional("FILE", &file, "Gecko or processed profile, .json or .json.gz");
  options.Flag("--json", &json, "write JSON, for scripts");
  options.Number("--top", &top, 1, 1000000, "N", "rows of each list (20)");
  options.Text("--thread", &selection.thread, "NAME", "only threads with NAME in their name, in any case");
  options.Text("--process", &selection.process, "PID", "only this process");
  options.Flag("--idle", &selection.with_idle, "count the samples of idle threads among the functions, too");
  options.Flag("--full-names", &full_names, "do not shorten functions' names, nor lines to the terminal's width");
  if (const std::optional<int> status = options.Parse(args)) return *status;

  absl::StatusOr<std::string> text = ReadProfileFile(file);
  if (!text.ok()) return Fail(file, std::string(text.status().message()));
  const absl::StatusOr<ProfileModel> model = LoadProfileText(*std::move(text));
  if (!model.ok()) return Fail(file, std::string(model.status().message()));
  const ProfileSummary summary = Summarize(*model, selection);
  if (summary.threads.empty()) return Fail(file, "no thread is selected");
  const size_t rows = static_cast<size_t>(top);
  TerminalStyle style = TerminalStyle::OfStandardOutput();
  style.full_names = full_names;
  if (full_names) style.width = 0;
  const std::string report =
      json ? WriteJsonReport(*model, summary, file, rows) : WriteTextReport(*model, summary, file, rows, style);
  PrintStandardOutput(report);
  return FinishStandardOutput() ? 0 : Fail("standard output", Concat("cannot write: ", strerror(errno)));
}

}  // namespace geckoprof
