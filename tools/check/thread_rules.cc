#include "tools/check/thread_rules.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "tools/profile/model_builder.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// A sample may lie this far outside the life of its thread.
constexpr double kLifeToleranceMs = 10;

// A CPU time may exceed the time between two rows by half of it, and by one late reading of the clock.
constexpr double kCpuFactor = 1.5, kCpuToleranceMs = 0.05;

}  // namespace

SampleTimeScope::SampleTimeScope(JsonView file_meta, JsonView process_meta)
    : end_ms(process_meta["profilingEndTime"].AsNumber()) {
  const JsonView unit = file_meta["sampleUnits"]["threadCPUDelta"];
  has_cpu_unit = unit.Exists();
  if (unit.AsString() == "ns") cpu_unit_ms = 1e-6;
  if (unit.AsString() == "µs") cpu_unit_ms = 1e-3;
}

void CheckCpuDelta(JsonView cpu_delta, const JsonPath& path, ValueChecker* checker) {
  const auto number = checker->AnyNumber(cpu_delta, path, ValueChecker::Need::kOptional);
  if (number.has_value() && *number < 0) checker->Fault(path, Concat("threadCPUDelta ", *number, " is negative"));
}

SampleTimeRules::SampleTimeRules(const SampleTimeScope& scope, JsonView thread, ValueChecker* checker)
    : scope_(scope),
      begin_ms_(thread["registerTime"].AsNumber()),
      end_ms_(thread["unregisterTime"].AsNumber()),
      checker_(checker) {}

void SampleTimeRules::Check(double time_ms, JsonView cpu_delta, const JsonPath& time_path, const JsonPath& cpu_path) {
  CheckLife(time_ms, time_path);
  if (const std::optional<double> used = cpu_delta.AsNumber()) CheckCpu(time_ms, *used, cpu_path);
  last_ms_ = time_ms;
}

void SampleTimeRules::CheckLife(double time_ms, const JsonPath& path) {
  if (begin_ms_.has_value() && time_ms < *begin_ms_ - kLifeToleranceMs) {
    checker_->Warning(path, Concat("time ", time_ms, " is before the thread's registerTime (", *begin_ms_, ")"));
  } else if (end_ms_.has_value() && time_ms > *end_ms_ + kLifeToleranceMs) {
    checker_->Warning(path, Concat("time ", time_ms, " is after the thread's unregisterTime (", *end_ms_, ")"));
  } else if (scope_.end_ms.has_value() && time_ms > *scope_.end_ms + kLifeToleranceMs) {
    checker_->Warning(path, Concat("time ", time_ms, " is after profilingEndTime (", *scope_.end_ms, ")"));
  }
}

void SampleTimeRules::CheckCpu(double time_ms, double cpu_delta, const JsonPath& path) {
  if (!scope_.has_cpu_unit && !unit_missed_) {
    unit_missed_ = true;
    checker_->Fault(path, "has no unit: meta.sampleUnits.threadCPUDelta is missing");
  }
  if (!last_ms_.has_value() || scope_.cpu_unit_ms == 0) return;  // the first covers time before the recording
  const double interval_ms = time_ms - *last_ms_, used_ms = cpu_delta * scope_.cpu_unit_ms;
  if (interval_ms < 0 || used_ms <= kCpuFactor * interval_ms + kCpuToleranceMs) return;
  checker_->Warning(path, Concat("threadCPUDelta is ", used_ms, " ms, in ", interval_ms, " ms since the row before"));
}

namespace {

struct ThreadLife {
  std::string pid, tid;
  double begin_ms, end_ms;
  size_t thread;
};

}  // namespace

void CheckThreadIds(JsonView threads, const JsonPath& path, ValueChecker* checker) {
  std::vector<ThreadLife> lives;
  for (size_t i = 0; i < threads.size(); ++i) {
    const JsonView thread = threads.At(i);
    const std::string tid = TextOf(thread["tid"]);
    const auto begin_ms = thread["registerTime"].AsNumber();
    if (tid.empty() || !begin_ms.has_value()) continue;
    const double end_ms = thread["unregisterTime"].NumberOr(std::numeric_limits<double>::infinity());
    lives.push_back({TextOf(thread["pid"]), tid, *begin_ms, end_ms, i});
  }
  std::sort(lives.begin(), lives.end(), [](const ThreadLife& a, const ThreadLife& b) {
    return std::tie(a.pid, a.tid, a.begin_ms, a.thread) < std::tie(b.pid, b.tid, b.begin_ms, b.thread);
  });
  const ThreadLife* longest = nullptr;  // of those of the same ids so far
  for (const ThreadLife& life : lives) {
    const bool same = longest != nullptr && longest->pid == life.pid && longest->tid == life.tid;
    if (same && life.begin_ms < longest->end_ms) {
      const JsonPath thread_path = path / life.thread;
      checker->Warning(thread_path / "tid",
                       Concat(life.tid, " is that of thread ", longest->thread, ", too, which lives at the same time"));
    }
    if (!same || life.end_ms > longest->end_ms) longest = &life;
  }
}

}  // namespace geckoprof
