#include <algorithm>
#include <bitset>
#include <cctype>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "tools/check/gecko_rules.h"
#include "tools/check/marker_rules.h"
#include "tools/check/meta_rules.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

void CheckSchema(JsonView schema, const JsonPath& path, ValueChecker* checker) {
  if (schema.size() > GeckoTable::kMaxColumns) return checker->Fault(path, "has too many columns");
  std::bitset<GeckoTable::kMaxColumns> taken;
  schema.ForEachMember([&](std::string_view name, JsonView position) {
    const auto column =
        checker->Index(position, GeckoTable::kMaxColumns, path / name, "column", ValueChecker::Need::kRequired);
    if (!column.has_value()) return;
    if (*column >= schema.size()) checker->Warning(path / name, Concat("column ", *column, " leaves out a column"));
    if (taken[*column]) checker->Fault(path / name, Concat("column ", *column, " is taken by another name"));
    taken[*column] = true;
  });
}

}  // namespace

GeckoTable CheckGeckoTable(JsonView owner, std::string_view key, std::initializer_list<std::string_view> columns,
                           const JsonPath& path, ValueChecker* checker, ValueChecker::Need need) {
  const JsonPath table_path = path / key;
  const JsonView value = checker->Object(owner, key, path, need);
  if (!value.Exists()) return GeckoTable();
  const GeckoTable table(value);
  checker->Object(value, "schema", table_path);
  checker->Array(value, "data", table_path);
  if (!table.IsTable()) return GeckoTable();
  const JsonPath schema_path = table_path / "schema", data_path = table_path / "data";
  for (const std::string_view column : columns) {
    if (!table.schema()[column].Exists()) checker->Fault(schema_path / column, "is missing");
  }
  CheckSchema(table.schema(), schema_path, checker);  // last: a column that is missing puts others out of range
  const size_t width = table.schema().size();
  for (size_t i = 0; i < table.rows(); ++i) {
    const JsonView row = table.Row(i);
    if (!row.IsArray()) {
      checker->Fault(data_path / i, Concat("is ", row.TypeName(), ", not array"));
    } else if (row.size() > width) {
      checker->Warning(data_path / i, Concat("has ", row.size(), " cells, the schema ", width, " columns"));
    }
  }
  return table;
}

namespace {

using Need = ValueChecker::Need;

// A column's cell in a row, and its place.
struct Cell {
  Cell(JsonView row, const std::optional<size_t>& column, const JsonPath& row_path)
      : value(GeckoTable::Cell(row, column)), path(row_path / column.value_or(0)) {}
  JsonView value;
  JsonPath path;
};

bool IsHexAddress(std::string_view location) {
  return location.size() > 2 && location.size() <= 18 &&
         std::all_of(location.begin() + 2, location.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
}

}  // namespace

void GeckoThreadRules::Check(JsonView thread, const JsonPath& path) {
  const auto name = checker_->String(thread, "name", path);
  // In a process, a thread may end before its name was read; the tools put in a word instead.
  if (name.has_value() && name->empty()) checker_->Warning(path / "name", "is empty");
  ValueChecker lenient = checker_->Lenient();
  lenient.String(thread, "processType", path);
  lenient.String(thread, "processName", path, Need::kOptional);
  CheckThreadLife(thread, path, checker_);
  if (!thread["pid"].IsNumber() && !thread["pid"].IsString()) {
    checker_->Fault(path / "pid", thread["pid"].Exists() ? "is neither number nor string" : "is missing");
  }
  lenient.Whole(thread["tid"], path / "tid", "id", Need::kRequired);
  CheckStrings(thread, path);
  const GeckoTable frames = CheckGeckoTable(
      thread, "frameTable", {"location", "relevantForJS", "innerWindowID", "line", "column", "category", "subcategory"},
      path, checker_);
  const GeckoTable stacks = CheckGeckoTable(thread, "stackTable", {"prefix", "frame"}, path, checker_);
  CheckEventDelay(thread, path);
  const GeckoTable samples = CheckGeckoTable(thread, "samples", {"stack", "time"}, path, checker_);
  const GeckoTable markers =
      CheckGeckoTable(thread, "markers", {"name", "startTime", "endTime", "phase", "category", "data"}, path, checker_);
  frames_ = frames.rows();
  stacks_ = stacks.rows();
  CheckFrames(frames, path / "frameTable");
  CheckStacks(stacks, path / "stackTable");
  CheckSamples(samples, thread, path / "samples");
  CheckMarkers(markers, path / "markers");
}

void GeckoThreadRules::CheckStrings(JsonView thread, const JsonPath& path) {
  strings_ = checker_->Array(thread, "stringTable", path);
  const JsonPath table_path = path / "stringTable";
  absl::flat_hash_set<std::string> seen;
  for (size_t i = 0; i < strings_.size(); ++i) {
    if (!strings_.At(i).IsString()) {
      checker_->Fault(table_path / i, Concat("is ", strings_.At(i).TypeName(), ", not string"));
    } else if (!seen.insert(std::string(strings_.At(i).AsString())).second) {
      checker_->Warning(table_path / i, "is in the table for the second time");
    }
  }
}

void GeckoThreadRules::CheckFrames(const GeckoTable& table, const JsonPath& path) {
  const auto location = table.Column("location"), js = table.Column("relevantForJS"), line = table.Column("line"),
             column = table.Column("column"), category = table.Column("category"),
             subcategory = table.Column("subcategory");
  const JsonPath data_path = path / "data";
  ValueChecker lenient = checker_->Lenient();
  for (size_t i = 0; i < table.rows(); ++i) {
    const JsonView row = table.Row(i);
    const JsonPath row_path = data_path / i;
    const Cell name(row, location, row_path);
    const auto string = checker_->Index(name.value, strings_.size(), name.path, "string", Need::kRequired);
    if (string.has_value()) {
      const std::string_view text = strings_.At(*string).AsString();
      if (text.starts_with("0x") && !IsHexAddress(text)) {
        checker_->Warning(name.path, Concat("\"", text, "\" is no address"));
      }
    }
    const Cell flag(row, js, row_path);
    if (!flag.value.IsNull() && !flag.value.IsBool()) checker_->Warning(flag.path, "relevantForJS is no boolean");
    for (const auto& position : {line, column}) {
      const Cell cell(row, position, row_path);
      lenient.Whole(cell.value, cell.path, "position", Need::kOptional);
    }
    if (!categories_.has_value()) continue;
    const Cell first(row, category, row_path), second(row, subcategory, row_path);
    CheckCategoryPair(first.value, first.path, second.value, second.path, *categories_, checker_);
  }
}

void GeckoThreadRules::CheckStacks(const GeckoTable& table, const JsonPath& path) {
  const auto prefix = table.Column("prefix"), frame = table.Column("frame");
  const JsonPath data_path = path / "data";
  absl::flat_hash_set<std::pair<int64_t, int64_t>> seen;
  for (size_t i = 0; i < table.rows(); ++i) {
    const JsonPath row_path = data_path / i;
    const Cell caller(table.Row(i), prefix, row_path), own(table.Row(i), frame, row_path);
    const auto index = checker_->Index(caller.value, stacks_, caller.path, "stack", Need::kOptional);
    if (index.has_value() && *index >= i) {
      checker_->Fault(caller.path, Concat("prefix ", *index, " is not an earlier row"));
    }
    checker_->Index(own.value, frames_, own.path, "frame", Need::kRequired);
    if (!seen.insert({caller.value.AsInteger().value_or(-1), own.value.AsInteger().value_or(-1)}).second) {
      checker_->Warning(row_path, "is in the table for the second time");
    }
  }
}

// The old name satisfies the viewer as well.
void GeckoThreadRules::CheckEventDelay(JsonView thread, const JsonPath& path) {
  const JsonView schema = thread["samples"]["schema"];
  const JsonPath samples_path = path / "samples", schema_path = samples_path / "schema";
  if (schema.IsObject() && !schema["eventDelay"].Exists() && !schema["responsiveness"].Exists()) {
    checker_->Fault(schema_path / "eventDelay", "is missing");
  }
}

void GeckoThreadRules::CheckSamples(const GeckoTable& table, JsonView thread, const JsonPath& path) {
  const auto stack = table.Column("stack"), time = table.Column("time"), cpu = table.Column("threadCPUDelta");
  auto delay = table.Column("eventDelay");
  const JsonPath data_path = path / "data";
  if (!delay.has_value()) delay = table.Column("responsiveness");
  TimeOrder order;
  SampleTimeRules times(sample_times_, thread, checker_);
  for (size_t i = 0; i < table.rows(); ++i) {
    const JsonView row = table.Row(i);
    const JsonPath row_path = data_path / i;
    const Cell leaf(row, stack, row_path), when(row, time, row_path), wait(row, delay, row_path),
        used(row, cpu, row_path);
    checker_->Index(leaf.value, stacks_, leaf.path, "stack", Need::kOptional);
    const auto time_ms = checker_->NotNegative(when.value, when.path, "time", Need::kRequired);
    if (time_ms.has_value()) order.Check(*time_ms, when.path, checker_);
    // Firefox takes the delay from two clocks and now and then comes out a few µs below zero.
    checker_->NotNegative(wait.value, wait.path, "eventDelay", Need::kOptional);
    CheckCpuDelta(used.value, used.path, checker_);
    if (time_ms.has_value()) times.Check(*time_ms, used.value, when.path, used.path);
  }
}

void GeckoThreadRules::CheckMarkers(const GeckoTable& table, const JsonPath& path) {
  const auto name = table.Column("name"), start = table.Column("startTime"), end = table.Column("endTime"),
             phase = table.Column("phase"), category = table.Column("category"), data = table.Column("data");
  const JsonPath data_path = path / "data";
  MarkerScope scope{strings_.size(), std::nullopt, &schemas_};
  if (categories_.has_value()) scope.categories = categories_->size();
  for (size_t i = 0; i < table.rows(); ++i) {
    const JsonView row = table.Row(i);
    const JsonPath row_path = data_path / i;
    const Cell a(row, name, row_path), b(row, start, row_path), c(row, end, row_path), d(row, phase, row_path),
        e(row, category, row_path), f(row, data, row_path);
    CheckMarker({a.value, b.value, c.value, d.value, e.value, f.value, a.path, b.path, c.path, d.path, e.path, f.path},
                scope, checker_);
    const JsonView stack = f.value["stack"];
    if (!stack.IsNull()) CheckMarkerStack(stack, f.path / "stack");
  }
}

// A thread in miniature with one sample, whose stack is a row of the enclosing thread's table. The viewer takes what
// has no samples for a field like others.
void GeckoThreadRules::CheckMarkerStack(JsonView stack, const JsonPath& path) {
  const JsonView samples = stack["samples"];
  if (!stack.IsObject() || samples.IsNull()) return checker_->Warning(path, "is no stack, it has no samples");
  const GeckoTable table = CheckGeckoTable(stack, "samples", {"stack", "time"}, path, checker_);
  const auto leaf = table.Column("stack"), time = table.Column("time");
  const JsonPath samples_path = path / "samples", data_path = samples_path / "data";
  if (table.IsTable() && table.rows() != 1) checker_->Warning(data_path, Concat("has ", table.rows(), " rows, not 1"));
  if (table.rows() == 0) return;
  const JsonPath row_path = data_path / 0;  // the viewer takes the first
  const Cell index(table.Row(0), leaf, row_path), when(table.Row(0), time, row_path);
  checker_->Index(index.value, stacks_, index.path, "stack", Need::kOptional);
  checker_->Lenient().NotNegative(when.value, when.path, "time", Need::kRequired);
}

}  // namespace geckoprof
