#include <errno.h>
#include <string.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/compare/compare_report.h"
#include "tools/compare/differential_profile.h"
#include "tools/options/command_options.h"
#include "tools/options/commands.h"
#include "tools/profile/model_builder.h"
#include "tools/profile/profile_file.h"
#include "tools/profile/profile_loader.h"
#include "tools/report/html/html_report.h"
#include "tools/report/profile_filter.h"
#include "tools/report/profile_summary.h"
#include "tools/support/gzip_compress.h"
#include "tools/support/output_file.h"
#include "tools/support/standard_output.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr char kExamples[] =
    "Examples:\n"
    "  geckoprof compare old.json.gz new.json.gz\n"
    "  geckoprof compare --before old1.json.gz old2.json.gz old3.json.gz old4.json.gz \\\n"
    "                    --after new1.json.gz new2.json.gz new3.json.gz new4.json.gz\n"
    "  geckoprof compare --fail-on 'self:parse>+5%' --fail-on 'marker-median:request>+10ms' old.json.gz new.json.gz\n"
    "  geckoprof compare --html changes.html old.json.gz new.json.gz\n"
    "  geckoprof compare --diff-stacks - old.json.gz new.json.gz | flamegraph.pl >diff.svg\n";

int Fail(const std::string& what) {
  fprintf(stderr, "geckoprof compare: %s\n", CleanText(what).c_str());
  return 1;
}

int WrongUse(const std::string& what) {
  fprintf(stderr, "geckoprof compare: %s (--help explains)\n", CleanText(what).c_str());
  return 2;
}

// "--before A B" as "--before A --before B".
std::vector<std::string> WithListsSpread(std::span<char* const> args) {
  std::vector<std::string> words;
  std::string list;  // the option whose list this is
  bool has_first = true;
  for (const char* const arg : args) {
    const std::string word = arg;
    if (word == "--before" || word == "--after") {
      list = word;
      has_first = false;
    } else if (word.starts_with('-') && word != "-") {
      list.clear();
    } else if (!list.empty()) {
      if (has_first) words.push_back(list);
      has_first = true;
    }
    words.push_back(word);
  }
  return words;
}

struct Request {
  CompareSubject subject;
  ProfileFilter filter;
  std::vector<std::string> filter_texts;  // as they were given
  std::string stacks_file, html;
  DifferentialProfile differences;
  bool with_idle = false, json = false, full_names = false;

  bool wants_paths() const { return !stacks_file.empty() || !html.empty(); }
};

bool IsStandardOutput(const std::string& file) { return file == "-" || LeadToOneFile(file, "/dev/stdout"); }

// What speaks against the files to be written, before profiles are read in vain.
std::optional<int> CheckOutputs(const Request& request) {
  const std::pair<std::string_view, std::string> outputs[] = {{"--html", request.html},
                                                              {"--diff-stacks", request.stacks_file}};
  for (const auto& [option, file] : outputs) {
    if (file.empty()) continue;
    if (request.json && IsStandardOutput(file)) return WrongUse(Concat(option, " ", file, " does not go with --json"));
    for (const auto& inputs : {request.subject.before_files, request.subject.after_files}) {
      const absl::Status is_other = CheckIsNoInput(file, inputs);
      if (!is_other.ok()) return WrongUse(Concat(option, ": ", std::string(is_other.message())));
    }
  }
  if (!request.html.empty() && !request.stacks_file.empty()) {
    const bool one_stream = IsStandardOutput(request.html) && IsStandardOutput(request.stacks_file);
    if (one_stream || LeadToOneFile(request.html, request.stacks_file)) {
      return WrongUse(Concat("--html ", request.html, " does not go with --diff-stacks ", request.stacks_file));
    }
  }
  return std::nullopt;
}

// What speaks against a page.
std::optional<int> CheckHtml(const Request& request) {
  if (request.html.empty()) return std::nullopt;
  const HtmlPage page = HtmlPage::Built();
  if (!page.absence.empty()) return WrongUse(Concat("--html: ", page.absence));
  const absl::Status writable = OutputFile::CheckWritable(request.html);
  if (!writable.ok()) return Fail(WithName(request.html, std::string(writable.message())));
  return std::nullopt;
}

std::optional<int> ReadOptions(std::span<char* const> args, Request* request) {
  CompareSubject& subject = request->subject;
  std::vector<std::string> files, budgets;
  int64_t top = 20, alpha_percent = 5;
  CommandOptions options("compare", "Compares profiles before and after a change: functions, markers, budgets.",
                         kExamples);
  options.Positionals("FILE", &files, "A, the profile before, and B, the one after; - for one is standard input",
                      /*required=*/false);
  options.Texts("--before", &subject.before_files, "FILE...", "several profiles from before, in place of A");
  options.Texts("--after", &subject.after_files, "FILE...", "several profiles from after, in place of B");
  options.Texts("--fail-on", &budgets, "BUDGET", "end with status 1 if it is exceeded: 'self:NAME>+5%', ...; several");
  options.Number("--alpha", &alpha_percent, 1, 50, "PERCENT", "a p of at most this is significant (5)");
  const ValueHint profiles{ValueHint::Kind::kFiles, ProfileEndings()};
  options.OfferOperands(profiles);
  options.Offer("--before", profiles);
  options.Offer("--after", profiles);
  options.Text("--html", &request->html, "OUT", "also write a page with a differential flame graph; - is stdout");
  options.Text("--diff-stacks", &request->stacks_file, "OUT", "also write folded stacks with both counts; - is stdout");
  options.Flag("--json", &request->json, "write JSON, for scripts");
  options.Number("--top", &top, 1, 1000000, "N", "rows of each list (20)");
  options.Text("--thread", &request->filter.thread, "NAME", "only threads with NAME in their name, in any case");
  options.Text("--function", &request->filter.function, "NAME", "only samples with NAME in a function of their stack");
  options.Flag("--idle", &request->with_idle, "count the samples of idle threads, too");
  options.Flag("--full-names", &request->full_names, "do not shorten names, nor lines to the terminal's width");
  if (const std::optional<int> status = options.Parse(args)) return status;
  subject.top = static_cast<size_t>(top);
  subject.alpha = static_cast<double>(alpha_percent) / 100;
  for (const std::string& text : budgets) {
    absl::StatusOr<Budget> budget = Budget::Parse(text);
    if (!budget.ok()) return WrongUse(Concat("--fail-on: ", std::string(budget.status().message())));
    subject.budgets.push_back(*std::move(budget));
  }
  const bool has_lists = !subject.before_files.empty() || !subject.after_files.empty();
  if (has_lists && !files.empty()) return WrongUse(Concat(files[0], ": with --before and --after there is no A or B"));
  if (!has_lists && files.size() == 2) {
    subject.before_files = {files[0]};
    subject.after_files = {files[1]};
  }
  if (subject.before_files.empty() || subject.after_files.empty()) {
    return WrongUse("two profiles are needed, or --before FILE... --after FILE...");
  }
  const auto is_input = [](const std::string& file) { return file == "-"; };
  if (std::count_if(subject.before_files.begin(), subject.before_files.end(), is_input) +
          std::count_if(subject.after_files.begin(), subject.after_files.end(), is_input) >
      1) {
    return WrongUse("standard input (-) is one profile only");
  }
  if (!request->filter.thread.empty()) request->filter_texts.push_back(Concat("--thread ", request->filter.thread));
  if (!request->filter.function.empty()) {
    request->filter_texts.push_back(Concat("--function ", request->filter.function));
  }
  if (const std::optional<int> status = CheckOutputs(*request)) return status;
  return CheckHtml(*request);
}

// One profile in memory at a time.
bool ReadRuns(const std::vector<std::string>& files, DifferentialProfile::Side side, Request* request,
              std::vector<RunFigures>* runs) {
  for (const std::string& file : files) {
    absl::StatusOr<std::string> text = ReadProfileFile(file);
    if (!text.ok()) return Fail(Concat(file, ": ", std::string(text.status().message()))), false;
    absl::StatusOr<ProfileModel> model = LoadProfileText(*std::move(text));
    if (!model.ok()) return Fail(Concat(file, ": ", std::string(model.status().message()))), false;
    if (model->cut_names != 0) {
      fprintf(stderr, "geckoprof compare: %s: %zu names are cut at %zu bytes\n", CleanText(file).c_str(),
              model->cut_names, kMaxNameBytes);
    }
    FilterProfile(request->filter, &*model);
    runs->push_back(RunFigures::Of(*model, request->with_idle));
    if (request->wants_paths()) request->differences.Add(*model, side, request->with_idle);
    if (runs->back().samples == 0 && runs->back().bytes == 0) {
      fprintf(stderr, "geckoprof compare: %s\n", CleanText(Concat(file, ": no samples are counted")).c_str());
    }
  }
  return true;
}

// Shares of bytes and shares of samples have nothing in common. A run without either goes with both.
bool IsOfOneUnit(const CompareSubject& subject) {
  bool any_samples = false, any_bytes = false;
  for (const std::vector<RunFigures>* runs : {&subject.before, &subject.after}) {
    for (const RunFigures& run : *runs) {
      any_samples = any_samples || run.samples > 0;
      any_bytes = any_bytes || run.bytes > 0;
    }
  }
  return !any_samples || !any_bytes;
}

absl::Status WriteStacks(const Request& request) {
  absl::StatusOr<OutputFile> file = OutputFile::Create(request.stacks_file);
  if (!file.ok()) return file.status();
  std::string text = request.differences.FoldedText();
  if (request.stacks_file.ends_with(".gz")) {
    absl::StatusOr<std::string> packed = GzipCompress(text);
    if (!packed.ok()) return packed.status();
    text = *std::move(packed);
  }
  const absl::Status written = file->Write(text);
  return written.ok() ? file->Commit() : written;
}

// The last that is made of the differences.
absl::Status WritePage(Request* request) {
  const CompareSubject& subject = request->subject;
  const PageOrigin origin{"", request->filter_texts, /*with_idle=*/true,
                          PageComparison{subject.before_files, subject.after_files}};
  const ProfileModel model = request->differences.TakeModel();
  absl::StatusOr<OutputFile> file = OutputFile::Create(request->html);
  if (!file.ok()) return file.status();
  const absl::Status written = WriteHtmlReport(model, Summarize(model, {}), origin, HtmlPage::Built(), &*file);
  return written.ok() ? file->Commit() : written;
}

// 1 if one is exceeded, or if it cannot be told.
int CheckBudgets(const CompareSubject& subject) {
  const Comparison comparison(subject.before, subject.after);
  int status = 0;
  for (const Budget& budget : subject.budgets) {
    const Budget::Result result = budget.Check(comparison, subject.alpha);
    if (!result.is_measured) {
      const char* const why =
          comparison.has_samples() ? "not all profiles have CPU times" : "nothing is counted of a side";
      fprintf(stderr, "geckoprof compare: cannot be told: %s: %s\n", CleanText(budget.text()).c_str(), why);
      status = 1;
      continue;
    }
    if (!result.is_known) {
      fprintf(stderr, "geckoprof compare: %s: no run has what it names\n", CleanText(budget.text()).c_str());
    }
    if (!result.is_exceeded) continue;
    fprintf(stderr, "geckoprof compare: exceeded: %s\n", CleanText(budget.text()).c_str());
    status = 1;
  }
  return status;
}

}  // namespace

int CompareMain(std::span<char* const> args) {
  std::vector<std::string> words = WithListsSpread(args);
  std::vector<char*> pointers;
  pointers.reserve(words.size());
  for (std::string& word : words) pointers.push_back(word.data());
  Request request;
  if (const std::optional<int> status = ReadOptions(pointers, &request)) return *status;
  CompareSubject& subject = request.subject;
  if (!ReadRuns(subject.before_files, DifferentialProfile::kBefore, &request, &subject.before)) return 1;
  if (!ReadRuns(subject.after_files, DifferentialProfile::kAfter, &request, &subject.after)) return 1;
  if (!IsOfOneUnit(subject)) {
    return Fail("some profiles are of samples, others of allocated bytes: their shares cannot be compared");
  }
  if (!request.stacks_file.empty()) {
    const absl::Status written = WriteStacks(request);
    if (!written.ok()) return Fail(WithName(request.stacks_file, std::string(written.message())));
  }
  if (!request.html.empty()) {
    const absl::Status written = WritePage(&request);
    if (!written.ok()) return Fail(WithName(request.html, std::string(written.message())));
  }
  if (!IsStandardOutput(request.stacks_file) && !IsStandardOutput(request.html)) {
    TerminalStyle style = TerminalStyle::OfStandardOutput();
    style.full_names = request.full_names;
    if (request.full_names) style.width = 0;
    PrintStandardOutput(request.json ? WriteCompareJson(subject) : WriteCompareText(subject, style));
    if (!FinishStandardOutput()) return Fail(Concat("standard output: cannot write: ", strerror(errno)));
  }
  return CheckBudgets(subject);
}

}  // namespace geckoprof
