#include "tools/check/library_rules.h"

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "tools/text/concat.h"

namespace geckoprof {
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
