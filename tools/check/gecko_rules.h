#ifndef GECKOPROF_TOOLS_CHECK_GECKO_RULES_H_
#define GECKOPROF_TOOLS_CHECK_GECKO_RULES_H_

#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tools/check/marker_schemas.h"
#include "tools/check/meta_rules.h"
#include "tools/check/value_checker.h"

namespace geckoprof {

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
