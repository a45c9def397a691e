#include "tools/check/gecko_rules.h"

#include <utility>

#include "geckoprof/base/thread_name.h"
#include "geckoprof/gecko_json/format_versions.h"
#include "tools/check/meta_rules.h"
#include "tools/check/thread_rules.h"
#include "tools/profile/model_builder.h"
#include "tools/profile/profile_model.h"
#include "tools/profile/system_pid.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

using Need = ValueChecker::Need;

}  // namespace

void GeckoRules::Check(JsonView profile) {
  const JsonPath path;
  if (!profile.IsObject()) return checker_->Fault(path, Concat("is ", profile.TypeName(), ", not object"));
  const JsonView meta = checker_->Object(profile, "meta", path);
  if (!meta.Exists()) return;
  const JsonPath meta_path = path / "meta";
  file_meta_ = meta;
  CheckVersion(meta, meta_path);
  const JsonView categories = checker_->Array(meta, "categories", meta_path, Need::kOptional);
  if (categories.Exists()) {
    categories_ = CheckCategories(categories, meta_path / "categories", checker_);
  } else {
    checker_->Warning(meta_path / "categories", "is missing: the viewer puts in a list of its own");
  }
  AddSchemas(profile, path);
  const JsonView processes = checker_->Array(profile, "processes", path);
  const JsonPath processes_path = path / "processes";
  // All types first: the viewer merges the lists of all processes before it looks a marker up.
  for (size_t i = 0; i < processes.size(); ++i) AddSchemas(processes.At(i), processes_path / i);
  CheckProcess(profile, /*is_subprocess=*/false, path);
  CheckSubprocesses(profile, path);
  if (threads_ == 0) checker_->Fault(path / "threads", "is empty, and so are those of the subprocesses");
}

void GeckoRules::CheckVersion(JsonView meta, const JsonPath& path) {
  if (!checker_->Number(meta, "version", path).has_value()) return;
  const std::optional<int64_t> version = meta["version"].AsInteger();
  if (!version.has_value() || *version < 1 || *version > GeckoVersion::kNewest) {
    checker_->Fault(path / "version", Concat(meta["version"].NumberOr(0), " is no known Gecko format version (1..",
                                             GeckoVersion::kNewest, ")"));
  }
  version_ = version.value_or(0);
}

void GeckoRules::AddSchemas(JsonView profile, const JsonPath& path) {
  const JsonPath meta_path = path / "meta";
  const JsonView list = checker_->Array(profile["meta"], "markerSchema", meta_path);
  schemas_.Add(list, "data", meta_path / "markerSchema", checker_);
}

void GeckoRules::CheckProcess(JsonView profile, bool is_subprocess, const JsonPath& path) {
  pids_.insert(SystemPid(ProcessedPidOfGecko(TextOf(profile["threads"].At(0)["pid"]))));
  CheckMeta(profile["meta"], is_subprocess, path / "meta", checker_);
  CheckGeckoLibraries(checker_->Array(profile, "libs", path), path / "libs", checker_);
  CheckThreads(profile, path);
  CheckCounters(profile, path);
  CheckOverhead(profile, path);
  CheckRest(profile, path);
}

void GeckoRules::CheckSubprocesses(JsonView profile, const JsonPath& path) {
  const JsonView processes = profile["processes"];
  const JsonPath processes_path = path / "processes";
  for (size_t i = 0; i < processes.size(); ++i) {
    const JsonPath child_path = processes_path / i, meta_path = child_path / "meta";
    const JsonView child = processes.At(i);
    const JsonView meta = checker_->Object(child, "meta", child_path);
    if (!meta.Exists()) continue;
    const auto version = checker_->Number(meta, "version", meta_path, Need::kOptional);
    if (version.has_value() && *version != static_cast<double>(version_)) {
      checker_->Fault(meta_path / "version", Concat(*version, " is not the parent's (", version_, ")"));
    }
    const JsonView categories = checker_->Array(meta, "categories", meta_path, Need::kOptional);
    if (categories.Exists()) {
      CheckSameCategories(categories, profile["meta"]["categories"], meta_path / "categories", checker_);
    }
    if (child["processes"].size() > 0) {
      checker_->Fault(child_path / "processes", "a subprocess has subprocesses: the viewer looks one level deep");
    }
    CheckProcess(child, /*is_subprocess=*/true, child_path);
  }
}

void GeckoRules::CheckThreads(JsonView profile, const JsonPath& path) {
  const JsonView threads = checker_->Array(profile, "threads", path);
  if (!threads.Exists()) return;
  const JsonPath threads_path = path / "threads";
  if (threads.size() == 0) return checker_->Warning(threads_path, "is empty");
  const SampleTimeScope times(file_meta_, profile["meta"]);
  for (size_t i = 0; i < threads.size(); ++i) {
    ++threads_;
    const JsonPath thread_path = threads_path / i;
    if (!threads.At(i).IsObject()) {
      checker_->Fault(thread_path, Concat("is ", threads.At(i).TypeName(), ", not object"));
      continue;
    }
    GeckoThreadRules(categories_, schemas_, times, checker_).Check(threads.At(i), thread_path);
  }
  CheckMainThread(profile, threads_path);
  CheckPids(threads, threads_path);
  CheckThreadIds(threads, threads_path, checker_);
}

// That name alone makes a thread the main one. Without it the process loses its counters. Of two the viewer shows the
// last one.
void GeckoRules::CheckMainThread(JsonView profile, const JsonPath& path) {
  const JsonView threads = profile["threads"];
  bool found = false;
  for (size_t i = 0; i < threads.size(); ++i) {
    if (threads.At(i)["name"].AsString() != kMainThreadName) continue;
    const JsonPath thread_path = path / i;
    if (found) checker_->Fault(thread_path / "name", "a second thread of the process is named \"GeckoMain\"");
    found = true;
  }
  if (found) return;
  const bool loses_data = profile["counters"].size() > 0 || profile["profilerOverhead"].IsObject();
  ValueChecker lenient = checker_->Lenient();
  (loses_data ? *checker_ : lenient).Fault(path, "no thread is named \"GeckoMain\"");
}

// One pid a process: the viewer keys its tracks by it.
void GeckoRules::CheckPids(JsonView threads, const JsonPath& path) {
  const auto first = threads.At(0)["pid"].AsInteger();
  for (size_t i = 1; i < threads.size(); ++i) {
    const auto pid = threads.At(i)["pid"].AsInteger();
    const JsonPath thread_path = path / i;
    if (first.has_value() && pid.has_value() && *pid != *first) {
      checker_->Fault(thread_path / "pid",
                      Concat(*pid, " differs from that of the process's first thread (", *first, ")"));
    }
  }
  if (!first.has_value()) return;
  const auto [entry, added] = process_of_pid_.try_emplace(*first, path.ToString());
  const JsonPath thread_path = path / 0;
  if (!added) checker_->Fault(thread_path / "pid", Concat(*first, " is the pid of ", entry->second, ", too"));
}

void GeckoRules::CheckCounters(JsonView profile, const JsonPath& path) {
  const JsonView counters = checker_->Array(profile, "counters", path, Need::kOptional);
  const JsonPath counters_path = path / "counters";
  for (size_t i = 0; i < counters.size(); ++i) {
    const JsonPath counter_path = counters_path / i, samples_path = counter_path / "samples",
                   data_path = samples_path / "data";
    const JsonView counter = counters.At(i);
    checker_->String(counter, "name", counter_path);
    ValueChecker lenient = checker_->Lenient();
    for (const char* key : {"category", "description"}) lenient.String(counter, key, counter_path);
    if (version_ < GeckoVersion::kFlatCounters) continue;
    const GeckoTable table = CheckGeckoTable(counter, "samples", {"time", "count"}, counter_path, checker_);
    const auto time = table.Column("time"), count = table.Column("count"), number = table.Column("number");
    TimeOrder order;
    for (size_t row = 0; row < table.rows(); ++row) {
      const JsonPath row_path = data_path / row;
      const JsonPath time_path = row_path / time.value_or(0);
      const auto time_ms =
          checker_->NotNegative(GeckoTable::Cell(table.Row(row), time), time_path, "time", Need::kRequired);
      if (time_ms.has_value()) order.Check(*time_ms, time_path, checker_);
      if (!GeckoTable::Cell(table.Row(row), count).IsNumber()) {
        checker_->Fault(row_path / count.value_or(0), "count is no number");
      }
      const JsonPath number_path = row_path / number.value_or(0);
      checker_->NotNegative(GeckoTable::Cell(table.Row(row), number), number_path, "number", Need::kOptional);
    }
  }
}

void GeckoRules::CheckOverhead(JsonView profile, const JsonPath& path) {
  const JsonView overhead = checker_->Object(profile, "profilerOverhead", path, Need::kOptional);
  if (!overhead.Exists()) return;
  const JsonPath overhead_path = path / "profilerOverhead", samples_path = overhead_path / "samples",
                 data_path = samples_path / "data";
  const GeckoTable table = CheckGeckoTable(overhead, "samples", {"time"}, overhead_path, checker_);
  const auto time = table.Column("time");
  double last = 0;
  for (size_t row = 0; row < table.rows(); ++row) {
    const JsonPath row_path = data_path / row;
    const JsonPath time_path = row_path / time.value_or(0);
    const auto number =
        checker_->NotNegative(GeckoTable::Cell(table.Row(row), time), time_path, "time", Need::kRequired);
    if (!number.has_value()) continue;
    // Firefox writes its first rows in µs and the others in ms, so its times step back once: no fault of the reader's
    // data.
    if (*number < last) checker_->Warning(time_path, Concat(*number, " is earlier than the row before (", last, ")"));
    last = *number;
  }
}

void GeckoRules::CheckRest(JsonView profile, const JsonPath& path) {
  CheckPausedRanges(checker_->Array(profile, "pausedRanges", path, Need::kOptional), path / "pausedRanges", checker_);
  ValueChecker lenient = checker_->Lenient();
  lenient.Object(profile, "profilingLog", path, Need::kOptional);
  lenient.Object(profile, "profileGatheringLog", path, Need::kOptional);
  CheckGeckoTable(profile, "sources", {"id", "filename"}, path, &lenient, Need::kOptional);
  const JsonView pages = checker_->Array(profile, "pages", path, Need::kOptional);
  const JsonPath pages_path = path / "pages";
  for (size_t i = 0; i < pages.size(); ++i) {
    const JsonPath page_path = pages_path / i;
    checker_->Number(pages.At(i), "innerWindowID", page_path);
    checker_->String(pages.At(i), "url", page_path);
  }
}

}  // namespace geckoprof
