#include "geckoprof/segment/segment_name.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("segment names are exact") {
  SegmentName name;
  REQUIRE(name.Parse("4711-2.segment"));
  CHECK(name.pid == 4711);
  CHECK(name.image == 2);
  for (const char* bad :
       {"", ".segment", "-.segment", "1.segment", "1-.segment", "-1.segment", "01-0.segment", "1-00.segment",
        "0-0.segment", "-1-0.segment", "1--1.segment", "1-0.segmentx", "1-0.segment.tmp", " 1-0.segment",
        "99999999999-0.segment", "1-99999999999.segment", "a-0.segment", "1-0x1.segment"}) {
    INFO(bad);
    CHECK_FALSE(SegmentName().Parse(bad));
  }
}

}  // namespace
}  // namespace geckoprof
