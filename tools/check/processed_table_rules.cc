#include "tools/check/processed_table_rules.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "geckoprof/gecko_json/format_versions.h"
#include "tools/profile/profile_model.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// A row number of another table, if it is one.
std::optional<size_t> RowAt(JsonView column, size_t row) {
  const std::optional<int64_t> number = column.At(row).AsInteger();
  if (!number.has_value() || *number < 0) return std::nullopt;
  return static_cast<size_t>(*number);
}

// Finding a column walks the table's members, so it is done once and not for each row.
struct SymbolColumns {
  explicit SymbolColumns(JsonView tables)
      : symbol(tables["frameTable"]["nativeSymbol"]),
        address(tables["frameTable"]["address"]),
        func(tables["frameTable"]["func"]),
        frame_lib(tables["frameTable"]["lib"]),
        resource(tables["funcTable"]["resource"]),
        resource_lib(tables["resourceTable"]["lib"]),
        symbol_lib(tables["nativeSymbols"]["libIndex"]),
        symbol_address(tables["nativeSymbols"]["address"]),
        symbol_size(tables["nativeSymbols"]["functionSize"]) {}

  std::optional<size_t> LibOf(size_t frame) const {
    if (frame_lib.IsArray()) return RowAt(frame_lib, frame);
    const auto function = RowAt(func, frame);
    const auto place = function.has_value() ? RowAt(resource, *function) : std::nullopt;
    return place.has_value() ? RowAt(resource_lib, *place) : std::nullopt;
  }

  JsonView symbol, address, func, frame_lib, resource, resource_lib, symbol_lib, symbol_address, symbol_size;
};

}  // namespace

void CheckFrameSymbols(JsonView tables, size_t frames, const JsonPath& path, ValueChecker* checker) {
  const SymbolColumns columns(tables);
  const JsonPath table_path = path / "frameTable", symbols_path = table_path / "nativeSymbol",
                 addresses_path = table_path / "address";
  for (size_t i = 0; i < frames; ++i) {
    const auto symbol = RowAt(columns.symbol, i);
    if (!symbol.has_value()) continue;
    const auto lib = columns.LibOf(i), symbol_lib = RowAt(columns.symbol_lib, *symbol);
    if (lib.has_value() && symbol_lib.has_value() && *lib != *symbol_lib) {
      checker->Warning(symbols_path / i,
                       Concat("nativeSymbol ", *symbol, " is of library ", *symbol_lib, ", the frame of ", *lib));
    }
    const auto address = columns.address.At(i).AsInteger(), start = columns.symbol_address.At(*symbol).AsInteger(),
               size = columns.symbol_size.At(*symbol).AsInteger();
    if (!address.has_value() || *address < 0 || !start.has_value() || *start < 0 || size.value_or(0) <= 0) continue;
    if (*address < *start || *address - *start >= *size) {
      checker->Warning(addresses_path / i, Concat("address ", *address, " is not in nativeSymbol ", *symbol, " (",
                                                  *size, " bytes from ", *start, ")"));
    }
  }
}

namespace {

using Need = ValueChecker::Need;

// A column of a table and its place.
struct Column {
  Column(JsonView table, std::string_view name, const JsonPath& table_path)
      : values(table[name]), path(table_path / name) {}
  JsonView values;
  JsonPath path;
};

void CheckIndexes(const Column& column, size_t rows, size_t limit, std::string_view what, Need need,
                  ValueChecker* checker) {
  if (!column.values.IsArray()) return;
  for (size_t i = 0; i < rows; ++i) checker->Index(column.values.At(i), limit, column.path / i, what, need);
}

void CheckNumbers(const Column& column, size_t rows, std::string_view what, Need need, ValueChecker* checker) {
  if (!column.values.IsArray()) return;
  for (size_t i = 0; i < rows; ++i) checker->Whole(column.values.At(i), column.path / i, what, need);
}

// Checks positions in sources and the like. The viewer shows them as they are.
void CheckPositions(const Column& column, size_t rows, std::string_view what, Need need, ValueChecker* checker) {
  ValueChecker lenient = checker->Lenient();
  CheckNumbers(column, rows, what, need, &lenient);
}

void CheckBools(const Column& column, size_t rows, ValueChecker* checker) {
  if (!column.values.IsArray()) return;
  for (size_t i = 0; i < rows; ++i) {
    if (!column.values.At(i).IsBool()) {
      checker->Warning(column.path / i, Concat("is ", column.values.At(i).TypeName(), ", not boolean"));
    }
  }
}

// The columns in which a frame must fit the one that it was inlined into. Finding a column walks the table's members,
// so it is done once and not for each row.
struct InlineColumns {
  explicit InlineColumns(JsonView frames) : depths(frames["inlineDepth"]) {
    for (size_t i = 0; i < std::size(kNames); ++i) same[i] = frames[kNames[i]];
  }
  static constexpr const char* kNames[] = {"address", "nativeSymbol", "lib"};
  JsonView depths;
  JsonView same[std::size(kNames)];
};

// A frame at depth k was inlined into one at depth k - 1 at the same address, which must be its caller. The viewer's
// call tree does not depend on it.
void CheckInline(const InlineColumns& columns, size_t frame, int64_t caller_frame, const JsonPath& path,
                 ValueChecker* checker) {
  const int64_t depth = columns.depths.At(frame).AsInteger().value_or(0);
  if (depth <= 0) return;
  if (caller_frame < 0) return checker->Warning(path, Concat("frame ", frame, " is inlined into nothing"));
  const size_t caller = static_cast<size_t>(caller_frame);
  if (columns.depths.At(caller).AsInteger() != depth - 1) {
    return checker->Warning(path, Concat("frame ", frame, " has inline depth ", depth, ", its caller not ", depth - 1));
  }
  for (size_t i = 0; i < std::size(columns.same); ++i) {
    if (columns.same[i].At(frame).AsInteger() != columns.same[i].At(caller).AsInteger()) {
      checker->Warning(path, Concat("frame ", frame, " is inlined into one of another ", InlineColumns::kNames[i]));
    }
  }
}

}  // namespace

size_t CheckColumns(JsonView owner, std::string_view key, std::initializer_list<const char*> columns,
                    const JsonPath& path, ValueChecker* checker) {
  const JsonView table = checker->Object(owner, key, path);
  if (!table.Exists()) return 0;
  const JsonPath table_path = path / key;
  if (!checker->Number(table, "length", table_path).has_value()) return 0;
  const std::optional<int64_t> length = table["length"].AsInteger();
  if (!length.has_value() || *length < 0) {
    checker->Fault(table_path / "length", "is no length");
    return 0;
  }
  for (const char* column : columns) checker->Array(table, column, table_path);
  bool equal = true;
  size_t least = static_cast<size_t>(*length);
  table.ForEachMember([&](std::string_view name, JsonView column) {
    if (!column.IsArray() || column.size() == static_cast<size_t>(*length)) return;
    const std::string what = Concat("has ", column.size(), " rows, the table's length is ", *length);
    // The viewer reads as many rows as the length says.
    column.size() > static_cast<size_t>(*length) ? checker->Warning(table_path / name, what)
                                                 : checker->Fault(table_path / name, what);
    equal = false;
    least = std::min(least, column.size());
  });
  // With a wrong length, go on with the rows that are there, and never with a number that the file only claims.
  if (columns.size() > 0 && !table[*columns.begin()].IsArray()) return 0;
  return equal ? static_cast<size_t>(*length) : least;
}

void ProcessedTableRules::Check(JsonView tables, size_t sources, const JsonPath& path) {
  CheckResources(tables, path);
  CheckNativeSymbols(tables, path);
  CheckFunctions(tables, sources, path);
  CheckFrames(tables, path);
  CheckFrameSymbols(tables, frames_, path, checker_);
  CheckStacks(tables, path);
}

void ProcessedTableRules::CheckResources(JsonView tables, const JsonPath& path) {
  constexpr size_t kTypes = 6;  // unknown, library, addon, webhost, otherhost, url
  resources_ = CheckColumns(tables, "resourceTable", {"name", "host", "type"}, path, checker_);
  const JsonView table = tables["resourceTable"];
  const JsonPath table_path = path / "resourceTable";
  CheckIndexes({table, "name", table_path}, resources_, strings_, "string", Need::kRequired, checker_);
  CheckIndexes({table, "host", table_path}, resources_, strings_, "string", Need::kOptional, checker_);
  CheckIndexes({table, "type", table_path}, resources_, kTypes, "type", Need::kRequired, checker_);
  if (version_ >= ProcessedVersion::kFrameLibs || !checker_->Array(table, "lib", table_path).Exists()) return;
  const Column libs(table, "lib", table_path);
  for (size_t i = 0; i < resources_; ++i) {
    if (libs.values.At(i).IsNull()) continue;
    checker_->IndexOrMinusOne(libs.values.At(i), libs_, libs.path / i, "lib");
  }
}

void ProcessedTableRules::CheckNativeSymbols(JsonView tables, const JsonPath& path) {
  symbols_ = CheckColumns(tables, "nativeSymbols", {"libIndex", "address", "name", "functionSize"}, path, checker_);
  const JsonView table = tables["nativeSymbols"];
  const JsonPath table_path = path / "nativeSymbols";
  CheckIndexes({table, "libIndex", table_path}, symbols_, libs_, "lib", Need::kRequired, checker_);
  CheckNumbers({table, "address", table_path}, symbols_, "address", Need::kRequired, checker_);
  CheckIndexes({table, "name", table_path}, symbols_, strings_, "string", Need::kRequired, checker_);
  CheckPositions({table, "functionSize", table_path}, symbols_, "size", Need::kOptional, checker_);
}

void ProcessedTableRules::CheckFunctions(JsonView tables, size_t sources, const JsonPath& path) {
  functions_ = CheckColumns(
      tables, "funcTable", {"name", "isJS", "relevantForJS", "resource", "lineNumber", "columnNumber"}, path, checker_);
  const JsonView table = tables["funcTable"];
  const JsonPath table_path = path / "funcTable";
  CheckIndexes({table, "name", table_path}, functions_, strings_, "string", Need::kRequired, checker_);
  CheckBools({table, "isJS", table_path}, functions_, checker_);
  CheckBools({table, "relevantForJS", table_path}, functions_, checker_);
  CheckPositions({table, "lineNumber", table_path}, functions_, "line", Need::kOptional, checker_);
  CheckPositions({table, "columnNumber", table_path}, functions_, "column", Need::kOptional, checker_);
  const Column resources(table, "resource", table_path);
  for (size_t i = 0; i < functions_ && resources.values.IsArray(); ++i) {
    checker_->IndexOrMinusOne(resources.values.At(i), resources_, resources.path / i, "resource");
  }
  if (version_ >= ProcessedVersion::kSourcesTable) {
    checker_->Array(table, "source", table_path);
    CheckIndexes({table, "source", table_path}, functions_, sources, "source", Need::kOptional, checker_);
  } else {
    checker_->Array(table, "fileName", table_path);
    CheckIndexes({table, "fileName", table_path}, functions_, strings_, "string", Need::kOptional, checker_);
  }
}

void ProcessedTableRules::CheckFrames(JsonView tables, const JsonPath& path) {
  frames_ = CheckColumns(
      tables, "frameTable",
      {"address", "inlineDepth", "category", "subcategory", "func", "nativeSymbol", "innerWindowID", "line", "column"},
      path, checker_);
  const JsonView table = tables["frameTable"];
  const JsonPath table_path = path / "frameTable";
  CheckIndexes({table, "func", table_path}, frames_, functions_, "func", Need::kRequired, checker_);
  CheckIndexes({table, "nativeSymbol", table_path}, frames_, symbols_, "nativeSymbol", Need::kOptional, checker_);
  CheckNumbers({table, "inlineDepth", table_path}, frames_, "inlineDepth", Need::kRequired, checker_);
  CheckPositions({table, "innerWindowID", table_path}, frames_, "innerWindowID", Need::kOptional, checker_);
  CheckPositions({table, "line", table_path}, frames_, "line", Need::kOptional, checker_);
  CheckPositions({table, "column", table_path}, frames_, "column", Need::kOptional, checker_);
  const Column address(table, "address", table_path), category(table, "category", table_path),
      subcategory(table, "subcategory", table_path), libs(table, "lib", table_path);
  if (version_ >= ProcessedVersion::kFrameLibs) checker_->Array(table, "lib", table_path);
  for (size_t i = 0; i < frames_; ++i) {
    if (address.values.At(i).AsInteger() != -1) {
      checker_->Whole(address.values.At(i), address.path / i, "address", Need::kRequired);
    }
    if (categories_.has_value()) {
      CheckCategoryPair(category.values.At(i), category.path / i, subcategory.values.At(i), subcategory.path / i,
                        *categories_, checker_);
    }
    if (version_ >= ProcessedVersion::kFrameLibs && libs.values.IsArray()) {
      checker_->IndexOrMinusOne(libs.values.At(i), libs_, libs.path / i, "lib");
    }
  }
}

int64_t ProcessedTableRules::CheckCaller(JsonView value, size_t row, const JsonPath& path) {
  const int64_t number = value.AsInteger().value_or(-1);
  if (version_ >= ProcessedVersion::kPrefixOffsets) {
    if (number < 0 || static_cast<uint64_t>(number) > row) {
      checker_->Fault(path, Concat("prefix offset ", value.NumberOr(0), " is not in 0..", row));
      return kNoRow;
    }
    return number == 0 ? kNoRow : static_cast<int64_t>(row) - number;
  }
  if (!checker_->Index(value, stacks_, path, "stack", Need::kOptional).has_value()) return kNoRow;
  if (static_cast<uint64_t>(number) < row) return number;
  checker_->Fault(path, Concat("prefix ", number, " is not an earlier row"));
  return kNoRow;
}

void ProcessedTableRules::CheckStacks(JsonView tables, const JsonPath& path) {
  const char* const prefix_name = version_ >= ProcessedVersion::kPrefixOffsets ? "prefixOffset" : "prefix";
  stacks_ = CheckColumns(tables, "stackTable", {"frame", prefix_name}, path, checker_);
  const JsonView table = tables["stackTable"];
  const InlineColumns inline_columns(tables["frameTable"]);
  const JsonPath table_path = path / "stackTable";
  const Column frames(table, "frame", table_path), prefixes(table, prefix_name, table_path);
  absl::flat_hash_set<std::pair<int64_t, size_t>> seen;
  for (size_t i = 0; i < stacks_ && prefixes.values.IsArray(); ++i) {
    const JsonPath frame_path = frames.path / i;
    const auto frame = checker_->Index(frames.values.At(i), frames_, frame_path, "frame", Need::kRequired);
    const int64_t caller = CheckCaller(prefixes.values.At(i), i, prefixes.path / i);
    if (!frame.has_value()) continue;
    const int64_t caller_frame =
        caller == kNoRow ? kNoRow : frames.values.At(static_cast<size_t>(caller)).AsInteger().value_or(kNoRow);
    CheckInline(inline_columns, *frame, caller_frame, frame_path, checker_);
    if (!seen.insert({caller, *frame}).second) {
      checker_->Warning(frame_path, "the stack is in the table for the second time");
    }
  }
}

size_t CheckSources(JsonView shared, int64_t version, size_t strings, const JsonPath& path, ValueChecker* checker) {
  if (version < ProcessedVersion::kSourcesTable) return 0;
  const size_t rows = CheckColumns(shared, "sources", {"filename"}, path, checker);
  const JsonView table = shared["sources"];
  const JsonPath table_path = path / "sources";
  CheckIndexes({table, "filename", table_path}, rows, strings, "string", Need::kRequired, checker);
  checker->Array(table, version >= ProcessedVersion::kSourcePositions ? "id" : "uuid", table_path);
  if (version >= ProcessedVersion::kSourcePositions) {
    for (const char* key : {"startLine", "startColumn", "sourceMapURL"}) checker->Array(table, key, table_path);
    CheckPositions({table, "startLine", table_path}, rows, "line", Need::kRequired, checker);
    CheckPositions({table, "startColumn", table_path}, rows, "column", Need::kRequired, checker);
  }
  if (version < ProcessedVersion::kOriginalLocations) return rows;
  checker->Array(table, "content", table_path);
  const size_t places = CheckColumns(shared, "sourceLocationTable", {"source", "line", "column"}, path, checker);
  const JsonPath places_path = path / "sourceLocationTable";
  CheckIndexes({shared["sourceLocationTable"], "source", places_path}, places, rows, "source", Need::kRequired,
               checker);
  return rows;
}

}  // namespace geckoprof
