#include "tools/check/marker_rules.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "tools/profile/concat.h"

namespace geckoprof {
namespace {

using Need = ValueChecker::Need;

// The viewer has schemas of its own for these, which no file can replace.
constexpr std::string_view kViewerTypes[] = {"Network", "IPC", "Jank"};
constexpr std::string_view kCollectorTypes[] = {"GCSlice", "GCMajor"};
// Types that Firefox writes without a schema, from before there were schemas; the viewer knows them.
constexpr std::string_view kLegacyTypes[] = {"GCSlice", "GCMajor",           "CompositorScreenshot", "FileIO",
                                             "Log",     "Native allocation", "JS allocation"};

template <size_t n>
bool IsOneOf(const std::string_view (&words)[n], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

void CheckUnusedTime(JsonView time, const JsonPath& path, std::string_view what, ValueChecker* checker) {
  if (!time.IsNull() && time.NumberOr(-1) != 0) checker->Fault(path, what);
}

// A time before the process's begin is odd, but can be one's own: a parent's time stamp.
std::optional<double> MarkerTime(JsonView value, const JsonPath& path, ValueChecker* checker) {
  const std::optional<double> time = checker->AnyNumber(value, path, Need::kRequired);
  if (time.has_value() && *time < 0) checker->Warning(path, Concat("time ", *time, " is before the process's begin"));
  return time;
}

void CheckTimes(const MarkerToCheck& marker, ValueChecker* checker) {
  const auto phase = checker->Index(marker.phase, 4, marker.phase_path, "phase", Need::kRequired);
  if (!phase.has_value()) return;
  std::optional<double> start, end;
  if (*phase != 3) start = MarkerTime(marker.start, marker.start_path, checker);
  if (*phase == 1 || *phase == 3) end = MarkerTime(marker.end, marker.end_path, checker);
  if (*phase == 2) CheckUnusedTime(marker.end, marker.end_path, "an interval's start has an end", checker);
  if (*phase == 3) CheckUnusedTime(marker.start, marker.start_path, "an interval's end has a start", checker);
  // The viewer itself writes the end of an instant as null, Firefox as 0, and some importers as the start.
  if (*phase == 0 && !marker.end.IsNull() && marker.end.NumberOr(-1) != 0 && marker.end.NumberOr(-1) != start) {
    checker->Fault(marker.end_path, "an instant has an end");
  }
  if (*phase == 1 && start.has_value() && end.has_value() && *end < *start) {
    checker->Fault(marker.end_path, Concat("end ", *end, " is earlier than the start (", *start, ")"));
  }
}

void CheckTable(JsonView value, const MarkerFieldRule& rule, size_t strings, const JsonPath& path,
                ValueChecker* checker);

void CheckField(JsonView value, const MarkerFieldRule& rule, size_t strings, const JsonPath& path,
                ValueChecker* checker) {
  if (value.IsNull()) return;
  const auto expect = [&](bool fits, std::string_view type) {
    if (!fits) checker->Fault(path, Concat("is ", value.TypeName(), ", but the field's format wants ", type));
  };
  switch (rule.format) {
    case MarkerFormat::kString:
      // A boolean has no format of its own. Firefox gives some fields of format "string" a number, which the viewer
      // prints, and a hidden one an object (a minor GC's "nursery"), which it does not show.
      if (value.IsBool()) return;
      if (value.IsNumber() || (value.IsObject() && rule.hidden)) {
        return checker->Warning(path, Concat("is ", value.TypeName(), ", but the field's format wants string"));
      }
      return expect(value.IsString(), "string");
    case MarkerFormat::kStringIndex:
      checker->Index(value, strings, path, "string", Need::kRequired);
      return;
    case MarkerFormat::kNumber:
      return expect(value.IsNumber(), "number");
    case MarkerFormat::kInteger:
      if (value.IsNumber() && !value.AsInteger().has_value())
        return expect(value.NumberOr(0) >= 9.2e18, "whole number");
      return expect(value.IsNumber(), "number");
    case MarkerFormat::kId:
      return expect(value.IsNumber() || value.IsString(), "number or string");
    case MarkerFormat::kList:
      return expect(value.IsArray(), "array");
    case MarkerFormat::kTable:
      return CheckTable(value, rule, strings, path, checker);
  }
}

void CheckTable(JsonView value, const MarkerFieldRule& rule, size_t strings, const JsonPath& path,
                ValueChecker* checker) {
  if (!value.IsArray()) return checker->Fault(path, Concat("is ", value.TypeName(), ", not array"));
  for (size_t i = 0; i < value.size(); ++i) {
    const JsonView row = value.At(i);
    if (!row.IsArray() || row.size() != rule.columns.size()) {
      checker->Fault(path / i, Concat("is no row of ", rule.columns.size(), " columns"));
      continue;
    }
    for (size_t j = 0; j < row.size(); ++j) {
      if (rule.columns[j] == MarkerFormat::kString && row.At(j).IsNumber()) continue;  // printed as it is
      CheckField(row.At(j), {rule.columns[j], {}, rule.hidden}, strings, path / i / j, checker);
    }
  }
}

void CheckPayload(JsonView data, const MarkerScope& scope, const JsonPath& path, ValueChecker* checker) {
  if (data.IsNull()) return;
  if (!data.IsObject()) return checker->Fault(path, Concat("is ", data.TypeName(), ", not object"));
  const auto type = checker->String(data, "type", path);
  if (!type.has_value()) return;
  if (IsOneOf(kCollectorTypes, *type) && !data["timings"].IsObject()) {
    checker->Fault(path, Concat("a ", *type, " without timings: the viewer looks into them"));
  }
  const MarkerSchemas::Fields* const fields = scope.schemas->Find(*type);
  if (fields == nullptr) {
    if (IsOneOf(kViewerTypes, *type)) return;
    const std::string what = Concat("\"", *type, "\" is no type of meta.markerSchema");
    return IsOneOf(kLegacyTypes, *type) ? checker->Warning(path / "type", what) : checker->Fault(path / "type", what);
  }
  // By the payload's members, not the schema's fields: linear, whatever the two sizes are.
  data.ForEachMember([&](std::string_view key, JsonView value) {
    const auto rule = fields->find(std::string(key));
    if (rule != fields->end()) CheckField(value, rule->second, scope.strings, path / key, checker);
  });
}

}  // namespace

void CheckMarker(const MarkerToCheck& marker, const MarkerScope& scope, ValueChecker* checker) {
  checker->Index(marker.name, scope.strings, marker.name_path, "string", Need::kRequired);
  CheckTimes(marker, checker);
  if (scope.categories.has_value()) {
    checker->Index(marker.category, *scope.categories, marker.category_path, "category", Need::kRequired);
  }
  CheckPayload(marker.data, scope, marker.data_path, checker);
}

}  // namespace geckoprof
