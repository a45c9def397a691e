#include <pwd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/json/json_copy.h"
#include "tools/json/json_document.h"
#include "tools/options/command_options.h"
#include "tools/options/commands.h"
#include "tools/processed_format/json_file.h"
#include "tools/profile/profile_file.h"
#include "tools/profile/profile_loader.h"
#include "tools/scrub/text_scrubber.h"
#include "tools/support/standard_output.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

constexpr char kExamples[] =
    "Examples:\n"
    "  geckoprof scrub profile.json.gz                          # writes profile.scrubbed.json.gz\n"
    "  geckoprof scrub --word acme --word db7 -o out.json.gz profile.json.gz\n\n"
    "Command lines, folders, addresses of the web, the names of users and of this machine are left out. Names of\n"
    "functions, threads and markers stay: look at the result before you publish it.\n";

int Fail(std::string_view what) {
  fprintf(stderr, "geckoprof scrub: %s\n", CleanText(what).c_str());
  return 1;
}

// The user and the machine of this process. They are those of the profile where it is scrubbed where it was made.
void AddOwnNames(TextScrubber* scrubber) {
  for (const char* const variable : {"USER", "LOGNAME", "SUDO_USER"}) {
    const char* const name = getenv(variable);
    if (name != nullptr && std::string_view(name) != "root") scrubber->AddWord(name);
  }
  const passwd* const entry = getpwuid(getuid());
  if (entry != nullptr && getuid() != 0) scrubber->AddWord(entry->pw_name);
  utsname machine = {};
  if (uname(&machine) == 0 && std::string_view(machine.nodename) != "localhost") {
    const std::string_view name = machine.nodename;
    scrubber->AddWord(name);
    scrubber->AddWord(name.substr(0, name.find('.')));
  }
}

// Calls use(text) for each string of a document.
template <typename Use>
void ForEachText(JsonView value, const Use& use) {
  if (value.IsObject()) {
    value.ForEachMember([&](std::string_view, JsonView member) { ForEachText(member, use); });
  } else if (value.IsArray()) {
    for (size_t i = 0; i < value.size(); ++i) ForEachText(value.At(i), use);
  } else if (value.IsString()) {
    use(value.AsString());
  }
}

int Scrub(const std::string& input, const std::string& output, bool quiet, TextScrubber& scrubber) {
  absl::StatusOr<std::string> text = ReadProfileFile(input);
  if (!text.ok()) return Fail(Concat(input, ": ", std::string(text.status().message())));
  const absl::StatusOr<JsonDocument> document = ParseProfile(*std::move(text));
  if (!document.ok()) return Fail(Concat(input, ": ", std::string(document.status().message())));
  const absl::StatusOr<ProfileModel> model = LoadProfile(*document);  // anything else would be copied as it is
  if (!model.ok()) return Fail(Concat(input, ": ", std::string(model.status().message())));

  AddOwnNames(&scrubber);
  ForEachText(document->root(), [&](std::string_view each) { scrubber.AddUsersIn(each); });
  uint64_t changed = 0;
  const JsonTextEdit edit = [&](std::string_view key, std::string_view each) {
    std::string left;
    if (key == "command") left = scrubber.Scrub(ProgramOfCommand(each));  // of the markers of a process
    if (key != "command" && key != "arguments") left = scrubber.Scrub(each);
    changed += left != each ? 1 : 0;
    return left;
  };
  ProgressLine progress(quiet ? -1 : STDERR_FILENO);
  const absl::Status status = WriteJsonFile(output, &progress, [&](JsonWriter& writer) {
    CopyJsonEdited(document->root(), edit, writer);
    return true;
  });
  progress.Clear();
  if (!status.ok()) return Fail(std::string(status.message()));
  if (!quiet) {
    fprintf(stderr, "geckoprof: profile written to %s (%llu texts changed)\n",
            output == "-" ? "the standard output" : CleanText(output).c_str(),
            static_cast<unsigned long long>(changed));
  }
  return 0;
}

}  // namespace

int ScrubMain(std::span<char* const> args) {
  std::string input, output;
  std::vector<std::string> words;
  bool quiet = false;
  CommandOptions options("scrub", "Takes command lines, folders, and names of users and machines out of a profile.",
                         kExamples);
  options.Positional("FILE", &input, "Gecko or processed profile, .json or .json.gz; - is standard input");
  options.Text("-o,--output", &output, "FILE",
               "the result; compressed if it ends in .gz, - is standard output (default: beside FILE, "
               ".scrubbed.json.gz)");
  options.Texts("--word", &words, "WORD", "leave this word out, too; may be given again");
  options.Flag("-q,--quiet", &quiet, "no messages but errors");
  options.OfferOperands({ValueHint::Kind::kFiles, ProfileEndings()});
  options.Offer("--output", {ValueHint::Kind::kFiles, ProfileEndings()});
  if (const std::optional<int> status = options.Parse(args)) return *status;
  TextScrubber scrubber;
  for (const std::string& word : words) {
    if (scrubber.AddWord(word)) continue;
    fprintf(stderr,
            "geckoprof scrub: --word: \"%s\" has fewer than %zu bytes, or does not begin with a letter or digit\n",
            CleanText(word).c_str(), TextScrubber::kMinWordBytes);
    return 2;
  }
  if (output.empty()) output = ProfileNameBeside(input, ".scrubbed.json.gz");
  return Scrub(input, output, quiet, scrubber);
}

}  // namespace geckoprof
