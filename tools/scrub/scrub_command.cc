#include <pwd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
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

// Names of members that readers of a profile look for. Words do not change them.
constexpr std::string_view kFormatKeys =
    "abi activeTabID address appBuildID arch arguments argumentValues asyncstack bootId breakpadId "
    "bufferGlobalController "
    "capacity cat categories category cause chartLabel co2 codeId color colorField column columnNumber columns command "
    "configuration content contentEarliestTime count counters counts CPUName crashSignal data debug debugName "
    "debugPath description display duration embedderInnerWindowID end endReason endTime entries eventDelay "
    "eventType exitStatus expiredMarkerCleaning extra features fields fileName filename flow format frame "
    "frameTable func funcTable functionSize gcpoison gpuType graphs graphType handlerTime hidden holder host id "
    "implementation "
    "importedFrom initialSelectedThreads initialVisibleThreads inlineDepth innerWindowID interval isJS isMainThread "
    "isPrivate isStackBased key label latency lateness length lib libIndex libs line lineNumber location lock "
    "lockHolder "
    "locking logicalCPUs losses mainThreadIndex markers markerSchema markerSchemaLocation meta misc Name name "
    "nativeSymbol nativeSymbols number offset oncompositor originalLocation oscpu pages parentPid path pausedRanges "
    "pauses ph phase physicalCPUs pid platform prefix prefixOffset preprocessedProfileVersion presymbolicated "
    "processes processName processShutdownTime processStartupTime processType product profile profilerOverhead "
    "profilingEndTime profilingLog profilingLogBegin_TSms profilingLogEnd_TSms profilingStartTime properties reason "
    "recordingTime registerTime relevantForJS requiresPreviewSelection resource resourceTable responsiveness sampledBy "
    "sampleGroups "
    "samplerBytes "
    "samplerCPU samplerCPUTime samples samplesAsked samplesTaken sampleUnits scale schema shared showMarkersInTimeline "
    "shutdownTime "
    "sortWeight source sourceLocationTable sourceMapURL sources stack stackTable stackwalk start startColumn "
    "startLine startTime startTimeAsClockMonotonicNanosecondsSinceBoot state statistics status stringArray "
    "stringTable subcategories subcategory symbolicated symbolicationNotSupported tableLabel Target target "
    "threadCPUDelta threadReadyDelta threads tid time timeDeltas timings toolkit tooltipFields tooltipLabel "
    "tooltipRows tracedObjectShapes tracedValues traceEvents type unit unregisterTime updateChannel updates "
    "updatesSchema upperNs url uuid value version waitCause weight weightType what";

absl::flat_hash_set<std::string_view> WordsIn(std::string_view text) {
  absl::flat_hash_set<std::string_view> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    words.insert(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// The kinds of members, and of what is in them.
enum class KeyKind {
  kText,
  kCommand,    // the program's name stays
  kArguments,  // no text stays
};

// Returns the kind of a member by its name, in which case and separators do not count.
KeyKind KindOfKey(std::string_view key) {
  std::string letters;
  for (const unsigned char each : key) {
    if (absl::ascii_isalnum(each)) letters += static_cast<char>(absl::ascii_tolower(each));
  }
  const auto is_one_of = [&](const auto&... names) { return (... || (letters == names)); };
  if (is_one_of("command", "commandline", "cmdline", "cmd")) return KeyKind::kCommand;
  // The id of the boot tells the machine.
  return is_one_of("arguments", "argv", "bootid") ? KeyKind::kArguments : KeyKind::kText;
}

// ProfileScrubber: writes a profile again without what the scrubber finds in its texts, and without command lines.
class ProfileScrubber {
 public:
  explicit ProfileScrubber(TextScrubber& scrubber) : scrubber_(scrubber), format_keys_(WordsIn(kFormatKeys)) {}

  // Collects the names of users and the command lines. To be called once, before Write.
  void Collect(JsonView root) {
    CollectFrom(root, KeyKind::kText, JsonView());
    for (const std::string_view name : process_names_) {
      const bool has_option = name.find(" -") != std::string_view::npos;
      if (has_option || programs_.contains(name.substr(0, name.find(' ')))) scrubber_.AddProgram(name);
    }
  }
  void Write(JsonView root, JsonWriter& writer) { Copy(root, KeyKind::kText, writer); }
  uint64_t changed() const { return changed_; }

 private:
  // `strings` is the table that the numbers of unique strings are rows of.
  void CollectFrom(JsonView value, KeyKind kind, JsonView strings) {
    if (value.IsObject()) {
      for (const JsonView table : {value["stringTable"], value["stringArray"], value["shared"]["stringArray"]}) {
        if (table.IsArray()) strings = table;
      }
      value.ForEachMember([&](std::string_view key, JsonView member) {
        scrubber_.AddUsersIn(key);
        CollectFrom(member, kind == KeyKind::kText ? KindOfKey(key) : kind, strings);
        if (key == "processName" || key == "product") process_names_.insert(member.AsString());
      });
    } else if (value.IsArray()) {
      for (size_t i = 0; i < value.size(); ++i) CollectFrom(value.At(i), i == 0 ? kind : KeyKind::kText, strings);
    } else if (value.IsString()) {
      scrubber_.AddUsersIn(value.AsString());
      if (kind != KeyKind::kText) AddCommand(value.AsString());
    } else if (const std::optional<int64_t> row = value.AsInteger(); row && *row >= 0 && kind != KeyKind::kText) {
      AddCommand(strings.At(static_cast<size_t>(*row)).AsString());
    }
  }

  void AddCommand(std::string_view command) {
    if (command.find(' ') == std::string_view::npos) return;
    commands_.insert(command);
    programs_.insert(ProgramOfCommand(command));
  }

  void Copy(JsonView value, KeyKind kind, JsonWriter& writer) {
    if (value.IsObject()) return CopyObject(value, kind, writer);
    if (value.IsString()) return writer.String(Edit(value.AsString(), kind));
    if (!value.IsArray()) return CopyJson(value, writer);
    writer.StartArray();
    // The first element of a command that is a list is the program.
    const KeyKind of_rest = kind == KeyKind::kCommand ? KeyKind::kArguments : kind;
    for (size_t i = 0; i < value.size(); ++i) Copy(value.At(i), i == 0 ? kind : of_rest, writer);
    writer.EndArray();
  }

  void CopyObject(JsonView value, KeyKind kind, JsonWriter& writer) {
    absl::flat_hash_map<std::string, int> renamed;  // names that several members may have got
    writer.StartObject();
    value.ForEachMember([&](std::string_view key, JsonView member) {
      std::string left = format_keys_.contains(key) ? std::string(key) : scrubber_.Scrub(key);
      if (left != key) {
        ++changed_;
        const int before = renamed[left]++;
        if (before > 0) left = Concat(left, " ", before + 1);
      }
      writer.Key(left);
      Copy(member, kind == KeyKind::kText ? KindOfKey(key) : KeyKind::kArguments, writer);
    });
    writer.EndObject();
  }

  std::string Edit(std::string_view text, KeyKind kind) {
    std::string left;
    if (kind != KeyKind::kArguments) {
      const bool is_command = kind == KeyKind::kCommand || commands_.contains(text);
      left = scrubber_.Scrub(is_command ? ProgramOfCommand(text) : text);
    }
    changed_ += left != text ? 1 : 0;
    return left;
  }

  TextScrubber& scrubber_;
  const absl::flat_hash_set<std::string_view> format_keys_;
  // Views of the document.
  absl::flat_hash_set<std::string_view> commands_, programs_, process_names_;
  uint64_t changed_ = 0;
};

int Scrub(const std::string& input, const std::string& output, bool quiet, TextScrubber& scrubber) {
  absl::StatusOr<std::string> text = ReadProfileFile(input);
  if (!text.ok()) return Fail(Concat(input, ": ", std::string(text.status().message())));
  const absl::StatusOr<JsonDocument> document = ParseProfile(*std::move(text));
  if (!document.ok()) return Fail(Concat(input, ": ", std::string(document.status().message())));
  const absl::StatusOr<ProfileModel> model = LoadProfile(*document);  // anything else would be copied as it is
  if (!model.ok()) return Fail(Concat(input, ": ", std::string(model.status().message())));

  AddOwnNames(&scrubber);
  ProfileScrubber profile(scrubber);
  profile.Collect(document->root());
  ProgressLine progress(quiet ? -1 : STDERR_FILENO);
  const absl::Status status = WriteJsonFile(output, &progress, [&](JsonWriter& writer) {
    profile.Write(document->root(), writer);
    return true;
  });
  progress.Clear();
  if (!status.ok()) return Fail(std::string(status.message()));
  if (!quiet) {
    fprintf(stderr, "geckoprof: profile written to %s (%llu texts changed)\n",
            output == "-" ? "the standard output" : CleanText(output).c_str(),
            static_cast<unsigned long long>(profile.changed()));
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
            "geckoprof scrub: --word: \"%s\" has not %zu to %zu bytes, or does not begin with a letter or digit\n",
            CleanText(word).c_str(), TextScrubber::kMinWordBytes, TextScrubber::kMaxWordBytes);
    return 2;
  }
  if (output.empty()) output = ProfileNameBeside(input, ".scrubbed.json.gz");
  return Scrub(input, output, quiet, scrubber);
}

}  // namespace geckoprof
