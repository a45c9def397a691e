#ifndef GECKOPROF_TOOLS_CHECK_THREAD_RULES_H_
#define GECKOPROF_TOOLS_CHECK_THREAD_RULES_H_

#include <optional>

#include "tools/check/value_checker.h"

namespace geckoprof {

// SampleTimeScope has what `meta` says of all samples. The unit comes from the file's `meta`, and the end from that of
// the process.
struct SampleTimeScope {
  SampleTimeScope(JsonView file_meta, JsonView process_meta);

  bool has_cpu_unit = false;
  double cpu_unit_ms = 0;        // 0: no unit of time
  std::optional<double> end_ms;  // of the recording
};

// Checks a CPU time, which may be missing. The viewer draws a negative one as a large one.
void CheckCpuDelta(JsonView cpu_delta, const JsonPath& path, ValueChecker* checker);

// SampleTimeRules checks the samples of one thread against its life, the recording's end, and the time that a CPU can
// give between two rows. Writers read several clocks, one after another, so small differences do not count. The viewer
// shows a profile with larger ones, so they are warnings. CPU times without a unit are a fault, because the viewer
// cannot draw them.
// Lifetime: an object checks one thread, its rows in order.
class SampleTimeRules {
 public:
  SampleTimeRules(const SampleTimeScope& scope, JsonView thread, ValueChecker* checker);

  void Check(double time_ms, JsonView cpu_delta, const JsonPath& time_path, const JsonPath& cpu_path);

 private:
  void CheckLife(double time_ms, const JsonPath& path);
  void CheckCpu(double time_ms, double cpu_delta, const JsonPath& path);

  const SampleTimeScope& scope_;
  const std::optional<double> begin_ms_, end_ms_;  // of the thread
  ValueChecker* checker_;
  std::optional<double> last_ms_;
  bool unit_missed_ = false;
};

// Threads of one process (the same pid) that live at the same time have different tids. The system gives a tid again
// when its thread has ended. A thread without unregisterTime lives to the end.
void CheckThreadIds(JsonView threads, const JsonPath& path, ValueChecker* checker);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_THREAD_RULES_H_
