#include "tools/options/quantity.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("a time has a unit, and may have a fraction") {
  CHECK(ParseTimeNs("500ms") == 500'000'000);
  CHECK(ParseTimeNs("1.5s") == 1'500'000'000);
  CHECK(ParseTimeNs("2min") == 120'000'000'000);
  CHECK(ParseTimeNs("1h") == 3'600'000'000'000);
  CHECK(ParseTimeNs("0s") == 0);
  CHECK(ParseTimeNs("99999999999999999999h") == INT64_MAX);
  for (const char* const bad : {"", "30", "s", "-1s", "1 s", "1S", "1m", "1.2.3s", "1e3s", "1sx"}) {
    INFO(bad);
    CHECK_FALSE(ParseTimeNs(bad).has_value());
  }
}

TEST_CASE("a size may have a unit, and a share has its sign") {
  CHECK(ParseSizeBytes("1048576") == 1u << 20);
  CHECK(ParseSizeBytes("1.5MiB") == 3u << 19);
  CHECK(ParseSizeBytes("99999999999999999999GiB") == UINT64_MAX);
  CHECK_FALSE(ParseSizeBytes("1mib").has_value());
  CHECK_FALSE(ParseSizeBytes("MiB").has_value());
  CHECK(ParsePercent("90%") == 90);
  CHECK(ParsePercent("2.5%") == 2.5);
  for (const char* const bad : {"90", "%", "-1%", "90%%", "90 %"}) {
    INFO(bad);
    CHECK_FALSE(ParsePercent(bad).has_value());
  }
}

}  // namespace
}  // namespace geckoprof
