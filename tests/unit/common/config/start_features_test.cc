#include "geckoprof/config/start_features.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("every feature has a bit of its own") {
  uint32_t bits = 0;
  for (const Feature& feature : kFeatureList) {
    CHECK((feature.bit & bits) == 0);
    CHECK(FeatureBit(feature.name) == feature.bit);
    bits |= feature.bit;
  }
  CHECK(bits == kKnownFeatures);
  CHECK((kBaseFeatures & ~kKnownFeatures) == 0);
  CHECK(kDefaultFeatures == (kFeatureStackWalk | kFeatureCpu));
}

TEST_CASE("the name of no feature has no bit, also that of a feature of Firefox that is not built") {
  for (const char* unknown : {"", "CPU", "cpu ", "default", "tracing", "java", "bandwidth", "js"}) {
    INFO(unknown);
    CHECK(FeatureBit(unknown) == 0);
  }
}

TEST_CASE("nostacksampling cancels stackwalk") {
  CHECK(AdjustFeatures(kBaseFeatures) ==
        (kFeatureCpu | kFeatureNoStackSampling | kFeatureNoMarkerStacks | kFeatureMarkersAllThreads | kFeatureFlows));
  CHECK(AdjustFeatures(kDefaultFeatures) == kDefaultFeatures);
}

TEST_CASE("hooks record stacks") {
  CHECK(AdjustFeatures(kFeatureNativeAllocations) == (kFeatureNativeAllocations | kFeatureStackWalk));
  CHECK(AdjustFeatures(kFeatureMemory | kFeatureNoStackSampling) == (kFeatureMemory | kFeatureNoStackSampling));
}

TEST_CASE("features of files include those with fewer markers") {
  CHECK(AdjustFeatures(kFeatureFileIoAll) ==
        (kFeatureFileIoAll | kFeatureFileIo | kFeatureMainThreadIo | kFeatureStackWalk));
  CHECK(AdjustFeatures(kFeatureFileIo) == (kFeatureFileIo | kFeatureMainThreadIo | kFeatureStackWalk));
  CHECK(AdjustFeatures(kFeatureMainThreadIo) == (kFeatureMainThreadIo | kFeatureStackWalk));
}

}  // namespace
}  // namespace geckoprof
