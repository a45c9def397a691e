#include "geckoprof/config/start_number.h"

#include <array>

namespace geckoprof {
namespace {

uint64_t MultiplySaturated(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t AppendDigitSaturated(uint64_t value, unsigned base, unsigned digit) {
  uint64_t sum = 0;
  return __builtin_add_overflow(MultiplySaturated(value, base), digit, &sum) ? UINT64_MAX : sum;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Returns the value of a hexadecimal digit, or 16 for another character.
unsigned HexDigit(char c) {
  if (IsDigit(c)) return static_cast<unsigned>(c - '0');
  const char lower = static_cast<char>(c | 0x20);
  if (lower >= 'a' && lower <= 'f') return static_cast<unsigned>(lower - 'a') + 10;
  return 16;
}

struct ByteUnit {
  std::string_view suffix;
  uint64_t bytes;
};
constexpr std::array<ByteUnit, 6> kByteUnits = {{{"KB", 1'000},
                                                 {"KiB", 1'024},
                                                 {"MB", 1'000'000},
                                                 {"MiB", 1'048'576},
                                                 {"GB", 1'000'000'000},
                                                 {"GiB", 1'073'741'824}}};

}  // namespace

std::optional<uint64_t> ParseDecimal(std::string_view text) {
  if (text.empty()) return std::nullopt;
  uint64_t value = 0;
  for (const char c : text) {
    if (!IsDigit(c)) return std::nullopt;
    value = AppendDigitSaturated(value, 10, static_cast<unsigned>(c - '0'));
  }
  return value;
}

std::optional<uint64_t> ParseDecimalOrHex(std::string_view text) {
  if (!text.starts_with("0x") && !text.starts_with("0X")) return ParseDecimal(text);
  text.remove_prefix(2);
  if (text.empty()) return std::nullopt;
  uint64_t value = 0;
  for (const char c : text) {
    const unsigned digit = HexDigit(c);
    if (digit == 16) return std::nullopt;
    value = AppendDigitSaturated(value, 16, digit);
  }
  return value;
}

std::optional<uint64_t> ParseFixedPoint(std::string_view text, unsigned decimals) {
  uint64_t value = 0;
  bool any_digit = false;
  bool after_point = false;
  unsigned missing = decimals;
  for (const char c : text) {
    if (c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (!IsDigit(c)) return std::nullopt;
    any_digit = true;
    // Excess decimals are checked but not used.
    if (after_point && missing == 0) continue;
    if (after_point) --missing;
    value = AppendDigitSaturated(value, 10, static_cast<unsigned>(c - '0'));
  }
  if (!any_digit) return std::nullopt;
  for (; missing > 0; --missing) value = MultiplySaturated(value, 10);
  return value;
}

std::optional<uint64_t> ParsePercentParts(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  return ParseFixedPoint(text, 2);
}

std::optional<uint64_t> ParseByteSize(std::string_view text, uint64_t plain_unit_bytes) {
  size_t digits = 0;
  while (digits < text.size() && IsDigit(text[digits])) ++digits;
  const std::optional<uint64_t> count = ParseDecimal(std::string_view(text.data(), digits));
  if (!count) return std::nullopt;
  const std::string_view suffix(text.data() + digits, text.size() - digits);
  if (suffix.empty()) {
    if (plain_unit_bytes == 0) return std::nullopt;
    return MultiplySaturated(*count, plain_unit_bytes);
  }
  for (const ByteUnit& unit : kByteUnits) {
    if (suffix == unit.suffix) return MultiplySaturated(*count, unit.bytes);
  }
  return std::nullopt;
}

}  // namespace geckoprof
