#include "tools/options/quantity.h"

#include <algorithm>

#include "geckoprof/base/clock.h"
#include "geckoprof/config/start_number.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr unsigned kDecimals = 6;
constexpr double kScale = 1e6;

// A number and what stands behind it.
struct Quantity {
  double count;
  std::string_view unit;
};

std::optional<Quantity> Split(std::string_view text) {
  const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::optional<uint64_t> count = ParseFixedPoint(text.substr(0, digits), kDecimals);
  if (!count) return std::nullopt;
  return Quantity{static_cast<double>(*count) / kScale, text.substr(digits)};
}

}  // namespace

std::optional<int64_t> ParseTimeNs(std::string_view text) {
  struct Unit {
    std::string_view name;
    int64_t ns;
  };
  constexpr Unit kUnits[] = {
      {"ms", kNsPerMs}, {"s", kNsPerSecond}, {"min", 60 * kNsPerSecond}, {"h", 3600 * kNsPerSecond}};
  const std::optional<Quantity> quantity = Split(text);
  if (!quantity) return std::nullopt;
  for (const Unit& unit : kUnits) {
    if (unit.name != quantity->unit) continue;
    const double ns = quantity->count * static_cast<double>(unit.ns);
    return ns >= static_cast<double>(INT64_MAX) ? INT64_MAX : static_cast<int64_t>(ns);
  }
  return std::nullopt;
}

std::optional<uint64_t> ParseSizeBytes(std::string_view text) {
  const std::optional<Quantity> quantity = Split(text);
  if (!quantity) return std::nullopt;
  const std::optional<uint64_t> unit_bytes = ParseByteSize(Concat("1", quantity->unit), 1);
  if (!unit_bytes) return std::nullopt;
  const double bytes = quantity->count * static_cast<double>(*unit_bytes);
  return bytes >= static_cast<double>(UINT64_MAX) ? UINT64_MAX : static_cast<uint64_t>(bytes);
}

std::optional<double> ParsePercent(std::string_view text) {
  const std::optional<Quantity> quantity = Split(text);
  if (!quantity || quantity->unit != "%") return std::nullopt;
  return quantity->count;
}

}  // namespace geckoprof
