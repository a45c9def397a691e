#include "tools/record/record_options.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

#include "absl/strings/str_join.h"
#include "geckoprof/base/utf8.h"
#include "geckoprof/config/start_number.h"
#include "tools/options/command_options.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

constexpr char kExamples[] =
    "Examples:\n"
    "  geckoprof record -- ls -lR /usr\n"
    "  geckoprof record -o out.json.gz --interval 0.5 --threads worker -- ./server --port 80\n\n"
    "The program keeps its input, output and exit status (128 + n if signal n ended it; of SIGINT and SIGQUIT\n"
    "the command itself ends). Ctrl-C goes to the program;\n"
    "the profile is written all the same. 2: wrong use, 126 and 127: the program cannot be run or found.\n";

// "1.5MiB"; without a unit bytes. What is no size is 0, which is out of range.
uint64_t CapacityBytes(std::string_view text) {
  constexpr unsigned kDecimals = 6;
  const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::optional<uint64_t> count = ParseFixedPoint(text.substr(0, digits), kDecimals);
  const std::optional<uint64_t> unit_bytes = ParseByteSize(Concat("1", text.substr(digits)), 1);
  if (!count || !unit_bytes) return 0;
  const double bytes = static_cast<double>(*count) / 1e6 * static_cast<double>(*unit_bytes);
  return bytes > static_cast<double>(kMaxCapacityBytes) ? UINT64_MAX : static_cast<uint64_t>(bytes);
}

// The items of a comma list; empty ones are skipped.
std::vector<std::string_view> SplitList(std::string_view list) {
  std::vector<std::string_view> items;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (comma != 0) items.push_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return items;
}

std::vector<std::string> NamesOf(uint32_t features) {
  std::vector<std::string> names;
  for (const Feature& feature : kFeatureList) {
    if ((features & feature.bit) != 0) names.emplace_back(feature.name);
  }
  return names;
}

std::vector<std::string> PossibleFeatures() {
  std::vector<std::string> names = NamesOf(kBaseFeatures);
  names.emplace_back("default");
  return names;
}

std::vector<std::string> PossibleClocks() { return {kSampleClockNames.begin(), kSampleClockNames.end()}; }

std::string ClockFault(const std::string& clock) {
  if (clock.empty() || std::ranges::find(kSampleClockNames, clock) != kSampleClockNames.end()) return "";
  return Concat("--clock: ", clock, " is none of ", absl::StrJoin(PossibleClocks(), ", "));
}

std::string FeaturesFault(const std::string& features) {
  const std::vector<std::string_view> names = SplitList(features);
  if (!features.empty() && names.empty()) return "--features: no name of a feature is given";
  for (const std::string_view name : names) {
    if (name == "default" || (FeatureBit(name) & kBaseFeatures) != 0) continue;
    return Concat("--features: ", name,
                  " is not the name of a feature; possible: ", absl::StrJoin(PossibleFeatures(), ", "));
  }
  return "";
}

std::string ThreadsFault(const std::string& threads) {
  const std::vector<std::string_view> items = SplitList(threads);
  if (!threads.empty() && items.empty()) return "--threads: no part of a name is given";
  if (items.size() > ThreadFilter::kMaxItems) return Concat("--threads: at most ", ThreadFilter::kMaxItems, " items");
  for (const std::string_view item : items) {
    if (item.size() >= ThreadFilter::kItemBytes) {
      return Concat("--threads: an item has at most ", ThreadFilter::kItemBytes - 1, " bytes");
    }
    if (item.starts_with("pid:"))
      return "--threads: nobody knows the program's pid before it runs; give parts of names";
  }
  return "";
}

}  // namespace

std::string RecordOptions::Fault(const std::string& capacity, const std::string& format_name) {
  if (!interval.empty()) {
    const std::optional<uint64_t> ns = ParseFixedPoint(interval, 6);
    if (!ns || *ns < uint64_t{kMinIntervalNs} || *ns > uint64_t{kMaxIntervalNs}) {
      return Concat("--interval: ", interval, " is not a number of milliseconds from 0.05 to 5000");
    }
  }
  if (!duration.empty()) {
    const std::optional<uint64_t> ns = ParseFixedPoint(duration, 9);
    if (!ns || *ns > uint64_t{kMaxDurationNs}) {
      return Concat("--duration: ", duration, " is not a number of seconds from 0 to 31622400");
    }
  }
  if (!capacity.empty()) {
    const uint64_t bytes = CapacityBytes(capacity);
    if (bytes < kMinCapacityBytes || bytes > kMaxCapacityBytes) {
      return Concat("--capacity: ", capacity,
                    " is not a size from 1MiB to 2GiB (in bytes, or with KB, KiB, MB, MiB, GB or GiB)");
    }
    capacity_bytes = bytes;
    capacity_given = true;
  }
  if (format_name == "gecko") {
    format = OutputFormat::kGecko;
  } else if (format_name != "processed") {
    return Concat("--format: ", format_name, " is neither gecko nor processed");
  }
  if (output == "-") return "--output: standard output is the program's; name a file (recover can write to -)";
  for (const std::string& fault : {ClockFault(clock), FeaturesFault(features)}) {
    if (!fault.empty()) return fault;
  }
  return ThreadsFault(threads);
}

std::optional<int> RecordOptions::Parse(std::span<char* const> args) {
  std::string capacity;
  std::string format_name = "processed";
  CommandOptions options("record", "Runs a program and records it, and all that it starts, from the first instruction.",
                         kExamples);
  options.Text("-o,--output", &output, "FILE",
               "the profile; compressed if it ends in .gz (default: geckoprof-PROGRAM-TIME.json.gz)");
  options.Text("--interval", &interval, "MS", "between samples, 0.05..5000 (default 1)");
  options.Text("--capacity", &capacity, "SIZE",
               "most data a process, 1MiB..2GiB, the oldest goes first (default 128MiB)");
  options.Text("--features", &features, "LIST",
               Concat("of ", absl::StrJoin(PossibleFeatures(), ", "),
                      " (default: ", absl::StrJoin(NamesOf(kDefaultFeatures), ","), ")"));
  options.Text("--threads", &threads, "LIST", "parts of names of the threads to sample (default: all threads)");
  options.Text("--clock", &clock, "CLOCK", "best one to take samples by: perf-event (default), cpu-timer or request");
  options.Text("--duration", &duration, "S",
               "seconds after which sampling stops; the program runs on (default 0: never)");
  options.Text("--format", &format_name, "FORMAT", "processed (symbolicated; the default) or gecko (raw)");
  options.Flag("--no-arguments", &no_arguments, "record no command lines, neither the program's nor its children's");
  options.Flag("-q,--quiet", &quiet, "no messages but warnings and errors");
  options.Rest("-- PROGRAM [ARGUMENTS]");
  options.Offer("--output", {ValueHint::Kind::kFiles, ProfileEndings()});
  options.Offer("--features", {ValueHint::Kind::kWordList, PossibleFeatures()});
  options.Offer("--clock", {ValueHint::Kind::kWords, PossibleClocks()});
  options.Offer("--format", {ValueHint::Kind::kWords, {"processed", "gecko"}});
  const size_t own = options.CountOwn(args);
  if (const std::optional<int> status = options.Parse(args.first(own))) return status;
  program = args.subspan(own);
  if (!program.empty() && std::string_view(program.front()) == "--") program = program.subspan(1);
  std::string fault = Fault(capacity, format_name);
  if (fault.empty() && program.empty())
    fault = "no program is named: geckoprof record [OPTIONS] -- PROGRAM [ARGUMENTS]";
  const char* const inherited = getenv("GECKOPROF_NO_ARGUMENTS");
  no_arguments = no_arguments || (inherited != nullptr && MeansYes(inherited));
  if (fault.empty()) return std::nullopt;
  fprintf(stderr, "geckoprof record: %s\n", CleanText(fault).c_str());
  return 2;
}

std::string DefaultOutputName(const std::string& program) {
  constexpr size_t kMostBytes = 200;  // with the rest, and a number, less than the 255 of a file's name
  std::string name = CleanText(program.substr(program.rfind('/') + 1));  // npos + 1 is 0
  name.resize(Utf8Cut(name, kMostBytes).size());
  const time_t now = time(nullptr);
  struct tm local = {};
  localtime_r(&now, &local);
  char when[32] = "";
  strftime(when, sizeof(when), "%Y%m%dT%H%M%S", &local);
  return Concat("geckoprof-", name, "-", when, ".json.gz");
}

}  // namespace geckoprof
