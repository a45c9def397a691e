#include "tools/record/start_options.h"

#include <stdlib.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "absl/strings/str_join.h"
#include "geckoprof/config/start_number.h"
#include "tools/options/quantity.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// Returns the items of a comma list. Empty items are skipped.
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

std::vector<std::string> PossibleFeatures(uint32_t possible) {
  std::vector<std::string> names = NamesOf(possible);
  names.emplace_back("default");
  return names;
}

std::vector<std::string> PossibleClocks() { return {kSampleClockNames.begin(), kSampleClockNames.end()}; }

std::string ClockFault(const std::string& clock) {
  if (clock.empty() || std::ranges::find(kSampleClockNames, clock) != kSampleClockNames.end()) return "";
  return Concat("--clock: ", clock, " is none of ", absl::StrJoin(PossibleClocks(), ", "));
}

std::string FeaturesFault(const std::string& features, uint32_t possible) {
  const std::vector<std::string_view> names = SplitList(features);
  if (!features.empty() && names.empty()) return "--features: no name of a feature is given";
  for (const std::string_view name : names) {
    if (name == "default" || (FeatureBit(name) & possible) != 0) continue;
    return Concat("--features: ", name,
                  " is not the name of a feature; possible: ", absl::StrJoin(PossibleFeatures(possible), ", "));
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

std::string FeatureNames(uint32_t features, const char* separator) {
  return absl::StrJoin(NamesOf(features), separator);
}

bool StartOptions::AsksFor(uint32_t wanted_features) const {
  const char* const inherited = getenv("GECKOPROF_STARTUP_FEATURES");
  const std::string_view list = !features.empty() || inherited == nullptr ? features : std::string_view(inherited);
  return std::ranges::any_of(
      SplitList(list), [wanted_features](std::string_view name) { return (FeatureBit(name) & wanted_features) != 0; });
}

void StartOptions::AddTo(CommandOptions& options) {
  options.Text("--interval", &interval, "MS", "between samples, 0.05..5000 (default 1)");
  options.Text("--max-overhead", &max_overhead, "PERCENT",
               "sample less often where the profiler takes more of a core, such as 2% (default: no limit)");
  options.Text("--capacity", &capacity_, "SIZE", "most data, 1MiB..2GiB, the oldest goes first (default 128MiB)");
  options.Text("--features", &features, "LIST",
               Concat("of ", absl::StrJoin(PossibleFeatures(possible_features), ", "),
                      " (default: ", FeatureNames(kDefaultFeatures, ","), ")"));
  options.Text("--threads", &threads, "LIST", "parts of names of the threads to sample (default: all threads)");
  options.Text("--clock", &clock, "CLOCK", "best one to take samples by: perf-event (default), cpu-timer or request");
  options.Text("--duration", &duration, "S",
               "seconds after which sampling stops; the program runs on (default 0: never)");
  options.Flag("--no-arguments", &no_arguments, "record no command lines, neither the program's nor its children's");
  options.Offer("--features", {ValueHint::Kind::kWordList, PossibleFeatures(possible_features)});
  options.Offer("--clock", {ValueHint::Kind::kWords, PossibleClocks()});
}

std::string StartOptions::Check() {
  if (!interval.empty()) {
    const std::optional<uint64_t> ns = ParseFixedPoint(interval, 6);
    if (!ns || *ns < uint64_t{kMinIntervalNs} || *ns > uint64_t{kMaxIntervalNs}) {
      return Concat("--interval: ", interval, " is not a number of milliseconds from 0.05 to 5000");
    }
  }
  if (!max_overhead.empty()) {
    const std::optional<uint64_t> limit = ParsePercentParts(max_overhead);
    if (!limit || *limit < kMinOverheadLimit || *limit > kMaxOverheadLimit) {
      return Concat("--max-overhead: ", max_overhead, " is not a percentage from 0.1% to 100%");
    }
  }
  if (!duration.empty()) {
    const std::optional<uint64_t> ns = ParseFixedPoint(duration, 9);
    if (!ns || *ns > uint64_t{kMaxDurationNs}) {
      return Concat("--duration: ", duration, " is not a number of seconds from 0 to 31622400");
    }
  }
  if (!capacity_.empty()) {
    const uint64_t bytes = ParseSizeBytes(capacity_).value_or(0);
    if (bytes < kMinCapacityBytes || bytes > kMaxCapacityBytes) {
      return Concat("--capacity: ", capacity_,
                    " is not a size from 1MiB to 2GiB (in bytes, or with KB, KiB, MB, MiB, GB or GiB)");
    }
    capacity_bytes = bytes;
    capacity_given = true;
  }
  for (const std::string& fault : {ClockFault(clock), FeaturesFault(features, possible_features)}) {
    if (!fault.empty()) return fault;
  }
  return ThreadsFault(threads);
}

std::vector<StartOptions::Variable> StartOptions::Variables() const {
  std::vector<Variable> variables;
  const auto add = [&variables](const char* name, const std::string& value) {
    if (!value.empty()) variables.push_back({name, value});
  };
  if (capacity_given) add("GECKOPROF_STARTUP_ENTRIES", Concat(capacity_bytes / kBytesPerEntry));
  add("GECKOPROF_STARTUP_INTERVAL", interval);
  add("GECKOPROF_STARTUP_MAX_OVERHEAD", max_overhead);
  add("GECKOPROF_STARTUP_DURATION", duration);
  add("GECKOPROF_STARTUP_FILTERS", threads);
  if (no_arguments) add("GECKOPROF_NO_ARGUMENTS", "1");
  add("GECKOPROF_STARTUP_CLOCK", clock);
  add("GECKOPROF_STARTUP_FEATURES", features);
  return variables;
}

std::vector<std::string> StartOptions::Settings(const std::vector<std::string>& inherited) const {
  const std::vector<Variable> variables = Variables();
  std::vector<std::string> lines;
  for (const Variable& variable : variables) lines.push_back(Concat(variable.name, "=", variable.value));
  for (const std::string& line : inherited) {
    const std::string_view name = std::string_view(line).substr(0, line.find('='));
    const bool is_replaced =
        std::ranges::any_of(variables, [name](const Variable& variable) { return name == variable.name; }) ||
        (name == "GECKOPROF_STARTUP_FEATURES_BITFIELD" && !features.empty());
    if (!is_replaced) lines.push_back(line);
  }
  return lines;
}

uint32_t RecorderFeatures(const std::vector<std::string>& settings) {
  std::vector<const char*> lines;
  for (const std::string& line : settings) lines.push_back(line.c_str());
  lines.push_back(nullptr);
  StartParameters parameters;
  ParseStartParameters(lines.data(), parameters);
  return parameters.requested_features & kRecorderFeatures;
}

}  // namespace geckoprof
