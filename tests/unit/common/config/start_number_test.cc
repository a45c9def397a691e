#include "geckoprof/config/start_number.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

struct DecimalCase {
  std::string_view text;
  std::optional<uint64_t> expected;
};

TEST_CASE("decimal numbers are whole, unsigned and saturate") {
  const DecimalCase cases[] = {{"0", 0},
                               {"7", 7},
                               {"007", 7},
                               {"4294967296", 4294967296},
                               {"18446744073709551615", UINT64_MAX},
                               {"18446744073709551616", UINT64_MAX},
                               {"99999999999999999999999", UINT64_MAX},
                               {"", std::nullopt},
                               {"-1", std::nullopt},
                               {"+1", std::nullopt},
                               {" 1", std::nullopt},
                               {"1 ", std::nullopt},
                               {"1x", std::nullopt},
                               {"0x10", std::nullopt}};
  for (const DecimalCase& c : cases) {
    INFO(c.text);
    CHECK(ParseDecimal(c.text) == c.expected);
  }
}

TEST_CASE("bit fields may be hexadecimal") {
  CHECK(ParseDecimalOrHex("16640") == 16640u);
  CHECK(ParseDecimalOrHex("0x4100") == 0x4100u);
  CHECK(ParseDecimalOrHex("0XaBcDeF") == 0xabcdefu);
  CHECK(ParseDecimalOrHex("0xffffffffffffffffff") == UINT64_MAX);
  for (const char* bad : {"", "0x", "0xg", "x10", "0x1 ", "-0x1", "1f"}) {
    INFO(bad);
    CHECK_FALSE(ParseDecimalOrHex(bad).has_value());
  }
}

struct FixedCase {
  std::string_view text;
  unsigned decimals;
  std::optional<uint64_t> expected;
};

TEST_CASE("fixed point numbers keep the decimals asked for") {
  const FixedCase cases[] = {{"1", 6, 1'000'000},
                             {"1.", 6, 1'000'000},
                             {".5", 6, 500'000},
                             {"0.05", 6, 50'000},
                             {"0.000001", 6, 1},
                             {"0.0000019", 6, 1},
                             {"12.345678901", 9, 12'345'678'901},
                             {"3.9", 0, 3},
                             {"99999999999999999999", 9, UINT64_MAX},
                             {"18446744074", 9, UINT64_MAX},
                             {"", 6, std::nullopt},
                             {".", 6, std::nullopt},
                             {"1.2.3", 6, std::nullopt},
                             {"1e3", 6, std::nullopt},
                             {"-1", 6, std::nullopt},
                             {"1,5", 6, std::nullopt},
                             {"nan", 6, std::nullopt},
                             {"inf", 6, std::nullopt},
                             {" 1", 6, std::nullopt}};
  for (const FixedCase& c : cases) {
    INFO(c.text);
    CHECK(ParseFixedPoint(c.text, c.decimals) == c.expected);
  }
}

TEST_CASE("sizes take the six units, directly behind the digits") {
  const FixedCase cases[] = {{"3", 8, 24},
                             {"2KB", 8, 2'000},
                             {"2KiB", 8, 2'048},
                             {"2MB", 8, 2'000'000},
                             {"2MiB", 8, 2'097'152},
                             {"2GB", 8, 2'000'000'000},
                             {"2GiB", 8, 2'147'483'648},
                             {"99999999999999999999GiB", 8, UINT64_MAX},
                             {"18446744073709551615", 8, UINT64_MAX},
                             {"3", 0, std::nullopt},
                             {"3MiB", 0, 3'145'728},
                             {"", 8, std::nullopt},
                             {"MiB", 8, std::nullopt},
                             {"2 MiB", 8, std::nullopt},
                             {"2mib", 8, std::nullopt},
                             {"2M", 8, std::nullopt},
                             {"2TiB", 8, std::nullopt},
                             {"2MiBx", 8, std::nullopt},
                             {"1.5MiB", 8, std::nullopt},
                             {"-2MiB", 8, std::nullopt}};
  for (const FixedCase& c : cases) {
    INFO(c.text);
    CHECK(ParseByteSize(c.text, c.decimals) == c.expected);
  }
}

}  // namespace
}  // namespace geckoprof
