#include "tools/report/number_text.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("numbers as a reader wants them") {
  CHECK(GroupedText(0) == "0");
  CHECK(GroupedText(999) == "999");
  CHECK(GroupedText(1000) == "1,000");
  CHECK(GroupedText(1234567) == "1,234,567");
  CHECK(GroupedText(1234.5) == "1,234.5");
  CHECK(GroupedText(0.05) == "0.1");
  CHECK(GroupedText(0.00307) == "0.0031");
  CHECK(GroupedText(1e300).size() == 401);
  CHECK(PercentText(1, 8) == "12.5 %");
  CHECK(PercentText(1, 0) == "0.0 %");
  CHECK(DurationText(0) == "0");
  CHECK(DurationText(0.34) == "340.0 us");
  CHECK(DurationText(12.34) == "12.3 ms");
  CHECK(DurationText(1500) == "1.500 s");
  CHECK(BytesText(0) == "0 bytes");
  CHECK(BytesText(1536) == "1.5 KiB");
  CHECK(BytesText(134217728) == "128.0 MiB");
  CHECK(BytesText(3e9) == "2.8 GiB");
}

}  // namespace
}  // namespace geckoprof
