#include <errno.h>
#include <string.h>

#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/options/command_options.h"
#include "tools/options/commands.h"
#include "tools/profile/profile_file.h"
#include "tools/profile/profile_loader.h"
#include "tools/report/html/html_report.h"
#include "tools/report/json_report.h"
#include "tools/report/profile_filter.h"
#include "tools/report/profile_summary.h"
#include "tools/report/report_table.h"
#include "tools/report/report_views.h"
#include "tools/report/text_report.h"
#include "tools/support/output_file.h"
#include "tools/support/standard_output.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr char kExamples[] =
    "Examples:\n"
    "  geckoprof report profile.json.gz\n"
    "  geckoprof report --by startup profile.json.gz\n"
    "  geckoprof report --by library --thread worker --from 1.5s --to 3s profile.json.gz\n"
    "  geckoprof report --by function --marker request profile.json.gz\n"
    "  geckoprof report --html page.html profile.json.gz\n"
    "  geckoprof report --json profile.json.gz | jq '.functionsBySelf[0].name'\n";

int Fail(const std::string& file, std::string_view what) {
  fprintf(stderr, "geckoprof report: %s\n", CleanText(Concat(file, ": ", what)).c_str());
  return 1;
}

int FailToWrite(const std::string& file, const absl::Status& status) {
  fprintf(stderr, "geckoprof report: %s\n", CleanText(WithName(file, std::string(status.message()))).c_str());
  return 1;
}

int Misuse(std::string_view what) {
  fprintf(stderr, "geckoprof report: %s (--help explains)\n", CleanText(what).c_str());
  return 2;
}

// What the options say.
struct Request {
  std::string file, html;
  std::vector<std::string> filter_texts;  // as they were given
  ProfileFilter filter;
  SummarySelection selection;
  std::optional<ReportView> view;
  size_t top = 20;
  bool json = false, full_names = false;
};

// What speaks against a page, before a large profile is read in vain.
std::optional<int> CheckHtml(const Request& request) {
  if (request.html.empty()) return std::nullopt;
  if (request.json || request.view.has_value()) return Misuse("--html does not go with --json or --by");
  const HtmlPage page = HtmlPage::Built();
  if (!page.absence.empty()) {
    Fail("--html", page.absence);
    return 2;
  }
  const absl::Status is_other = CheckIsNoInput(request.html, {&request.file, 1});
  if (!is_other.ok()) return Misuse(Concat("--html: ", std::string(is_other.message())));
  const absl::Status writable = OutputFile::CheckWritable(request.html);
  if (!writable.ok()) return FailToWrite(request.html, writable);
  return std::nullopt;
}

std::optional<int> ReadOptions(std::span<char* const> args, Request* request) {
  int64_t top = 20;
  std::string view, from, to;
  CommandOptions options("report", "Shows what a profile says: threads, hot functions, the heaviest call path, losses.",
                         kExamples);
  options.Positional("FILE", &request->file, "Gecko or processed profile, .json or .json.gz; - is standard input");
  options.Text("--by", &view, "VIEW", Concat("one table instead: ", ReportViewNames()));
  options.Flag("--json", &request->json, "write JSON, for scripts");
  options.Text("--html", &request->html, "OUT",
               "write one page for a browser: time line, flame graph, markers, counters; needs no network");
  options.Number("--top", &top, 1, 1000000, "N", "rows of each list (20)");
  options.Text("--thread", &request->filter.thread, "NAME", "only threads with NAME in their name, in any case");
  options.Text("--process", &request->filter.process, "PID", "only this process");
  options.Text("--from", &from, "TIME", "only what is at TIME or later: 1500, 1500ms or 1.5s since the start");
  options.Text("--to", &to, "TIME", "only what is before TIME");
  options.Text("--function", &request->filter.function, "NAME", "only samples with NAME in a function of their stack");
  options.Text("--marker", &request->filter.marker, "NAME",
               "only markers with NAME in their name or type, and samples during them");
  options.Flag("--idle", &request->selection.with_idle, "count the samples of idle threads among the functions, too");
  options.Flag("--full-names", &request->full_names,
               "do not shorten functions' names, nor lines to the terminal's width");
  options.OfferOperands({ValueHint::Kind::kFiles, ProfileEndings()});
  options.Offer("--by", {ValueHint::Kind::kWords, ListReportViews()});
  if (const std::optional<int> status = options.Parse(args)) return status;
  request->top = static_cast<size_t>(top);
  if (!view.empty()) {
    request->view = ReportViewNamed(view);
    if (!request->view.has_value()) return Misuse(Concat("--by: ", view, " is none of ", ReportViewNames()));
  }
  ProfileFilter& filter = request->filter;
  if (!from.empty() && !(filter.from_ms = ParseTimeMs(from))) return Misuse(Concat("--from: ", from, " is no time"));
  if (!to.empty() && !(filter.to_ms = ParseTimeMs(to))) return Misuse(Concat("--to: ", to, " is no time"));
  if (filter.from_ms && filter.to_ms && *filter.from_ms >= *filter.to_ms) return Misuse("--to is not after --from");
  const auto note = [&](std::string_view option, const std::string& value) {
    if (!value.empty()) request->filter_texts.push_back(Concat(option, " ", value));
  };
  note("--thread", filter.thread);
  note("--process", filter.process);
  note("--from", from);
  note("--to", to);
  note("--function", filter.function);
  note("--marker", filter.marker);
  return CheckHtml(*request);
}

std::string MakeReport(const ProfileModel& model, const ProfileSummary& summary, const Request& request) {
  TerminalStyle style = TerminalStyle::OfStandardOutput();
  style.full_names = request.full_names;
  if (request.full_names) style.width = 0;
  if (!request.view.has_value()) {
    return request.json ? WriteJsonReport(model, summary, request.file, request.top)
                        : WriteTextReport(model, summary, request.file, request.top, style);
  }
  const ReportTable table = MakeReportTable(model, summary, *request.view, request.top, request.selection.with_idle);
  return request.json ? WriteViewJson(table, *request.view, summary, request.file) : WriteTableText(table, style);
}

int WriteHtml(const ProfileModel& model, const ProfileSummary& summary, const Request& request) {
  absl::StatusOr<OutputFile> file = OutputFile::Create(request.html);
  if (!file.ok()) return FailToWrite(request.html, file.status());
  const PageOrigin origin{request.file, request.filter_texts, request.selection.with_idle};
  absl::Status status = WriteHtmlReport(model, summary, origin, HtmlPage::Built(), &*file);
  if (status.ok()) status = file->Commit();
  return status.ok() ? 0 : FailToWrite(request.html, status);
}

}  // namespace

int ReportMain(std::span<char* const> args) {
  Request request;
  if (const std::optional<int> status = ReadOptions(args, &request)) return *status;
  absl::StatusOr<std::string> text = ReadProfileFile(request.file);
  if (!text.ok()) return Fail(request.file, std::string(text.status().message()));
  const bool html = !request.html.empty();
  const bool detail = html || request.filter.needs_detail() || (request.view.has_value() && NeedsDetail(*request.view));
  absl::StatusOr<ProfileModel> model =
      LoadProfileText(*std::move(text), detail ? ProfileDetail::kFull : ProfileDetail::kSummary);
  if (!model.ok()) return Fail(request.file, std::string(model.status().message()));
  FilterProfile(request.filter, &*model);
  const ProfileSummary summary = Summarize(*model, request.selection);
  if (summary.threads.empty()) return Fail(request.file, "no thread is selected");
  if (html) return WriteHtml(*model, summary, request);
  PrintStandardOutput(MakeReport(*model, summary, request));
  return FinishStandardOutput() ? 0 : Fail("standard output", Concat("cannot write: ", strerror(errno)));
}

}  // namespace geckoprof
