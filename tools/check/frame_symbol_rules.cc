#include "tools/check/frame_symbol_rules.h"

#include <optional>

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

}  // namespace geckoprof
