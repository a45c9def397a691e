#include "tools/check/meta_rules.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
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

namespace {

// The last two are not documented by the viewer, but drawn by it, and written by Firefox.
constexpr std::string_view kColors[] = {"transparent", "purple",   "green", "orange",     "yellow",
                                        "lightblue",   "blue",     "brown", "magenta",    "red",
                                        "lightred",    "darkgrey", "grey",  "lightgreen", "darkgray"};

bool IsKnownColor(std::string_view color) {
  return std::find(std::begin(kColors), std::end(kColors), color) != std::end(kColors);
}

size_t CheckSubcategories(JsonView category, const JsonPath& path, ValueChecker* checker) {
  const JsonView subcategories = checker->Array(category, "subcategories", path);
  if (!subcategories.Exists()) return 0;
  const JsonPath list_path = path / "subcategories";
  if (subcategories.size() == 0) checker->Warning(list_path, "is empty: the first entry is \"Other\"");
  for (size_t i = 0; i < subcategories.size(); ++i) {
    if (!subcategories.At(i).IsString()) checker->Fault(list_path / i, "is no string");
  }
  const JsonView first = subcategories.At(0);
  // The viewer shows the first one as the category alone. Firefox's category Test has the one subcategory Test.
  if (first.IsString() && first.AsString() != "Other") {
    checker->Warning(list_path / 0, Concat("is \"", first.AsString(), "\", not \"Other\""));
  }
  return subcategories.size();
}

// Returns whether the numbers of both mean the same, as far as both have them.
bool SameCategory(JsonView a, JsonView b) {
  const JsonView own = a["subcategories"], other = b["subcategories"];
  if (a["name"].AsString() != b["name"].AsString()) return false;
  for (size_t i = 0; i < std::min(own.size(), other.size()); ++i) {
    if (own.At(i).AsString() != other.At(i).AsString()) return false;
  }
  return true;
}

}  // namespace

CategorySizes CheckCategories(JsonView categories, const JsonPath& path, ValueChecker* checker) {
  CategorySizes sizes;
  bool any_grey = false;
  for (size_t i = 0; i < categories.size(); ++i) {
    const JsonPath category_path = path / i;
    const JsonView category = categories.At(i);
    if (!category.IsObject()) {
      checker->Fault(category_path, Concat("is ", category.TypeName(), ", not object"));
      sizes.push_back(0);
      continue;
    }
    checker->String(category, "name", category_path);
    const auto color = checker->Lenient().String(category, "color", category_path);
    if (color.has_value() && !IsKnownColor(*color)) {
      checker->Warning(category_path / "color",
                       Concat("\"", *color, "\" is no colour of the viewer, which draws grey instead"));
    }
    any_grey = any_grey || color == "grey";
    sizes.push_back(CheckSubcategories(category, category_path, checker));
  }
  if (!any_grey) checker->Fault(path, "no category is \"grey\": the viewer takes the first grey one as default");
  return sizes;
}

void CheckCategoryPair(JsonView category, const JsonPath& category_path, JsonView subcategory,
                       const JsonPath& subcategory_path, const CategorySizes& sizes, ValueChecker* checker) {
  if (category.IsNull()) {
    if (!subcategory.IsNull()) checker->Warning(subcategory_path, "a subcategory without a category");
    return;
  }
  const auto row = checker->Index(category, sizes.size(), category_path, "category", Need::kRequired);
  if (subcategory.IsNull()) {
    checker->Warning(subcategory_path, "is null though the frame has a category: the viewer takes the first one");
  } else if (row.has_value()) {
    checker->Index(subcategory, sizes[*row], subcategory_path, "subcategory", Need::kRequired);
  }
}

void CheckSameCategories(JsonView own, JsonView parents, const JsonPath& path, ValueChecker* checker) {
  // Numbers that the parent's list does not have are faults of the frames and markers.
  if (own.size() != parents.size()) {
    checker->Warning(path, "differs in length from the parent's list, in which its numbers are looked up");
  }
  for (size_t i = 0; i < std::min(own.size(), parents.size()); ++i) {
    if (!SameCategory(own.At(i), parents.At(i))) {
      checker->Fault(path / i, "differs from the parent's list, in which its number is looked up");
    }
  }
}

namespace {

using Need = ValueChecker::Need;

// A JSON number of the viewer is a double: integers are exact up to here.
constexpr int64_t kMaxExact = int64_t{1} << 53;

// A GUID of 32 upper-case hex digits, then the age, "0" for ELF files.
void CheckBreakpadId(std::string_view id, const JsonPath& path, ValueChecker* checker) {
  if (id.empty()) return checker->Warning(path, "is empty: the library has no build id, so it has no symbols");
  const bool hex = std::all_of(id.begin(), id.end(),
                               [](unsigned char c) { return absl::ascii_isdigit(c) || (c >= 'A' && c <= 'F'); });
  if (!hex || id.size() < 33 || id.size() > 40) {
    checker->Warning(path, Concat("\"", id, "\" is no breakpad id (32 upper-case hex digits and an age)"));
  }
}

void CheckCodeId(std::string_view id, const JsonPath& path, ValueChecker* checker) {
  const bool hex = std::all_of(id.begin(), id.end(), [](unsigned char c) { return absl::ascii_isxdigit(c) != 0; });
  if (!hex || id.size() % 2 != 0) checker->Warning(path, Concat("\"", id, "\" is no build id in hex"));
}

// The viewer shows the name. It needs the rest for symbols alone.
void CheckNames(JsonView lib, const JsonPath& path, ValueChecker* checker) {
  checker->String(lib, "name", path);
  ValueChecker lenient = checker->Lenient();
  for (const char* key : {"path", "debugName", "debugPath", "arch"}) lenient.String(lib, key, path);
  if (const auto id = lenient.String(lib, "breakpadId", path)) CheckBreakpadId(*id, path / "breakpadId", checker);
  if (const auto id = lenient.String(lib, "codeId", path, Need::kOptional)) CheckCodeId(*id, path / "codeId", checker);
}

std::optional<int64_t> CheckAddress(JsonView lib, const char* key, const JsonPath& path, ValueChecker* checker) {
  const auto number = checker->Number(lib, key, path);
  if (!number.has_value()) return std::nullopt;
  const auto address = lib[key].AsInteger();
  if (!address.has_value() || *address < 0 || *address > kMaxExact) {
    checker->Fault(path / key, Concat(*number, " is no address (a whole number from 0 to 2^53)"));
    return std::nullopt;
  }
  return address;
}

}  // namespace

void CheckGeckoLibraries(JsonView libs, const JsonPath& path, ValueChecker* checker) {
  std::optional<int64_t> last_start, last_end;
  for (size_t i = 0; i < libs.size(); ++i) {
    const JsonPath lib_path = path / i;
    const JsonView lib = libs.At(i);
    if (!lib.IsObject()) {
      checker->Fault(lib_path, Concat("is ", lib.TypeName(), ", not object"));
      continue;
    }
    CheckNames(lib, lib_path, checker);
    const auto start = CheckAddress(lib, "start", lib_path, checker), end = CheckAddress(lib, "end", lib_path, checker);
    CheckAddress(lib, "offset", lib_path, checker);
    if (!start.has_value() || !end.has_value()) continue;
    if (*start > *end) {
      checker->Fault(lib_path / "end", Concat(*end, " is below the start (", *start, ")"));
    } else if (last_start.has_value() && *start < *last_start) {
      checker->Fault(lib_path / "start", Concat(*start, " is below that of the row before (", *last_start, ")"));
    } else if (last_end.has_value() && *start < *last_end) {
      checker->Fault(lib_path / "start", Concat(*start, " lies in the library before (up to ", *last_end, ")"));
    }
    last_start = start;
    last_end = std::max(last_end.value_or(*end), *end);
  }
}

void CheckProcessedLibraries(JsonView libs, const JsonPath& path, ValueChecker* checker) {
  absl::flat_hash_map<std::string, size_t> seen;  // all that names a library -> its row
  for (size_t i = 0; i < libs.size(); ++i) {
    const JsonView lib = libs.At(i);
    if (!lib.IsObject()) {
      checker->Fault(path / i, Concat("is ", lib.TypeName(), ", not object"));
      continue;
    }
    CheckNames(lib, path / i, checker);
    std::string identity;
    for (const char* key : {"path", "name", "debugPath", "debugName", "breakpadId", "codeId", "arch"}) {
      identity += Concat(lib[key].AsString(), "\n");
    }
    const auto [entry, added] = seen.try_emplace(identity, i);
    if (!added) checker->Warning(path / i, Concat("is the same library as row ", entry->second));
  }
}

}  // namespace geckoprof
