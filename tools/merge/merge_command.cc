#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "tools/merge/clock_offsets.h"
#include "tools/merge/merge_input.h"
#include "tools/merge/merged_profile.h"
#include "tools/options/command_options.h"
#include "tools/options/commands.h"
#include "tools/processed_format/json_file.h"
#include "tools/profile/profile_file.h"
#include "tools/support/output_file.h"
#include "tools/support/standard_output.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

constexpr char kExamples[] =
    "Examples:\n"
    "  geckoprof merge -o all.json.gz rank*.json.gz\n"
    "  geckoprof merge -o all.json.gz --offset node2.json.gz=0.25 node1.json.gz node2.json.gz\n\n"
    "Profiles of one boot are aligned by the monotonic clock, others by the wall clocks of their hosts.\n";

int Fail(std::string_view what) {
  fprintf(stderr, "geckoprof merge: %s\n", CleanText(what).c_str());
  return 1;
}

int WrongUse(std::string_view what) {
  fprintf(stderr, "geckoprof merge: %s (--help explains)\n", CleanText(what).c_str());
  return 2;
}

struct Request {
  std::vector<std::string> files;
  std::vector<std::optional<double>> given_ms;  // by file
  std::string output;
  bool quiet = false;
};

// An error if two of the files are one, maybe through links.
absl::Status CheckAreDifferent(const std::vector<std::string>& files) {
  std::set<std::pair<dev_t, ino_t>> seen;
  for (const std::string& file : files) {
    struct stat status;
    const int result = file == "-" ? fstat(STDIN_FILENO, &status) : stat(file.c_str(), &status);
    if (result != 0) continue;  // reading it will say why
    if (!seen.insert({status.st_dev, status.st_ino}).second) {
      return absl::InvalidArgumentError(Concat(file, " is given twice"));
    }
  }
  return absl::OkStatus();
}

// Reads "FILE=SECONDS".
absl::Status ReadOffset(const std::string& text, Request* request) {
  constexpr double kMostSeconds = 1e9, kMsPerSecond = 1e3;
  const size_t equal = text.rfind('=');
  double seconds = 0;
  if (equal == std::string::npos || !absl::SimpleAtod(text.substr(equal + 1), &seconds) ||
      !(std::abs(seconds) <= kMostSeconds)) {
    return absl::InvalidArgumentError(Concat("\"", text, "\" is not FILE=SECONDS"));
  }
  const std::string file = text.substr(0, equal);
  const auto found = std::ranges::find(request->files, file);
  if (found == request->files.end()) return absl::InvalidArgumentError(Concat(file, " is none of the profiles"));
  const auto row = static_cast<size_t>(found - request->files.begin());
  if (row == 0) return absl::InvalidArgumentError(Concat(file, " is the first profile, from which the others count"));
  if (request->given_ms[row].has_value()) return absl::InvalidArgumentError(Concat(file, " has two offsets"));
  request->given_ms[row] = seconds * kMsPerSecond;
  return absl::OkStatus();
}

// Together they have at most the size of the largest profile that can be read.
absl::StatusOr<std::vector<MergeInput>> ReadInputs(const Request& request, ProgressLine* progress) {
  std::vector<MergeInput> inputs;
  size_t rest_bytes = kMaxProfileBytes;
  for (const std::string& file : request.files) {
    progress->Show(Concat("reading ", file));
    absl::StatusOr<MergeInput> input = ReadMergeInput(file, rest_bytes);
    if (!input.ok()) {
      const bool is_too_large = absl::IsResourceExhausted(input.status()) && rest_bytes < kMaxProfileBytes;
      const std::string_view reason = is_too_large ? " with the profiles before it" : "";
      return absl::InvalidArgumentError(Concat(file, ": ", std::string(input.status().message()), reason));
    }
    rest_bytes -= std::min(rest_bytes, input->text_bytes);
    inputs.push_back(*std::move(input));
  }
  std::vector<std::string> labels = LabelsOfFiles(request.files);
  for (size_t i = 0; i < inputs.size(); ++i) inputs[i].label = std::move(labels[i]);
  return inputs;
}

int Merge(const Request& request) {
  ProgressLine progress(request.quiet ? -1 : STDERR_FILENO);
  absl::StatusOr<std::vector<MergeInput>> inputs = ReadInputs(request, &progress);
  if (!inputs.ok()) {
    progress.Clear();
    return Fail(std::string(inputs.status().message()));
  }
  std::vector<ClockFacts> clocks;
  for (const MergeInput& input : *inputs) clocks.push_back(input.clock);
  const std::vector<ClockOffset> offsets = FindClockOffsets(clocks, request.given_ms);
  MergedProfile merged(*inputs, offsets);
  absl::Status status = merged.Load();
  if (status.ok()) {
    status = WriteJsonFile(request.output, &progress, [&](JsonWriter& writer) {
      merged.Write(writer);
      return true;
    });
  }
  progress.Clear();
  if (!status.ok()) return Fail(std::string(status.message()));
  for (const std::string& note : merged.notes()) fprintf(stderr, "geckoprof: note: %s\n", CleanText(note).c_str());
  if (request.quiet) return 0;
  for (size_t i = 0; i < inputs->size(); ++i) {
    const std::string text = ClockOffsetText(offsets[i], request.files[offsets[i].leader]);
    fprintf(stderr, "geckoprof: %s: %s\n", CleanText(request.files[i]).c_str(), CleanText(text).c_str());
  }
  fprintf(stderr, "geckoprof: profile written to %s\n",
          request.output == "-" ? "the standard output" : CleanText(request.output).c_str());
  return 0;
}

}  // namespace

int MergeMain(std::span<char* const> args) {
  Request request;
  std::vector<std::string> offsets;
  CommandOptions options("merge", "Joins profiles of several processes or hosts on one clock.", kExamples);
  options.Positionals("FILE", &request.files, "Gecko or processed profiles, .json or .json.gz; - is standard input");
  options.Text("-o,--output", &request.output, "FILE",
               "the result; compressed if it ends in .gz, - is standard output (required)");
  options.Texts("--offset", &offsets, "FILE=SECONDS",
                "time from the zero of the first profile to that of FILE; may be given again (found from the clocks)");
  options.Flag("-q,--quiet", &request.quiet, "no messages but notes and errors");
  options.OfferOperands({ValueHint::Kind::kFiles, ProfileEndings()});
  options.Offer("--output", {ValueHint::Kind::kFiles, ProfileEndings()});
  options.Offer("--offset", {ValueHint::Kind::kFiles, ProfileEndings()});
  if (const std::optional<int> status = options.Parse(args)) return *status;
  if (request.output.empty()) return WrongUse("-o FILE is needed");
  request.given_ms.resize(request.files.size());
  if (const absl::Status status = CheckAreDifferent(request.files); !status.ok()) {
    return WrongUse(std::string(status.message()));
  }
  for (const std::string& text : offsets) {
    const absl::Status status = ReadOffset(text, &request);
    if (!status.ok()) return WrongUse(Concat("--offset: ", std::string(status.message())));
  }
  const absl::Status is_other = CheckIsNoInput(request.output, request.files);
  if (!is_other.ok()) return WrongUse(Concat("-o: ", std::string(is_other.message())));
  return Merge(request);
}

}  // namespace geckoprof
