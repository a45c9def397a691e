#include "geckoprofiler/thread_profiling_features.h"

#include "catch2/catch.hpp"

namespace geckoprof {
namespace {

using enum ThreadProfilingFeatures;

static_assert(Combine(CPUUtilization, Sampling, Markers) == Any);

TEST_CASE("thread features: combine") {
  CHECK(Combine(NotProfiled, NotProfiled) == NotProfiled);
  for (const ThreadProfilingFeatures one : {NotProfiled, CPUUtilization, Sampling, Markers, Any}) {
    CHECK(Combine(one, NotProfiled) == one);
    CHECK(Combine(one, one) == one);
    CHECK(Combine(one, Any) == Any);
  }
  CHECK(static_cast<uint32_t>(Combine(CPUUtilization, Markers)) == 5);
}

TEST_CASE("thread features: intersect") {
  for (const ThreadProfilingFeatures one : {NotProfiled, CPUUtilization, Sampling, Markers, Any}) {
    CHECK(Intersect(one, NotProfiled) == NotProfiled);
    CHECK(Intersect(one, one) == one);
    CHECK(Intersect(one, Any) == one);
  }
  CHECK(Intersect(CPUUtilization, Sampling) == NotProfiled);
  CHECK(Intersect(Combine(CPUUtilization, Sampling), Combine(Sampling, Markers)) == Sampling);
  CHECK(Intersect(Any, Combine(Sampling, Markers), Markers) == Markers);
}

TEST_CASE("thread features: do they intersect") {
  CHECK_FALSE(DoFeaturesIntersect(NotProfiled, NotProfiled));
  CHECK_FALSE(DoFeaturesIntersect(Any, NotProfiled));
  CHECK_FALSE(DoFeaturesIntersect(CPUUtilization, Combine(Sampling, Markers)));
  CHECK(DoFeaturesIntersect(Markers, Combine(Sampling, Markers)));
  CHECK(DoFeaturesIntersect(Any, CPUUtilization));
}

}  // namespace
}  // namespace geckoprof
