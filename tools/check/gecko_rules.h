#ifndef GECKOPROF_TOOLS_CHECK_GECKO_RULES_H_
#define GECKOPROF_TOOLS_CHECK_GECKO_RULES_H_

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tools/check/marker_schemas.h"
#include "tools/check/meta_rules.h"
#include "tools/check/thread_rules.h"
#include "tools/check/value_checker.h"
#include "tools/profile/gecko_table.h"

namespace geckoprof {

// Returns the member `key` as a table. Schema and data are there, the columns have different positions, and each of
// `columns` is among them. No row is longer than the schema. A member that is no table comes back empty.
GeckoTable CheckGeckoTable(JsonView owner, std::string_view key, std::initializer_list<std::string_view> columns,
                           const JsonPath& path, ValueChecker* checker,
                           ValueChecker::Need need = ValueChecker::Need::kRequired);

// GeckoThreadRules: the rules for one thread of a Gecko profile: its tables, samples and markers.
// Lifetime: an object checks one thread. Its arguments outlive it.
class GeckoThreadRules {
 public:
  GeckoThreadRules(const std::optional<CategorySizes>& categories, const MarkerSchemas& schemas,
                   const SampleTimeScope& sample_times, ValueChecker* checker)
      : categories_(categories), schemas_(schemas), sample_times_(sample_times), checker_(checker) {}

  void Check(JsonView thread, const JsonPath& path);

 private:
  void CheckStrings(JsonView thread, const JsonPath& path);
  void CheckFrames(const GeckoTable& table, const JsonPath& path);
  void CheckStacks(const GeckoTable& table, const JsonPath& path);
  void CheckEventDelay(JsonView thread, const JsonPath& path);
  void CheckSamples(const GeckoTable& table, JsonView thread, const JsonPath& path);
  void CheckMarkers(const GeckoTable& table, const JsonPath& path);
  void CheckMarkerStack(JsonView stack, const JsonPath& path);

  const std::optional<CategorySizes>& categories_;
  const MarkerSchemas& schemas_;
  const SampleTimeScope& sample_times_;
  ValueChecker* checker_;
  JsonView strings_;
  size_t frames_ = 0;
  size_t stacks_ = 0;
};

// GeckoRules: the rules for a profile of the Gecko format. Subprocesses are whole profiles, one level below. Content
// that the viewer refuses or shows wrongly is a fault, and other odd content is a warning. Lifetime:  an object checks
// one file.
class GeckoRules {
 public:
  explicit GeckoRules(ValueChecker* checker) : checker_(checker) {}

  void Check(JsonView profile);
  size_t threads() const { return threads_; }
  size_t processes() const { return pids_.size(); }  // of the system

 private:
  void CheckVersion(JsonView meta, const JsonPath& path);
  void AddSchemas(JsonView profile, const JsonPath& path);
  void CheckProcess(JsonView profile, bool is_subprocess, const JsonPath& path);
  void CheckThreads(JsonView profile, const JsonPath& path);
  void CheckMainThread(JsonView profile, const JsonPath& path);
  void CheckPids(JsonView threads, const JsonPath& path);
  void CheckCounters(JsonView profile, const JsonPath& path);
  void CheckOverhead(JsonView profile, const JsonPath& path);
  void CheckRest(JsonView profile, const JsonPath& path);
  void CheckSubprocesses(JsonView profile, const JsonPath& path);

  ValueChecker* checker_;
  std::optional<CategorySizes> categories_;  // empty: the file has no list
  MarkerSchemas schemas_;
  absl::flat_hash_map<int64_t, std::string> process_of_pid_;  // pid -> JSON path of its threads
  int64_t version_ = 0;
  size_t threads_ = 0;
  absl::flat_hash_set<std::string> pids_;
  JsonView file_meta_;  // has the units, also for subprocesses
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_GECKO_RULES_H_
