#ifndef GECKOPROF_TOOLS_CHECK_PROCESSED_THREAD_RULES_H_
#define GECKOPROF_TOOLS_CHECK_PROCESSED_THREAD_RULES_H_

#include <cstddef>

#include "tools/check/marker_rules.h"
#include "tools/check/thread_rules.h"
#include "tools/check/value_checker.h"

namespace geckoprof {

// ProcessedThreadRules: the rules for one thread of a processed profile, but for the tables that stacks are made of.
// Lifetime:  an object checks one thread; what it is given outlives it.
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

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_PROCESSED_THREAD_RULES_H_
