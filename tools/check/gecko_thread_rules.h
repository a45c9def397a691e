#ifndef GECKOPROF_TOOLS_CHECK_GECKO_THREAD_RULES_H_
#define GECKOPROF_TOOLS_CHECK_GECKO_THREAD_RULES_H_

#include <cstddef>
#include <initializer_list>
#include <string_view>

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
// Lifetime:  an object checks one thread; what it is given outlives it.
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

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_GECKO_THREAD_RULES_H_
