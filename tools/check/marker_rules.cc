#include "tools/check/marker_rules.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>

#include "tools/text/concat.h"

namespace geckoprof {
namespace {

using Need = ValueChecker::Need;

// The viewer has schemas of its own for these, which no file can replace.
constexpr std::string_view kViewerTypes[] = {"Network", "IPC", "Jank", "CompositorScreenshot"};
constexpr std::string_view kCollectorTypes[] = {"GCSlice", "GCMajor"};
// The viewer makes a table of allocations from these, and shows no fields.
constexpr std::string_view kAllocationTypes[] = {"Native allocation", "JS allocation"};

// The viewer does not look at the time that a phase does not use.
void CheckUnusedTime(JsonView time, const JsonPath& path, std::string_view what, ValueChecker* checker) {
  if (!time.IsNull() && time.NumberOr(-1) != 0) checker->Warning(path, what);
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
    checker->Warning(marker.end_path, "an instant has an end");
  }
  if (*phase == 1 && start.has_value() && end.has_value() && *end < *start) {
    checker->Fault(marker.end_path, Concat("end ", *end, " is earlier than the start (", *start, ")"));
  }
}

void CheckTable(JsonView value, const MarkerFieldRule& rule, size_t strings, const JsonPath& path,
                ValueChecker* checker);

// The viewer shows the lowest 32 bits.
void CheckHexadecimal(JsonView value, const JsonPath& path, ValueChecker* checker) {
  CheckNumberValue(value, path, checker);
  const std::optional<double> number = value.AsNumber();
  if (!number.has_value() || (*number >= 0 && *number < 0x1p32 && *number == std::floor(*number))) return;
  checker->Fault(path, Concat(*number, " has no 32 bits, which is all that the viewer shows of a hexadecimal number"));
}

// What is not printed as a text is an object, which is none for the viewer either unless it is hidden.
void CheckText(JsonView value, bool is_hidden, const JsonPath& path, ValueChecker* checker) {
  if (value.IsString() || value.IsBool()) return;  // a boolean has no format of its own
  const std::string what = Concat("is ", value.TypeName(), ", but the format wants string");
  value.IsObject() && !is_hidden ? checker->Fault(path, what) : checker->Warning(path, what);
}

void CheckField(JsonView value, const MarkerFieldRule& rule, size_t strings, const JsonPath& path,
                ValueChecker* checker) {
  if (value.IsNull()) return;
  switch (rule.format) {
    case MarkerFormat::kString:
      return CheckText(value, rule.hidden, path, checker);
    case MarkerFormat::kStringIndex:
      checker->Index(value, strings, path, "string", Need::kRequired);
      return;
    case MarkerFormat::kNumber:
      return CheckNumberValue(value, path, checker);
    case MarkerFormat::kInteger:
      CheckNumberValue(value, path, checker);
      if (const double number = value.NumberOr(0); number != std::floor(number)) {
        checker->Warning(path, Concat(number, " is shown as a whole number"));
      }
      return;
    case MarkerFormat::kHexadecimal:
      return CheckHexadecimal(value, path, checker);
    case MarkerFormat::kId:
      if (value.IsNumber() || value.IsString()) return;
      return checker->Fault(path, Concat("is ", value.TypeName(), ", but the format wants number or string"));
    case MarkerFormat::kList:
      if (!value.IsArray()) {
        return checker->Fault(path, Concat("is ", value.TypeName(), ", but the format wants array"));
      }
      for (size_t i = 0; i < value.size(); ++i) {
        if (!value.At(i).IsNull()) CheckText(value.At(i), rule.hidden, path / i, checker);
      }
      return;
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

// The viewer looks into the payloads of a few types that it knows, and dies of what it does not find.
void CheckKnownPayload(std::string_view type, JsonView data, const JsonPath& path, ValueChecker* checker) {
  const JsonView timings = data["timings"];
  if (IsOneOf(kCollectorTypes, type) && !timings.IsObject()) {
    checker->Fault(path, Concat("a ", type, " without timings: the viewer looks into them"));
  } else if (type == "GCMajor" && timings["status"].AsString() != "completed" &&
             timings["status"].AsString() != "aborted") {
    checker->Fault(path / "timings" / "status", "is neither \"completed\" nor \"aborted\"");
  }
  if (type == "IPC") checker->Number(data, "startTime", path);
}

void CheckPayload(JsonView data, const MarkerScope& scope, const JsonPath& path, ValueChecker* checker) {
  if (data.IsNull()) return;
  if (!data.IsObject()) return checker->Fault(path, Concat("is ", data.TypeName(), ", not object"));
  const auto type = checker->Lenient().String(data, "type", path);
  if (!type.has_value()) return;
  if (IsOneOf(kAllocationTypes, *type)) return;
  CheckKnownPayload(*type, data, path, checker);
  const MarkerSchemas::Fields* const fields = scope.schemas->Find(*type);
  if (fields == nullptr) {
    // The viewer shows such a marker without its fields. Firefox writes some types without a schema.
    if (!IsOneOf(kViewerTypes, *type)) {
      checker->Warning(path / "type", Concat("\"", *type, "\" is no type of meta.markerSchema"));
    }
    return;
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
