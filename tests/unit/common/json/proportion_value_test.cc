#include "geckoprof/json/proportion_value.h"

#include <catch2/catch.hpp>
#include <limits>

namespace geckoprof {
namespace {

using namespace proportion_literals;

TEST_CASE("fractions are exact and add up") {
  for (uint32_t parts = 1; parts <= 22; ++parts) {
    ProportionValue sum = ProportionValue::Zero();
    for (uint32_t i = 0; i < parts; ++i) sum = sum + ProportionValue::FromFraction(1, parts);
    CHECK(sum == ProportionValue::One());
  }
  CHECK(ProportionValue::FromFraction(1, 100) == 1_percent);
  CHECK(50_percent * 50_percent == 25_percent);
}

TEST_CASE("shares are clamped to 0..1") {
  CHECK(ProportionValue::FromDouble(-1) == ProportionValue::Zero());
  CHECK(ProportionValue::FromDouble(2) == ProportionValue::One());
  CHECK(ProportionValue::FromDouble(std::numeric_limits<double>::quiet_NaN()) == ProportionValue::Zero());
  CHECK(ProportionValue::FromFraction(3, 2) == ProportionValue::One());
  CHECK(200_percent == ProportionValue::One());
  CHECK(ProportionValue::FromDouble(0.25).ToDouble() == Approx(0.25));
}

TEST_CASE("leaving 0..1 gives a mark, and marks stay") {
  CHECK(ProportionValue().IsInvalid());
  CHECK(ProportionValue::FromFraction(1, 0).IsInvalid());
  CHECK((60_percent + 60_percent).IsOverflow());
  CHECK((10_percent - 20_percent).IsUnderflow());
  CHECK(((60_percent + 60_percent) - 10_percent).IsOverflow());
  CHECK((1_percent * ProportionValue::Invalid()).IsInvalid());
  CHECK_FALSE(ProportionValue::Overflow().IsValid());
}

}  // namespace
}  // namespace geckoprof
