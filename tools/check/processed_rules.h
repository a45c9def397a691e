#ifndef GECKOPROF_TOOLS_CHECK_PROCESSED_RULES_H_
#define GECKOPROF_TOOLS_CHECK_PROCESSED_RULES_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tools/check/marker_rules.h"
#include "tools/check/marker_schemas.h"
#include "tools/check/meta_rules.h"
#include "tools/check/thread_rules.h"
#include "tools/check/value_checker.h"

namespace geckoprof {

// ProcessedThreadRules: the rules for one thread of a processed profile, but for the tables that stacks are made of.
// Lifetime: an object checks one thread. Its arguments outlive it.
class ProcessedThreadRules {
 public:
  ProcessedThreadRules(int64_t version, size_t stacks, const MarkerScope& scope, const SampleTimeScope& sample_times,
                       ValueChecker* checker)
      : version_(version), stacks_(stacks), scope_(scope), sample_times_(sample_times), checker_(checker) {}

  void Check(JsonView thread, const JsonPath& path);

 private:
  void CheckIds(JsonView thread, const JsonPath& path);
  void CheckSamples(JsonView thread, const JsonPath& path);
  void CheckSampleTimes(JsonView thread, size_t rows, const JsonPath& path);
  void CheckWeights(JsonView table, size_t rows, const JsonPath& path);
  void CheckMarkers(JsonView thread, const JsonPath& path);
  void CheckAllocations(JsonView thread, const char* key, const JsonPath& path);

  const int64_t version_;
  const size_t stacks_;
  const MarkerScope& scope_;
  const SampleTimeScope& sample_times_;
  ValueChecker* checker_;
};

// The column `time` or `timeDeltas` of a table: there, numbers, in order.
void CheckTimeColumn(JsonView table, size_t rows, const JsonPath& path, ValueChecker* checker);

// ProcessedRules: the rules for a profile of the processed format, versions 46 to 70. Content that the viewer refuses
// or shows wrongly is a fault, and other odd content is a warning. Lifetime:  an object checks one file.
class ProcessedRules {
 public:
  ProcessedRules(JsonView profile, ValueChecker* checker) : profile_(profile), checker_(checker) {}

  void Check();
  size_t threads() const { return profile_["threads"].size(); }
  size_t processes() const { return pids_.size(); }  // of the system

 private:
  bool CheckVersion(JsonView meta, const JsonPath& path);
  void CheckThreadLists(JsonView meta, const JsonPath& path);
  void CheckExtra(JsonView meta, const JsonPath& path);
  size_t CheckStrings(JsonView owner, const JsonPath& path);
  void CheckThreads(const JsonPath& path);
  void CheckMainThreads(JsonView threads, const JsonPath& path);
  void CheckCounters(const JsonPath& path);
  void CheckOverhead(const JsonPath& path);
  // pid and mainThreadIndex of a counter or overhead.
  void CheckOwner(JsonView owned, const JsonPath& path);

  JsonView profile_;
  ValueChecker* checker_;
  int64_t version_ = 0;
  std::optional<CategorySizes> categories_;
  MarkerSchemas schemas_;
  size_t strings_ = 0, sources_ = 0, stacks_ = 0;
  absl::flat_hash_map<std::string, size_t> main_threads_;  // pid -> number of main threads
  absl::flat_hash_set<std::string> pids_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_PROCESSED_RULES_H_
