#include "core/feature_request.h"

#include <catch2/catch.hpp>
#include <string>

#include "geckoprof/config/start_features.h"

namespace geckoprof {
namespace {

std::string NamesOf(const FeatureRequest& request) {
  std::string names;
  for (const FeatureRefusal& refusal : request.refusals) names += refusal.name + " ";
  return names;
}

TEST_CASE("what exists is granted, and nothing asked for means the default") {
  CHECK(SettleFeatures(0).granted == (ProfilerFeature::StackWalk | ProfilerFeature::CPUUtilization));
  CHECK(SettleFeatures(0).refusals.empty());
  CHECK(SettleFeatures(ProfilerFeature::CPUUtilization).granted == ProfilerFeature::CPUUtilization);
  CHECK(AvailableFeatures() ==
        (ProfilerFeature::StackWalk | ProfilerFeature::NoStackSampling | ProfilerFeature::CPUUtilization |
         ProfilerFeature::NoMarkerStacks | ProfilerFeature::MarkersAllThreads | ProfilerFeature::Flows));
}

TEST_CASE("no stack sampling cancels stack walking, and that is no refusal") {
  const FeatureRequest request = SettleFeatures(ProfilerFeature::NoStackSampling | ProfilerFeature::StackWalk);
  CHECK(request.granted == ProfilerFeature::NoStackSampling);
  CHECK(request.refusals.empty());
}

TEST_CASE("what does not exist is refused with its name and a reason") {
  const FeatureRequest request = SettleFeatures(FeatureBit("memory") | FeatureBit("js") | ProfilerFeature::StackWalk);
  CHECK(request.granted == ProfilerFeature::StackWalk);
  CHECK(NamesOf(request) == "js memory ");
  for (const FeatureRefusal& refusal : request.refusals) CHECK(refusal.reason.size() > 10);
}

TEST_CASE("what is always recorded is granted, and no refusal") {
  for (const char* name : {"flows", "markersallthreads"}) {
    const FeatureRequest request = SettleFeatures(FeatureBit(name) | ProfilerFeature::StackWalk);
    CHECK(request.granted == (FeatureBit(name) | ProfilerFeature::StackWalk));
    CHECK(request.refusals.empty());
  }
}

TEST_CASE("only refused features leave nothing on") {
  const FeatureRequest request = SettleFeatures(FeatureBit("power"));
  CHECK(request.granted == 0);
  CHECK(NamesOf(request) == "power ");
}

TEST_CASE("implied features are asked for too") {
  CHECK(NamesOf(SettleFeatures(FeatureBit("fileioall"))) == "mainthreadio fileio fileioall ");
  CHECK(SettleFeatures(FeatureBit("cpuallthreads")).granted == ProfilerFeature::CPUUtilization);
  // In the original it would take stacks away; here it is not there to do so.
  CHECK(SettleFeatures(FeatureBit("tracing") | ProfilerFeature::StackWalk).granted == ProfilerFeature::StackWalk);
}

TEST_CASE("every bit but the available ones is refused, unknown ones included") {
  const FeatureRequest request = SettleFeatures(UINT32_MAX);
  CHECK(request.refusals.size() == 26);
  CHECK(request.refusals.back().name == "bit 31");
  CHECK((request.granted & ~AvailableFeatures()) == 0);
}

}  // namespace
}  // namespace geckoprof
