#include "tools/check/meta_rules.h"

#include <algorithm>
#include <initializer_list>

#include "tools/text/concat.h"

namespace geckoprof {
namespace {

using Need = ValueChecker::Need;

void CheckUnit(JsonView units, const char* key, std::initializer_list<std::string_view> known, Need need,
               const JsonPath& path, ValueChecker* checker) {
  const auto unit = checker->String(units, key, path, need);
  if (unit.has_value() && std::find(known.begin(), known.end(), *unit) == known.end()) {
    checker->Fault(path / key, Concat("\"", *unit, "\" is no unit of the viewer"));
  }
}

// The viewer draws graphs by the interval, and dies of a unit of CPU time that it does not know.
void CheckFileMeta(JsonView meta, const JsonPath& path, ValueChecker* checker) {
  if (const auto interval = checker->Number(meta, "interval", path); interval.has_value() && *interval <= 0) {
    checker->Fault(path / "interval", Concat(*interval, " is not positive"));
  }
  const auto begin = checker->Number(meta, "profilingStartTime", path, Need::kOptional);
  const auto end = checker->Number(meta, "profilingEndTime", path, Need::kOptional);
  if (begin.has_value() && end.has_value() && *end < *begin) {
    checker->Fault(path / "profilingEndTime", Concat(*end, " is earlier than profilingStartTime (", *begin, ")"));
  }
  checker->Lenient().String(meta, "product", path, Need::kOptional);
  const JsonView units = checker->Object(meta, "sampleUnits", path, Need::kOptional);
  if (!units.Exists()) return;
  const JsonPath units_path = path / "sampleUnits";
  CheckUnit(units, "time", {"ms", "bytes"}, Need::kOptional, units_path, checker);
  CheckUnit(units, "threadCPUDelta", {"ns", "µs", "variable CPU cycles"}, Need::kRequired, units_path, checker);
  ValueChecker lenient = checker->Lenient();
  CheckUnit(units, "eventDelay", {"ms"}, Need::kOptional, units_path, &lenient);
}

}  // namespace

void CheckMeta(JsonView meta, bool is_subprocess, const JsonPath& path, ValueChecker* checker) {
  if (const auto start = checker->Number(meta, "startTime", path); start.has_value() && *start < 0) {
    checker->Warning(path / "startTime", Concat(*start, " is negative"));
  }
  if (!is_subprocess) CheckFileMeta(meta, path, checker);
}

void CheckPausedRanges(JsonView ranges, const JsonPath& path, ValueChecker* strict) {
  ValueChecker lenient = strict->Lenient();
  ValueChecker* const checker = &lenient;
  std::optional<double> last_start;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const JsonPath range_path = path / i;
    const JsonView range = ranges.At(i);
    if (!range.IsObject()) {
      checker->Fault(range_path, Concat("is ", range.TypeName(), ", not object"));
      continue;
    }
    checker->String(range, "reason", range_path);
    const auto start = checker->Number(range, "startTime", range_path, Need::kOptional);
    const auto end = checker->Number(range, "endTime", range_path, Need::kOptional);
    if (start.has_value() && end.has_value() && *end < *start) {
      checker->Fault(range_path / "endTime", Concat(*end, " is earlier than the start (", *start, ")"));
    }
    if (start.has_value() && last_start.has_value() && *start < *last_start) {
      checker->Fault(range_path / "startTime",
                     Concat(*start, " is earlier than that of the range before (", *last_start, ")"));
    }
    if (start.has_value()) last_start = start;
  }
}

void CheckThreadLife(JsonView thread, const JsonPath& path, ValueChecker* checker) {
  const auto begin = checker->Lenient().Number(thread, "registerTime", path);
  const auto end = checker->Number(thread, "unregisterTime", path, Need::kOptional);
  if (begin.has_value() && end.has_value() && *end < *begin) {
    checker->Fault(path / "unregisterTime", Concat(*end, " is earlier than registerTime (", *begin, ")"));
  }
}

}  // namespace geckoprof
