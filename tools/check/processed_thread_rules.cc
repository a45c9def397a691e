#include "geckoprof/gecko_json/format_versions.h"
#include "tools/check/meta_rules.h"
#include "tools/check/processed_rules.h"
#include "tools/check/processed_table_rules.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

using Need = ValueChecker::Need;

// Whether the first row only says that the next one's CPU time counts, since the viewer takes that of the first for
// time before the recording.
bool CountsNothing(JsonView table) {
  return table["stack"].At(0).IsNull() && table["weight"].At(0).AsNumber() == 0.0 &&
         table["threadCPUDelta"].At(0).AsNumber() == 0.0;
}

// Returns whether a row only says what the thread did for a time: a gap in its samples, or a short wait. It weighs 0.
bool HasOnlyState(JsonView table, size_t row) {
  const std::optional<int64_t> state = table["state"].At(row).AsInteger();
  const bool is_gap = state == 0 && table["threadCPUDelta"].At(row).AsNumber().value_or(0) > 0;
  return (is_gap || state.value_or(0) > 0) && table["stack"].At(row).IsNull() &&
         table["weight"].At(row).AsNumber() == 0.0;
}

}  // namespace

void CheckTimeColumn(JsonView table, size_t rows, const JsonPath& path, ValueChecker* checker) {
  const JsonView times = table["time"], deltas = table["timeDeltas"];
  if (!times.Exists() && deltas.Exists()) {
    const JsonView column = checker->Array(table, "timeDeltas", path);
    const JsonPath column_path = path / "timeDeltas";
    for (size_t i = 0; i < rows && column.Exists(); ++i) {
      // The sums are the times. The first one may be before the process's begin.
      const auto delta = checker->AnyNumber(column.At(i), column_path / i, Need::kRequired);
      if (i > 0 && delta.has_value() && *delta < 0) {
        checker->Fault(column_path / i, Concat("delta ", *delta, " is negative"));
      }
    }
    return;
  }
  const JsonView column = checker->Array(table, "time", path);
  const JsonPath column_path = path / "time";
  TimeOrder order;
  for (size_t i = 0; i < rows && column.Exists(); ++i) {
    const JsonPath time_path = column_path / i;
    const auto time_ms = checker->NotNegative(column.At(i), time_path, "time", Need::kRequired);
    if (time_ms.has_value()) order.Check(*time_ms, time_path, checker);
  }
}

void ProcessedThreadRules::Check(JsonView thread, const JsonPath& path) {
  CheckIds(thread, path);
  CheckThreadLife(thread, path, checker_);
  CheckPausedRanges(checker_->Lenient().Array(thread, "pausedRanges", path), path / "pausedRanges", checker_);
  CheckSamples(thread, path);
  CheckMarkers(thread, path);
  for (const char* key : {"nativeAllocations", "jsAllocations"}) {
    if (!thread[key].IsNull()) CheckAllocations(thread, key, path);
  }
}

void ProcessedThreadRules::CheckIds(JsonView thread, const JsonPath& path) {
  const auto name = checker_->String(thread, "name", path);
  if (name.has_value() && name->empty()) checker_->Warning(path / "name", "is empty");
  ValueChecker lenient = checker_->Lenient();
  lenient.String(thread, "processType", path);
  lenient.String(thread, "processName", path, Need::kOptional);
  const auto begin_ms = lenient.Number(thread, "processStartupTime", path);
  const auto end_ms = checker_->Number(thread, "processShutdownTime", path, Need::kOptional);
  if (begin_ms.has_value() && end_ms.has_value() && *end_ms < *begin_ms) {
    checker_->Warning(path / "processShutdownTime",
                      Concat(*end_ms, " is earlier than processStartupTime (", *begin_ms, ")"));
  }
  lenient.Bool(thread, "isMainThread", path);
  lenient.Bool(thread, "showMarkersInTimeline", path, Need::kOptional);
  if (version_ >= ProcessedVersion::kTextPids) {
    checker_->String(thread, "pid", path);
  } else {
    checker_->Number(thread, "pid", path);
  }
  if (!thread["tid"].IsNumber() && !thread["tid"].IsString()) {
    checker_->Warning(path / "tid", thread["tid"].Exists() ? "is neither number nor string" : "is missing");
  }
}

void ProcessedThreadRules::CheckSamples(JsonView thread, const JsonPath& path) {
  const size_t rows = CheckColumns(thread, "samples", {"stack"}, path, checker_);
  const JsonView table = thread["samples"];
  if (!table.IsObject()) return;
  const JsonPath table_path = path / "samples", stacks_path = table_path / "stack";
  const JsonView stacks = table["stack"];
  for (size_t i = 0; i < rows; ++i) checker_->Index(stacks.At(i), stacks_, stacks_path / i, "stack", Need::kOptional);
  CheckTimeColumn(table, rows, table_path, checker_);
  CheckWeights(table, rows, table_path);
  for (const char* key : {"threadCPUDelta", "eventDelay"}) {
    const JsonView column = checker_->Array(table, key, table_path, Need::kOptional);
    const JsonPath column_path = table_path / key;
    for (size_t i = 0; i < rows && column.Exists(); ++i) {
      if (std::string_view(key) == "threadCPUDelta") {
        CheckCpuDelta(column.At(i), column_path / i, checker_);
      } else {
        checker_->NotNegative(column.At(i), column_path / i, key, Need::kOptional);
      }
    }
  }
  CheckSampleTimes(thread, rows, table_path);
}

void ProcessedThreadRules::CheckSampleTimes(JsonView thread, size_t rows, const JsonPath& path) {
  const JsonView table = thread["samples"], times = table["time"], deltas = table["timeDeltas"],
                 cpu = table["threadCPUDelta"];
  const bool in_deltas = !times.Exists();
  const JsonPath times_path = path / (in_deltas ? "timeDeltas" : "time"), cpus_path = path / "threadCPUDelta";
  SampleTimeRules rules(sample_times_, thread, checker_);
  double sum_ms = 0;
  for (size_t i = 0; i < rows; ++i) {
    const auto number = (in_deltas ? deltas : times).At(i).AsNumber();
    if (!number.has_value()) continue;
    sum_ms += *number;
    if (i == 0 && CountsNothing(table)) continue;  // the next one is the first
    rules.Check(in_deltas ? sum_ms : *number, cpu.At(i), times_path / i, cpus_path / i);
  }
}

// Only bytes may be negative: memory that was given back.
void ProcessedThreadRules::CheckWeights(JsonView table, size_t rows, const JsonPath& path) {
  const auto type = checker_->String(table, "weightType", path);
  if (type.has_value() && *type != "samples" && *type != "tracing-ms" && *type != "bytes") {
    checker_->Fault(path / "weightType", Concat("\"", *type, "\" is no weight of the viewer"));
  }
  const JsonView weights = checker_->Array(table, "weight", path, Need::kOptional);
  const JsonPath weights_path = path / "weight";
  for (size_t i = 0; i < rows && weights.Exists(); ++i) {
    const std::optional<double> weight = weights.At(i).AsNumber();
    if (!weight.has_value()) {
      checker_->Fault(weights_path / i, Concat("is ", weights.At(i).TypeName(), ", not number"));
    } else if (*weight <= 0 && type != "bytes" && !(i == 0 && CountsNothing(table)) && !HasOnlyState(table, i)) {
      checker_->Warning(weights_path / i, Concat("weight ", *weight, " is not positive"));
    }
  }
}

void ProcessedThreadRules::CheckMarkers(JsonView thread, const JsonPath& path) {
  const size_t rows =
      CheckColumns(thread, "markers", {"name", "startTime", "endTime", "phase", "category", "data"}, path, checker_);
  const JsonView table = thread["markers"];
  const JsonPath table_path = path / "markers";
  const JsonPath names = table_path / "name", starts = table_path / "startTime", ends = table_path / "endTime",
                 phases = table_path / "phase", categories = table_path / "category", payloads = table_path / "data";
  const JsonView name = table["name"], start = table["startTime"], end = table["endTime"], phase = table["phase"],
                 category = table["category"], data_column = table["data"];
  for (size_t i = 0; i < rows; ++i) {
    const JsonPath a = names / i, b = starts / i, c = ends / i, d = phases / i, e = categories / i, f = payloads / i;
    const JsonView data = data_column.At(i);
    CheckMarker({name.At(i), start.At(i), end.At(i), phase.At(i), category.At(i), data, a, b, c, d, e, f}, scope_,
                checker_);
    const JsonView cause = data["cause"];
    if (cause.IsNull()) continue;
    const JsonPath cause_path = f / "cause";
    checker_->Index(cause["stack"], stacks_, cause_path / "stack", "stack", Need::kOptional);
    checker_->Lenient().NotNegative(cause["time"], cause_path / "time", "time", Need::kOptional);
  }
}

void ProcessedThreadRules::CheckAllocations(JsonView thread, const char* key, const JsonPath& path) {
  const size_t rows = CheckColumns(thread, key, {"stack", "weight"}, path, checker_);
  const JsonView table = thread[key];
  if (!table.IsObject()) return;
  const JsonPath table_path = path / key, stacks_path = table_path / "stack", weights_path = table_path / "weight";
  const JsonView stacks = table["stack"], weights = table["weight"];
  CheckTimeColumn(table, rows, table_path, checker_);
  for (size_t i = 0; i < rows; ++i) {
    checker_->Index(stacks.At(i), stacks_, stacks_path / i, "stack", Need::kOptional);
    if (!weights.At(i).IsNumber()) checker_->Fault(weights_path / i, "is no number");
  }
}

}  // namespace geckoprof
