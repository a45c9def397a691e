#include "core/start_request.h"

#include <catch2/catch.hpp>
#include <limits>

namespace geckoprof {
namespace {

RecordingParameters Make(uint32_t entries, double interval_ms, std::optional<double> duration_s = std::nullopt) {
  return MakeStartRequest(entries, interval_ms, 0, nullptr, 0, duration_s);
}

TEST_CASE("zeros become defaults") {
  CHECK(Make(0, 0).capacity_bytes == 128u << 20);
  CHECK(Make(0, 0).interval_ns == 1'000'000);
  CHECK(Make(0, 0).duration_ns == 0);
  CHECK(Make(0, 0, 0).duration_ns == 0);
  CHECK(Make(0, 0, -1).duration_ns == 0);
}

TEST_CASE("capacities become powers of two within the range") {
  CHECK(Make(1u << 20, 1).capacity_bytes == 8u << 20);
  CHECK(Make((1u << 20) + 1, 1).capacity_bytes == 16u << 20);
  CHECK(Make(1, 1).capacity_bytes == 1u << 20);
  CHECK(Make(UINT32_MAX, 1).capacity_bytes == uint64_t{2} << 30);
}

TEST_CASE("times are rounded, clamped, and never undefined") {
  CHECK(Make(0, 2.5).interval_ns == 2'500'000);
  CHECK(Make(0, 1e-9).interval_ns == 50'000);
  CHECK(Make(0, 1e300).interval_ns == 5'000'000'000);
  CHECK(Make(0, std::numeric_limits<double>::quiet_NaN()).interval_ns == 1'000'000);
  CHECK(Make(0, std::numeric_limits<double>::infinity()).interval_ns == 5'000'000'000);
  CHECK(Make(0, 1, 0.25).duration_ns == 250'000'000);
  CHECK(Make(0, 1, std::numeric_limits<double>::infinity()).duration_ns > 0);
}

TEST_CASE("filters are copied, null ones left out") {
  const char* const filters[] = {"a", nullptr, "B"};
  CHECK(MakeStartRequest(0, 0, 0, filters, 3, std::nullopt).filters == std::vector<std::string>{"a", "B"});
  CHECK(MakeStartRequest(0, 0, 0, nullptr, 3, std::nullopt).filters.empty());
}

}  // namespace
}  // namespace geckoprof
