#include <errno.h>
#include <string.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "tools/check/profile_checker.h"
#include "tools/options/command_options.h"
#include "tools/options/commands.h"
#include "tools/profile/profile_file.h"
#include "tools/profile/profile_loader.h"
#include "tools/support/standard_output.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

constexpr char kExamples[] =
    "Examples:\n"
    "  geckoprof check profile.json.gz\n"
    "  geckoprof check --warnings --all a.json b.json\n";

struct CheckSettings {
  size_t limit = 100;
  bool warnings = false;
};

void PrintLine(std::string_view file, std::string_view text) {
  PrintStandardOutput(CleanText(Concat(file, ": ", text)) + "\n");
}

void PrintList(const std::string& file, std::string_view prefix, const std::vector<std::string>& lines, size_t count) {
  for (const std::string& line : lines) PrintLine(file, Concat(prefix, line));
  if (count > lines.size()) PrintLine(file, Concat("... and ", count - lines.size(), " more"));
}

// Whether the file is without a fault.
bool CheckFile(const std::string& file, const CheckSettings& settings) {
  const auto fail = [&file](std::string_view what) {
    fprintf(stderr, "geckoprof check: %s\n", CleanText(Concat(file, ": ", what)).c_str());
    return false;
  };
  absl::StatusOr<std::string> text = ReadProfileFile(file);
  if (!text.ok()) return fail(std::string(text.status().message()));
  const absl::StatusOr<JsonDocument> document = ParseProfile(*std::move(text), "", JsonDocument::Utf8::kStrict);
  if (!document.ok()) return fail(std::string(document.status().message()));
  const ProfileVerdict verdict = CheckProfile(*document, settings.limit);
  const FaultList& faults = verdict.faults;
  PrintList(file, "", faults.faults(), faults.fault_count());
  if (settings.warnings) PrintList(file, "warning: ", faults.warnings(), faults.warning_count());
  if (faults.fault_count() > 0) return false;
  const std::string warned =
      faults.warning_count() == 0
          ? ""
          : Concat(", ", faults.warning_count(), faults.warning_count() == 1 ? " warning" : " warnings");
  PrintLine(file, Concat("ok (", verdict.description, warned, ")"));
  return true;
}

}  // namespace

int CheckMain(std::span<char* const> args) {
  std::vector<std::string> files;
  CheckSettings settings;
  int64_t limit = 100;
  bool all = false;
  CommandOptions options("check", "Finds content that the viewer refuses or shows wrongly.", kExamples);
  options.Positionals("FILE", &files, "Gecko or processed profiles, .json or .json.gz; - is standard input");
  options.OfferOperands({ValueHint::Kind::kFiles, ProfileEndings()});
  options.Number("--max", &limit, 1, 1000000, "N", "faults shown of each file (100)");
  options.Flag("--all", &all, "show every fault");
  options.Flag("--warnings", &settings.warnings, "show odd content that the viewer shows rightly, too");
  if (const std::optional<int> status = options.Parse(args)) return *status;
  settings.limit = all ? SIZE_MAX : static_cast<size_t>(limit);
  bool good = true;
  for (const std::string& file : files) good = CheckFile(file, settings) && good;
  if (!FinishStandardOutput()) {
    fprintf(stderr, "geckoprof check: standard output: cannot write: %s\n", strerror(errno));
    return 1;
  }
  return good ? 0 : 1;
}

}  // namespace geckoprof
