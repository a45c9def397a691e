#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/convert/exported_profile.h"
#include "tools/convert/format_output.h"
#include "tools/convert/format_writers.h"
#include "tools/convert/profile_input.h"
#include "tools/convert/stack_changes.h"
#include "tools/options/command_options.h"
#include "tools/options/commands.h"
#include "tools/profile/model_builder.h"
#include "tools/profile/profile_file.h"
#include "tools/profile/profile_loader.h"
#include "tools/support/output_file.h"
#include "tools/symbolicate/symbolication.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

constexpr char kExamples[] =
    "Formats to convert to: pprof, perfetto, chrome, speedscope, folded, otlp, processed.\n"
    "Formats to convert from: gecko, processed, perf (what `perf script` prints), pprof, folded.\n\n"
    "Examples:\n"
    "  geckoprof convert --to pprof -o profile.pb.gz profile.json.gz && go tool pprof -top profile.pb.gz\n"
    "  geckoprof convert --to folded -o - profile.json.gz | flamegraph.pl >profile.svg\n"
    "  perf script -F +pid | geckoprof convert --to processed -o perf.json.gz -\n"
    "  perf script -F +pid | geckoprof convert --to pprof --event cache-misses -o misses.pb.gz -\n"
    "  geckoprof convert --to folded --event delay -o - block.pb.gz\n";

// A format that can be written.
struct OutputFormat {
  std::string_view name;
  std::string_view suffix;                                        // of a file that gets its name from the input
  void (*write)(ExportedProfile& profile, FormatOutput* output);  // null: processed, with all that was read
  bool is_packed;                                                 // gzip is part of the format
  bool needs_samples;                                             // without any there is nothing in it
  StackLists lists = StackLists::kOnce;
};

constexpr OutputFormat kOutputFormats[] = {
    {"pprof", ".pb.gz", WritePprof, true, true},
    {"perfetto", ".perfetto-trace", WritePerfetto, false, false},
    {"chrome", ".trace.json", WriteChromeTrace, false, false},
    {"speedscope", ".speedscope.json", WriteSpeedscope, false, true, StackLists::kEachSample},
    {"folded", ".folded", WriteFolded, false, true},
    {"otlp", ".otlp.pb", WriteOtlp, false, true},
    {"processed", ".json.gz", nullptr, false, false},
};

const OutputFormat* FormatNamed(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kOutputFormats), std::end(kOutputFormats),
                                         [&](const auto& format) { return format.name == name; });
  return found == std::end(kOutputFormats) ? nullptr : found;
}

int Fail(const std::string& file, std::string_view what) {
  fprintf(stderr, "geckoprof convert: %s\n", CleanText(Concat(file, ": ", what)).c_str());
  return 1;
}

int Fail(const std::string& file, const absl::Status& status) { return Fail(file, std::string(status.message())); }

int FailToWrite(const std::string& file, const absl::Status& status) {
  fprintf(stderr, "geckoprof convert: %s\n", CleanText(WithName(file, std::string(status.message()))).c_str());
  return 1;
}

int WrongUse(std::string_view what) {
  fprintf(stderr, "geckoprof convert: %s (--help explains)\n", CleanText(what).c_str());
  return 2;
}

// "recorded.json.gz" becomes "recorded.pb.gz", in the current folder, or "recorded-2.pb.gz" where that exists. The name
// is not held: a signal would leave an empty file.
std::string OutputNameFor(const std::string& input, const OutputFormat& format) {
  std::string stem = input == "-" ? "profile" : input.substr(input.rfind('/') + 1);
  for (const std::string_view suffix : {".gz", ".json", ".pb", ".txt", ".folded"}) {
    if (stem.size() > suffix.size() && stem.ends_with(suffix)) stem.resize(stem.size() - suffix.size());
  }
  std::string name = Concat(stem, format.suffix);
  struct stat status;
  for (int number = 2; lstat(name.c_str(), &status) == 0; ++number) name = Concat(stem, "-", number, format.suffix);
  return name;
}

bool HasCountedSample(const ExportedProfile& profile) {
  for (const ProfileThread& thread : profile.model().threads) {
    for (const ProfileSample& sample : thread.samples) {
      if (profile.Counts(thread, sample)) return true;
    }
  }
  return false;
}

// Of a profile without a sample that counts.
std::string_view WhyNothingCounts(const ProfileModel& model, bool with_idle) {
  if (!with_idle && HasCountedSample(ExportedProfile(model, true))) {
    return "no thread has samples in which it ran; --idle takes the others";
  }
  const ExportedProfile profile(model, with_idle);
  bool has_samples = false, has_stacks = false;
  for (const ProfileThread& thread : model.threads) {
    has_samples = has_samples || !thread.samples.empty();
    for (const ProfileSample& sample : thread.samples) has_stacks = has_stacks || profile.StackOf(sample) != kNoRow;
  }
  if (!has_samples) return "there is no sample in it";
  return has_stacks ? "no thread has samples in which it ran" : "none of its samples has a call stack";
}

// What was asked for.
struct Conversion {
  std::string input, output;
  const OutputFormat* format = nullptr;
  std::optional<InputFormat> input_format;  // nothing: by the content
  std::string event;                        // empty: the one that PerfEvents or PprofValues chooses
  bool with_idle = false;
};

// Writes the file by `write`, which gets a FormatOutput, whole or not at all. The exit status.
template <typename WriteTo>
int WriteFile(const Conversion& conversion, const WriteTo& write) {
  const bool is_named = !conversion.output.empty();
  const std::string path = is_named ? conversion.output : OutputNameFor(conversion.input, *conversion.format);
  absl::StatusOr<OutputFile> file = OutputFile::Create(path);
  if (!file.ok()) return FailToWrite(path, file.status());
  FormatOutput output(&*file, conversion.format->is_packed || path.ends_with(".gz"));
  write(&output);
  absl::Status status = output.Finish();
  if (status.ok()) status = file->Commit();
  if (!status.ok()) return FailToWrite(path, status);
  if (!is_named) fprintf(stderr, "geckoprof convert: wrote %s\n", CleanText(path).c_str());
  return 0;
}

int ConvertModel(const Conversion& conversion, absl::StatusOr<ProfileModel> model, JsonView overheads = {}) {
  if (!model.ok()) return Fail(conversion.input, model.status());
  if (model->cut_names != 0) {
    fprintf(stderr, "geckoprof convert: %zu names are cut at %zu bytes\n", model->cut_names, kMaxNameBytes);
  }
  if (conversion.format->write == nullptr) {
    return WriteFile(conversion, [&](FormatOutput* output) { WriteModel(*model, output, overheads); });
  }
  const int32_t gap_stack = AddGapStack(&*model);
  if (const uint32_t depth = CutDeepStacks(&*model, conversion.format->lists); depth != 0) {
    fprintf(stderr, "geckoprof convert: stacks are cut at %u frames, because all of them would take too much room\n",
            depth);
  }
  const size_t length = conversion.format->write == &WriteFolded ? CutListedNames(&*model) : 0;
  if (length != 0) {
    fprintf(stderr, "geckoprof convert: names are cut at %zu bytes, because all of them would take too much room\n",
            length);
  }
  ExportedProfile profile(*model, conversion.with_idle, gap_stack);
  if (conversion.format->needs_samples && !HasCountedSample(profile)) {
    return Fail(conversion.input, WhyNothingCounts(*model, conversion.with_idle));
  }
  return WriteFile(conversion, [&](FormatOutput* output) { conversion.format->write(profile, output); });
}

// From Gecko or processed to processed.
int RewriteProfile(const Conversion& conversion, std::string content) {
  const absl::StatusOr<JsonDocument> document = ParseProfile(std::move(content));
  if (!document.ok()) return Fail(conversion.input, document.status());
  if (!Symbolication::HasTables(ProfileRoot(*document))) {
    return ConvertModel(conversion, LoadProfile(*document, ProfileDetail::kFull),
                        ProfileRoot(*document)["profilerOverhead"]);
  }
  const auto copy = Symbolication::Make(ProfileRoot(*document));
  if (absl::Status status = copy->Load(); !status.ok()) return Fail(conversion.input, status);
  return WriteFile(conversion,
                   [&](FormatOutput* output) { output->WriteJson([&](JsonWriter& writer) { copy->Write(writer); }); });
}

int Convert(const Conversion& conversion) {
  absl::StatusOr<std::string> content = ReadProfileFile(conversion.input);
  if (!content.ok()) return Fail(conversion.input, content.status());
  const auto from = conversion.input_format.has_value() ? conversion.input_format : GuessInputFormat(*content);
  const bool has_events = from == InputFormat::kPerfScript || from == InputFormat::kPprof;
  if (!conversion.event.empty() && from.has_value() && !has_events) {
    return WrongUse(Concat("--event: ", conversion.input,
                           " is neither what `perf script` prints nor pprof, which alone have several to choose from"));
  }
  if (conversion.format->write == nullptr && from == InputFormat::kJson) {
    return RewriteProfile(conversion, *std::move(content));
  }
  std::vector<std::string> notes;
  absl::StatusOr<ProfileModel> model = LoadInput(*std::move(content), from, conversion.event, &notes);
  for (const std::string& note : notes)
    fprintf(stderr, "geckoprof convert: %s\n", CleanText(Concat(conversion.input, ": ", note)).c_str());
  return ConvertModel(conversion, std::move(model));
}

}  // namespace

int ConvertMain(std::span<char* const> args) {
  Conversion conversion;
  std::string to, from;
  CommandOptions options("convert", "Converts a profile to and from the formats of other profilers.", kExamples);
  options.Positional("IN", &conversion.input, "profile to convert, plain or gzip; - is standard input");
  options.Text("--to", &to, "FORMAT", "format to write");
  options.Text("--from", &from, "FORMAT", "format of IN (told from its content)");
  options.Text("-o,--output", &conversion.output, "OUT",
               "file to write, gzip where it ends in .gz (named after IN); - is stdout");
  options.Text("--event", &conversion.event, "NAME",
               "perf script's event, or pprof's value, that samples count (a clock or cycles; the default one)");
  options.Flag("--idle", &conversion.with_idle, "count the samples of idle threads, too");
  std::vector<std::string> formats, endings;
  for (const OutputFormat& known : kOutputFormats) {
    formats.emplace_back(known.name);
    endings.emplace_back(known.suffix);
  }
  options.OfferOperands({ValueHint::Kind::kFiles});
  options.Offer("--to", {ValueHint::Kind::kWords, formats});
  options.Offer("--from", {ValueHint::Kind::kWords, ListInputFormats()});
  options.Offer("--output", {ValueHint::Kind::kFiles, endings});
  if (const std::optional<int> status = options.Parse(args)) return *status;
  if (to.empty()) return WrongUse("--to FORMAT is needed");
  conversion.format = FormatNamed(to);
  if (conversion.format == nullptr) return WrongUse(Concat("there is no format \"", to, "\" to convert to"));
  conversion.input_format = InputFormatOf(from);
  if (!from.empty() && !conversion.input_format.has_value()) {
    return WrongUse(Concat("there is no format \"", from, "\" to convert from"));
  }
  const absl::Status is_other = CheckIsNoInput(conversion.output, {&conversion.input, 1});
  if (!is_other.ok()) return WrongUse(Concat("-o: ", std::string(is_other.message())));
  return Convert(conversion);
}

}  // namespace geckoprof
