#include "tools/check/processed_rules.h"

#include <algorithm>
#include <initializer_list>

#include "absl/container/flat_hash_set.h"
#include "geckoprof/gecko_json/format_versions.h"
#include "tools/check/marker_schemas.h"
#include "tools/check/meta_rules.h"
#include "tools/check/processed_table_rules.h"
#include "tools/check/thread_rules.h"
#include "tools/profile/model_builder.h"
#include "tools/profile/profile_model.h"
#include "tools/profile/system_pid.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

using Need = ValueChecker::Need;

// Beyond this a version is a mistake: the format has reached 34 in its first ten years.
constexpr int64_t kLargestVersion = 999;

void CheckWord(JsonView object, const char* key, std::initializer_list<std::string_view> known, const JsonPath& path,
               ValueChecker* checker) {
  const auto word = checker->String(object, key, path);
  if (word.has_value() && std::find(known.begin(), known.end(), *word) == known.end()) {
    checker->Fault(path / key, Concat("\"", *word, "\" is not known to the viewer"));
  }
}

void CheckTooltip(JsonView display, const JsonPath& path, ValueChecker* checker) {
  const JsonView rows = checker->Array(display, "tooltipRows", path);
  const JsonPath rows_path = path / "tooltipRows";
  for (size_t i = 0; i < rows.size(); ++i) {
    const JsonPath row_path = rows_path / i, format_path = row_path / "format";
    CheckWord(rows.At(i), "type", {"value", "separator"}, row_path, checker);
    if (rows.At(i)["type"].AsString() != "value") continue;
    CheckWord(rows.At(i), "source",
              {"count", "rate", "cpu-ratio", "accumulated", "count-range", "selection-total", "selection-rate",
               "committed-range-total", "sample-number"},
              row_path, checker);
    checker->String(rows.At(i), "label", row_path);
    CheckWord(checker->Object(rows.At(i), "format", row_path), "unit",
              {"bytes", "bytes-per-second", "percent", "number"}, format_path, checker);
  }
}

void CheckDisplay(JsonView counter, int64_t version, const JsonPath& path, ValueChecker* checker) {
  const JsonView display = checker->Object(counter, "display", path);
  if (!display.Exists()) return;
  const JsonPath display_path = path / "display";
  CheckWord(display, "graphType", {"line-accumulated", "line-rate"}, display_path, checker);
  CheckGraphColor(display, Need::kRequired, display_path, checker);
  checker->String(display, "unit", display_path);
  checker->String(display, "label", display_path);
  checker->Lenient().Number(display, "sortWeight", display_path);
  checker->Lenient().String(display, "markerSchemaLocation", display_path, Need::kOptional);
  if (version >= ProcessedVersion::kCounterTooltips) CheckTooltip(display, display_path, checker);
}

}  // namespace

void ProcessedRules::Check() {
  const JsonPath path;
  const JsonPath meta_path = path / "meta", shared_path = path / "shared";
  const JsonView meta = profile_["meta"];
  if (!CheckVersion(meta, meta_path)) return;
  CheckMeta(meta, /*is_subprocess=*/false, meta_path, checker_);
  const JsonView categories = checker_->Array(meta, "categories", meta_path, Need::kOptional);
  if (categories.Exists()) {
    categories_ = CheckCategories(categories, meta_path / "categories", checker_);
  } else {
    checker_->Warning(meta_path / "categories", "is missing: the viewer puts in a list of its own");
  }
  schemas_.Add(checker_->Array(meta, "markerSchema", meta_path),
               version_ >= ProcessedVersion::kSchemaFields ? "fields" : "data", meta_path / "markerSchema", checker_);
  CheckThreadLists(meta, meta_path);
  CheckExtra(meta, meta_path);
  CheckProcessedLibraries(checker_->Array(profile_, "libs", path), path / "libs", checker_);
  if (version_ >= ProcessedVersion::kSharedStrings) {
    const JsonView shared = checker_->Object(profile_, "shared", path);
    strings_ = CheckStrings(shared, shared_path);
    sources_ = CheckSources(shared, version_, strings_, shared_path, checker_);
    if (version_ >= ProcessedVersion::kSharedTables) {
      ProcessedTableRules rules(version_, strings_, profile_["libs"].size(), categories_, checker_);
      rules.Check(shared, sources_, shared_path);
      stacks_ = rules.stacks();
    }
  }
  CheckThreads(path);
  CheckCounters(path);
  CheckOverhead(path);
}

bool ProcessedRules::CheckVersion(JsonView meta, const JsonPath& path) {
  const JsonView number = meta["preprocessedProfileVersion"];
  version_ = number.AsInteger().value_or(0);
  // Of the Gecko format that the profile came from, which may be newer than what we know.
  if (const JsonView gecko = meta["version"];
      gecko.Exists() && (gecko.AsInteger().value_or(0) < 1 || gecko.AsInteger().value_or(0) > kLargestVersion)) {
    checker_->Warning(path / "version", Concat(gecko.NumberOr(0), " is no version of the Gecko format"));
  }
  if (version_ >= ProcessedVersion::kOldestChecked && version_ <= ProcessedVersion::kNewest) return true;
  if (version_ >= 0 && version_ < ProcessedVersion::kOldestChecked && number.AsInteger().has_value()) {
    checker_->Warning(path / "preprocessedProfileVersion", Concat("versions before ", ProcessedVersion::kOldestChecked,
                                                                  " are not checked: the viewer upgrades them"));
    return false;
  }
  checker_->Fault(path / "preprocessedProfileVersion",
                  Concat(number.NumberOr(0), " is no known processed format version (",
                         ProcessedVersion::kOldestChecked, "..", ProcessedVersion::kNewest, ")"));
  return false;
}

void ProcessedRules::CheckThreadLists(JsonView meta, const JsonPath& path) {
  for (const char* key : {"initialVisibleThreads", "initialSelectedThreads"}) {
    const JsonView list = checker_->Array(meta, key, path, Need::kOptional);
    const JsonPath list_path = path / key;
    absl::flat_hash_set<size_t> seen;
    for (size_t i = 0; i < list.size(); ++i) {
      const int64_t number = list.At(i).AsInteger().value_or(-1);
      if (number >= 0 && static_cast<uint64_t>(number) >= threads()) {
        // The viewer leaves it out.
        checker_->Warning(list_path / i, Concat("thread index ", number, " is out of range"));
        continue;
      }
      const auto thread = checker_->Index(list.At(i), threads(), list_path / i, "thread", Need::kRequired);
      if (thread.has_value() && !seen.insert(*thread).second) {
        checker_->Warning(list_path / i, Concat("thread ", *thread, " is in the list for the second time"));
      }
    }
  }
  if (meta["initialVisibleThreads"].IsArray() && meta["initialVisibleThreads"].size() == 0) {
    checker_->Fault(path / "initialVisibleThreads", "is empty");
  }
  for (const char* key : {"usesOnlyOneStackType", "sourceCodeIsNotOnSearchfox", "symbolicationNotSupported",
                          "symbolicated", "keepProfileThreadOrder"}) {
    checker_->Lenient().Bool(meta, key, path, Need::kOptional);
  }
}

void ProcessedRules::CheckExtra(JsonView meta, const JsonPath& path) {
  const JsonView extra = checker_->Array(meta, "extra", path, Need::kOptional);
  const JsonPath extra_path = path / "extra";
  for (size_t i = 0; i < extra.size(); ++i) {
    const JsonPath section_path = extra_path / i, entries_path = section_path / "entries";
    checker_->Lenient().String(extra.At(i), "label", section_path);
    const JsonView entries = checker_->Array(extra.At(i), "entries", section_path);
    for (size_t j = 0; j < entries.size(); ++j) {
      const JsonPath entry_path = entries_path / j;
      checker_->Lenient().String(entries.At(j), "label", entry_path);
      CheckFormattedValue(entries.At(j), entry_path, checker_);
    }
  }
}

size_t ProcessedRules::CheckStrings(JsonView owner, const JsonPath& path) {
  const JsonView strings = checker_->Array(owner, "stringArray", path);
  const JsonPath strings_path = path / "stringArray";
  for (size_t i = 0; i < strings.size(); ++i) {
    if (!strings.At(i).IsString()) {
      checker_->Fault(strings_path / i, Concat("is ", strings.At(i).TypeName(), ", not string"));
    }
  }
  return strings.size();
}

void ProcessedRules::CheckThreads(const JsonPath& path) {
  const JsonView threads = checker_->Array(profile_, "threads", path);
  if (!threads.Exists()) return;
  const JsonPath threads_path = path / "threads";
  if (threads.size() == 0) return checker_->Fault(threads_path, "is empty");
  const SampleTimeScope times(profile_["meta"], profile_["meta"]);
  for (size_t i = 0; i < threads.size(); ++i) {
    const JsonPath thread_path = threads_path / i;
    const JsonView thread = threads.At(i);
    if (!thread.IsObject()) {
      checker_->Fault(thread_path, Concat("is ", thread.TypeName(), ", not object"));
      continue;
    }
    size_t strings = strings_, stacks = stacks_;
    if (version_ < ProcessedVersion::kSharedStrings) strings = CheckStrings(thread, thread_path);
    if (version_ < ProcessedVersion::kSharedTables) {
      ProcessedTableRules rules(version_, strings, profile_["libs"].size(), categories_, checker_);
      rules.Check(thread, sources_, thread_path);
      stacks = rules.stacks();
    }
    MarkerScope scope{strings, std::nullopt, &schemas_};
    if (categories_.has_value()) scope.categories = categories_->size();
    ProcessedThreadRules(version_, stacks, scope, times, checker_).Check(thread, thread_path);
  }
  CheckMainThreads(threads, threads_path);
  CheckThreadIds(threads, threads_path, checker_);
}

void ProcessedRules::CheckMainThreads(JsonView threads, const JsonPath& path) {
  for (size_t i = 0; i < threads.size(); ++i) {
    const JsonPath thread_path = path / i;
    size_t& count = main_threads_[TextOf(threads.At(i)["pid"])];
    pids_.insert(SystemPid(TextOf(threads.At(i)["pid"])));
    if (!threads.At(i)["isMainThread"].IsTrue()) continue;
    if (++count == 2) checker_->Fault(thread_path / "isMainThread", "is true of a second thread of the process");
  }
  for (size_t i = 0; i < threads.size(); ++i) {
    const std::string pid = TextOf(threads.At(i)["pid"]);
    size_t& count = main_threads_[pid];
    if (count > 0) continue;
    const JsonPath thread_path = path / i;
    checker_->Warning(thread_path / "isMainThread", Concat("is true of no thread of process ", pid));
    count = 1;  // once a process
  }
}

void ProcessedRules::CheckOwner(JsonView owned, const JsonPath& path) {
  const auto pid = checker_->String(owned, "pid", path);
  const JsonView threads = profile_["threads"];
  const auto thread =
      checker_->Index(owned["mainThreadIndex"], threads.size(), path / "mainThreadIndex", "thread", Need::kRequired);
  if (pid.has_value() && thread.has_value() && threads.At(*thread)["pid"].AsString() != *pid) {
    checker_->Fault(path / "mainThreadIndex", Concat("thread ", *thread, " is not of process ", *pid));
  }
}

void ProcessedRules::CheckCounters(const JsonPath& path) {
  const JsonView counters = checker_->Array(profile_, "counters", path, Need::kOptional);
  const JsonPath counters_path = path / "counters";
  for (size_t i = 0; i < counters.size(); ++i) {
    const JsonView counter = counters.At(i);
    const JsonPath counter_path = counters_path / i, samples_path = counter_path / "samples";
    ValueChecker lenient = checker_->Lenient();
    for (const char* key : {"category", "description"}) lenient.String(counter, key, counter_path);
    // Later versions have a label.
    (version_ >= ProcessedVersion::kCounterDisplay ? lenient : *checker_).String(counter, "name", counter_path);
    CheckOwner(counter, counter_path);
    const size_t rows = CheckColumns(counter, "samples", {"count"}, counter_path, checker_);
    const JsonView samples = counter["samples"];
    if (samples.IsObject()) CheckTimeColumn(samples, rows, samples_path, checker_);
    const JsonPath counts_path = samples_path / "count", numbers_path = samples_path / "number";
    const JsonView counts = samples["count"], numbers = samples["number"];
    for (size_t row = 0; row < rows; ++row) {
      if (!counts.At(row).IsNumber()) checker_->Fault(counts_path / row, "is no number");
      checker_->NotNegative(numbers.At(row), numbers_path / row, "number", Need::kOptional);
    }
    if (version_ >= ProcessedVersion::kCounterDisplay) CheckDisplay(counter, version_, counter_path, checker_);
  }
}

void ProcessedRules::CheckOverhead(const JsonPath& path) {
  const JsonView list = checker_->Array(profile_, "profilerOverhead", path, Need::kOptional);
  const JsonPath list_path = path / "profilerOverhead";
  for (size_t i = 0; i < list.size(); ++i) CheckOwner(list.At(i), list_path / i);
}

}  // namespace geckoprof
