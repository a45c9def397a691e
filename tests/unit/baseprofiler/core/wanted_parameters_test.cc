#include "core/wanted_parameters.h"

#include <catch2/catch.hpp>
#include <string>

namespace geckoprof {
namespace {

TEST_CASE("what is asked for comes back as it was kept") {
  const char* const filters[] = {"main", "pid:1"};
  const HandoverParameters wanted = {
      sizeof(HandoverParameters), kFeatureCpu, uint64_t{4} << 20, 2'000'000, 5, filters, 2, kFeatureCpu | 1};
  StartParameters kept;
  ApplyWanted(wanted, kept);
  const char* items[ThreadFilter::kMaxItems] = {};
  HandoverParameters out = {};
  DescribeWanted(kept, items, out);
  CHECK(out.features == kFeatureCpu);
  CHECK(out.capacity_bytes == uint64_t{4} << 20);
  CHECK(out.interval_ns == 2'000'000);
  CHECK(out.duration_ns == 5);
  REQUIRE(out.filter_count == 2);
  CHECK(std::string(out.filters[1]) == "pid:1");
  CHECK(out.requested_features == (kFeatureCpu | 1));
}

TEST_CASE("0 means the default, and what is out of range is clamped") {
  StartParameters kept;
  ApplyWanted({sizeof(HandoverParameters), ~0u, 0, -1, -1, nullptr, 0, 0}, kept);
  CHECK(kept.capacity_bytes == kDefaultCapacityBytes);
  CHECK(kept.interval_ns == kDefaultIntervalNs);
  CHECK(kept.duration_ns == 0);
  CHECK(kept.features == (AdjustFeatures(~0u) & kBaseFeatures));
  ApplyWanted({sizeof(HandoverParameters), 0, 1, 1, 0, nullptr, 0, 0}, kept);
  CHECK(kept.capacity_bytes == kMinCapacityBytes);
  CHECK(kept.interval_ns == kMinIntervalNs);
  ApplyWanted({sizeof(HandoverParameters), 0, UINT64_MAX, INT64_MAX, 0, nullptr, 0, 0}, kept);
  CHECK(kept.capacity_bytes == kMaxCapacityBytes);
  CHECK(kept.interval_ns == kMaxIntervalNs);
}

TEST_CASE("asking for the same in other words changes nothing") {
  const char* const filters[] = {"main", "pid:1"};
  const char* const turned[] = {"pid:1", "main"};
  const HandoverParameters one = {sizeof one, kDefaultFeatures, 0, 0, 0, filters, 2, kDefaultFeatures};
  StartParameters kept;
  ApplyWanted(one, kept);
  HandoverParameters other = one;
  CHECK(MatchesWanted(other, kept));
  other.capacity_bytes = kDefaultCapacityBytes;
  other.interval_ns = kDefaultIntervalNs;
  other.duration_ns = -1;
  CHECK(MatchesWanted(other, kept));
  other.filters = turned;
  CHECK_FALSE(MatchesWanted(other, kept));
  other.filters = filters;
  other.filter_count = 1;
  CHECK_FALSE(MatchesWanted(other, kept));
  for (const auto change :
       {+[](HandoverParameters& p) { p.interval_ns = 2 * kDefaultIntervalNs; },
        +[](HandoverParameters& p) { p.capacity_bytes = kMinCapacityBytes; },
        +[](HandoverParameters& p) { p.duration_ns = 1; }, +[](HandoverParameters& p) { p.features = kFeatureCpu; }}) {
    HandoverParameters changed = one;
    change(changed);
    CHECK_FALSE(MatchesWanted(changed, kept));
  }
}

}  // namespace
}  // namespace geckoprof
