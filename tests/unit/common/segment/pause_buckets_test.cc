#include <catch2/catch.hpp>

#include "geckoprof/segment/segment_format.h"

namespace geckoprof {
namespace {

TEST_CASE("A pause lies below the end of its bucket and not below the end of the one before") {
  for (uint64_t ns = 0; ns < 100'000; ++ns) {
    const uint32_t bucket = PauseBucket(ns);
    REQUIRE(ns < PauseBucketEndNs(bucket));
    if (bucket > 1) REQUIRE(ns >= PauseBucketEndNs(bucket - 1));
  }
}

TEST_CASE("Buckets are half octaves") {
  CHECK(PauseBucket(2) == 2);
  CHECK(PauseBucket(3) == 3);
  CHECK(PauseBucket(1024) == 20);
  CHECK(PauseBucket(1535) == 20);
  CHECK(PauseBucket(1536) == 21);
  CHECK(PauseBucketEndNs(20) == 1536);
  CHECK(PauseBucketEndNs(21) == 2048);
}

TEST_CASE("What is longer than all buckets is in the last") {
  CHECK(PauseBucket(PauseBucketEndNs(kPauseBuckets - 1)) == kPauseBuckets - 1);
  CHECK(PauseBucket(UINT64_MAX) == kPauseBuckets - 1);
}

}  // namespace
}  // namespace geckoprof
