#include "tools/merge/clock_offsets.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

using Source = ClockOffset::Source;

// A profile that began some seconds after the boot, whose clocks then differed by `boot_ms`.
ClockFacts Facts(double boot_ms, double seconds, const std::string& boot_id = "") {
  return {boot_ms + seconds * 1000, static_cast<int64_t>(seconds * 1e9), boot_id};
}

std::vector<ClockOffset> Found(const std::vector<ClockFacts>& profiles,
                               std::vector<std::optional<double>> given_ms = {}) {
  given_ms.resize(profiles.size());
  return FindClockOffsets(profiles, given_ms);
}

TEST_CASE("profiles of one boot are aligned by its monotonic clock") {
  ClockFacts later = Facts(1e12, 15, "boot");
  later.wall_ms += 3'600'000;  // somebody set the date
  const auto offsets = Found({Facts(1e12, 10, "boot"), later});
  CHECK(offsets[0].source == Source::kFirst);
  CHECK(offsets[1].source == Source::kMonotonicClock);
  CHECK(offsets[1].offset_ms == 5000);
  CHECK(offsets[1].boot == offsets[0].boot);
  CHECK(ClockOffsetText(offsets[1], "a.json") == "+5.000000 s by the monotonic clock, of the same boot as a.json");
}

TEST_CASE("profiles of several boots are aligned by the wall clocks") {
  const auto offsets = Found({Facts(1e12, 10, "boot a"), Facts(1e12 - 7'000, 15, "boot b")});
  CHECK(offsets[1].source == Source::kWallClock);
  CHECK(offsets[1].offset_ms == -2000);
  CHECK(offsets[1].boot != offsets[0].boot);
  CHECK(ClockOffsetText(offsets[1], "a.json") == "-2.000000 s by the wall clocks, counted from a.json");
}

TEST_CASE("the id of the boot counts, and without it the distance of both clocks") {
  const ClockFacts unknown = Facts(1e12, 10), same = Facts(1e12 + 5, 20), other = Facts(1e12 + 50, 20);
  CHECK(AreOfOneBoot(unknown, same));
  CHECK_FALSE(AreOfOneBoot(unknown, other));
  CHECK(AreOfOneBoot(Facts(1e12, 10, "boot a"), same));
  CHECK_FALSE(AreOfOneBoot(Facts(1e12, 10, "boot a"), Facts(1e12, 10, "boot b")));
  CHECK(AreOfOneBoot(Facts(1e12, 10, "boot a"), Facts(1e12 + 50, 10, "boot a")));
  ClockFacts no_monotonic = unknown;
  no_monotonic.monotonic_ns.reset();
  CHECK_FALSE(AreOfOneBoot(no_monotonic, same));
  ClockFacts no_date = unknown;
  no_date.wall_ms = 0;
  CHECK_FALSE(AreOfOneBoot(no_date, same));
}

TEST_CASE("profiles of another host keep their exact distance from each other") {
  ClockFacts second = Facts(2e12, 30, "boot b");
  second.wall_ms += 100;
  const auto offsets = Found({Facts(1e12, 10, "boot a"), Facts(2e12, 20, "boot b"), second});
  CHECK(offsets[1].offset_ms == 1e12 + 10'000);
  CHECK(offsets[2].offset_ms == offsets[1].offset_ms + 10'000);
  CHECK(offsets[2].source == Source::kMonotonicClock);
  CHECK(offsets[2].leader == 1);
}

TEST_CASE("a given offset is taken, and moves the profiles of its boot") {
  const std::vector<ClockFacts> profiles = {Facts(1e12, 10, "boot a"), Facts(2e12, 20, "boot b"),
                                            Facts(2e12, 30, "boot b"), Facts(1e12, 40, "boot a")};
  const auto offsets = Found(profiles, {std::nullopt, std::nullopt, 500.0, std::nullopt});
  CHECK(offsets[2].offset_ms == 500);
  CHECK(offsets[2].source == Source::kGiven);
  CHECK(offsets[1].offset_ms == 500 - 10'000);
  CHECK(offsets[1].leader == 2);
  CHECK(offsets[3].offset_ms == 30'000);  // not of that boot
  const auto own = Found(profiles, {std::nullopt, 1.0, 500.0, -3.0});
  CHECK(own[1].offset_ms == 1);
  CHECK(own[2].offset_ms == 500);
  CHECK(own[3].offset_ms == -3);
}

TEST_CASE("a profile without a date begins with the first one, which is said") {
  const auto offsets = Found({Facts(1e12, 10), ClockFacts()});
  CHECK(offsets[1].offset_ms == 0);
  CHECK(offsets[1].source == Source::kUnknown);
  CHECK(ClockOffsetText(offsets[1], "a.json") == "+0.000000 s, as there is no clock in common with a.json");
  CHECK(Found({ClockFacts(), Facts(1e12, 10)})[1].source == Source::kUnknown);
}

}  // namespace
}  // namespace geckoprof
