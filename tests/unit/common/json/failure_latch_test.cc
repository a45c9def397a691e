#include "geckoprof/json/failure_latch.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("an infallible latch never fails") {
  FailureLatch latch = FailureLatch::Infallible();
  latch.SetFailure("no");
  CHECK_FALSE(latch.fallible());
  CHECK_FALSE(latch.failed());
  CHECK(latch.failure().empty());
}

TEST_CASE("a fallible latch keeps only the first failure") {
  FailureLatch latch;
  CHECK(latch.fallible());
  CHECK_FALSE(latch.failed());
  latch.SetFailure("first");
  latch.SetFailure("second");
  CHECK(latch.failed());
  CHECK(latch.failure() == "first");
}

TEST_CASE("SetFailureFrom: itself, one without failure, one with, a second one") {
  FailureLatch latch;
  latch.SetFailureFrom(latch);
  CHECK_FALSE(latch.failed());
  FailureLatch other;
  latch.SetFailureFrom(other);
  CHECK_FALSE(latch.failed());
  other.SetFailure("other's");
  latch.SetFailureFrom(other);
  CHECK(latch.failure() == "other's");
  FailureLatch third;
  third.SetFailure("third's");
  latch.SetFailureFrom(third);
  CHECK(latch.failure() == "other's");
}

TEST_CASE("proxies forward to what their origin is now; without origin they are infallible") {
  FailureLatch origin;
  FailureLatch proxy = FailureLatch::ProxyOf(&origin);
  proxy.SetFailure("through the proxy");
  CHECK(origin.failure() == "through the proxy");
  CHECK(proxy.failed());
  origin = FailureLatch();
  CHECK_FALSE(proxy.failed());
  CHECK(proxy.fallible());
  FailureLatch none = FailureLatch::ProxyOf(nullptr);
  none.SetFailure("lost");
  CHECK_FALSE(none.fallible());
  CHECK_FALSE(none.failed());
}

}  // namespace
}  // namespace geckoprof
