#include "geckoprof/config/start_features.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("every name has a bit of its own, in order") {
  REQUIRE(FeatureNames().size() == kFeatureBitCount);
  for (unsigned bit = 0; bit < kFeatureBitCount; ++bit) CHECK(FeatureBit(FeatureNames()[bit]) == 1u << bit);
  for (const char* unknown : {"", "CPU", "cpu ", "default"}) CHECK(FeatureBit(unknown) == 0);
}

TEST_CASE("nostacksampling cancels stackwalk") {
  CHECK(AdjustFeatures(kBaseFeatures) ==
        (kFeatureCpu | kFeatureNoStackSampling | kFeatureNoMarkerStacks | kFeatureMarkersAllThreads | kFeatureFlows));
  CHECK(AdjustFeatures(kDefaultFeatures) == kDefaultFeatures);
}

}  // namespace
}  // namespace geckoprof
