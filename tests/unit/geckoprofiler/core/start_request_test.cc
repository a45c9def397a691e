#include "core/start_request.h"

#include <catch2/catch.hpp>
#include <string>

#include "geckoprof/config/start_features.h"

namespace geckoprof {
namespace {

RecordingParameters Make(uint64_t capacity_bytes, int64_t interval_ns, int64_t duration_ns = 0) {
  geckoprof_start_parameters asked = GECKOPROF_START_PARAMETERS;
  asked.capacity_bytes = capacity_bytes;
  asked.interval_ns = interval_ns;
  asked.duration_ns = duration_ns;
  return MakeStartRequest(asked);
}

std::string NamesOf(uint32_t features) {
  std::string names;
  for (uint32_t feature = 1; feature != 0; feature <<= 1) {
    if ((features & feature) != 0) names += std::string(FeatureName(feature)) + " ";
  }
  return names;
}

TEST_CASE("zeros become defaults") {
  CHECK(Make(0, 0).capacity_bytes == 128u << 20);
  CHECK(Make(0, 0).interval_ns == 1'000'000);
  CHECK(Make(0, -1).interval_ns == 1'000'000);
  CHECK(Make(0, 0).duration_ns == 0);
  CHECK(Make(0, 0, -1).duration_ns == 0);
}

TEST_CASE("capacities become powers of two within the range") {
  CHECK(Make(8u << 20, 1).capacity_bytes == 8u << 20);
  CHECK(Make((8u << 20) + 1, 1).capacity_bytes == 16u << 20);
  CHECK(Make(1, 1).capacity_bytes == 1u << 20);
  CHECK(Make(UINT64_MAX, 1).capacity_bytes == uint64_t{2} << 30);
}

TEST_CASE("times are clamped") {
  CHECK(Make(0, 2'500'000).interval_ns == 2'500'000);
  CHECK(Make(0, 1).interval_ns == 50'000);
  CHECK(Make(0, INT64_MAX).interval_ns == 5'000'000'000);
  CHECK(Make(0, 1, 250'000'000).duration_ns == 250'000'000);
  CHECK(Make(0, 1, INT64_MAX).duration_ns > 0);
}

TEST_CASE("filters are copied, null ones left out") {
  const char* const filters[] = {"a", nullptr, "B"};
  geckoprof_start_parameters asked = GECKOPROF_START_PARAMETERS;
  asked.filter_count = 3;
  CHECK(MakeStartRequest(asked).filters.empty());
  asked.filters = filters;
  CHECK(MakeStartRequest(asked).filters == std::vector<std::string>{"a", "B"});
}

TEST_CASE("what exists is granted, and nothing asked for means the default") {
  CHECK(ResolveFeatures(0).granted == (ProfilerFeature::StackWalk | ProfilerFeature::CPUUtilization));
  CHECK(ResolveFeatures(0).refused == 0);
  CHECK(ResolveFeatures(ProfilerFeature::CPUUtilization).granted == ProfilerFeature::CPUUtilization);
  CHECK(AvailableFeatures() ==
        (ProfilerFeature::StackWalk | ProfilerFeature::NoStackSampling | ProfilerFeature::CPUUtilization |
         ProfilerFeature::NoMarkerStacks | ProfilerFeature::MarkersAllThreads | ProfilerFeature::Flows));
}

TEST_CASE("no stack sampling cancels stack walking, and that is no refusal") {
  const FeatureRequest request = ResolveFeatures(ProfilerFeature::NoStackSampling | ProfilerFeature::StackWalk);
  CHECK(request.granted == ProfilerFeature::NoStackSampling);
  CHECK(request.refused == 0);
}

constexpr uint32_t kTracing = 1u << 25;  // in Firefox

TEST_CASE("a bit without a feature is refused with a reason") {
  const FeatureRequest request = ResolveFeatures(kTracing | 1u << 1 | ProfilerFeature::StackWalk);
  CHECK(request.granted == ProfilerFeature::StackWalk);
  CHECK(NamesOf(request.refused) == "bit 1 bit 25 ");
  CHECK(std::string(FeatureRefusalReason(kTracing)) == "no feature has this number");
}

TEST_CASE("what is always recorded is granted, and no refusal") {
  for (const char* name : {"flows", "markersallthreads"}) {
    const FeatureRequest request = ResolveFeatures(FeatureBit(name) | ProfilerFeature::StackWalk);
    CHECK(request.granted == (FeatureBit(name) | ProfilerFeature::StackWalk));
    CHECK(request.refused == 0);
    CHECK(std::string(FeatureRefusalReason(FeatureBit(name))).empty());
  }
}

TEST_CASE("only refused bits leave nothing on") {
  const FeatureRequest request = ResolveFeatures(kTracing);
  CHECK(request.granted == 0);
  CHECK(request.refused == kTracing);
}

TEST_CASE("what the recorder alone has is refused with its name and a reason") {
  const FeatureRequest request = ResolveFeatures(kRecorderFeatures | ProfilerFeature::StackWalk);
  CHECK(request.granted == ProfilerFeature::StackWalk);
  CHECK(NamesOf(request.refused) == "power cpufreq system ");
  CHECK(std::string(FeatureRefusalReason(kFeaturePower)) == "only `geckoprof record` has it");
}

TEST_CASE("features and bits without one have names") {
  CHECK(NamesOf(kBaseFeatures) == "nomarkerstacks stackwalk nostacksampling cpu markersallthreads flows ");
  CHECK(NamesOf(ProfilerFeature::NativeAllocations) == "nativeallocations ");
  for (uint32_t bit = 0; bit < 32; ++bit) {
    if ((kKnownFeatures >> bit & 1) == 0) CHECK(FeatureName(1u << bit) == "bit " + std::to_string(bit));
  }
}

TEST_CASE("every bit but the available ones is refused, unknown ones included") {
  const FeatureRequest request = ResolveFeatures(UINT32_MAX);
  CHECK(request.refused == ~AvailableFeatures());
  CHECK((request.granted & ~AvailableFeatures()) == 0);
}

TEST_CASE("without the hooks library its features are refused") {
  CHECK((AvailableFeatures() & kHookFeatures) == 0);
  CHECK(std::string(FeatureRefusalReason(ProfilerFeature::Memory)) ==
        "libgeckoprofiler_hooks.so is not in this process");
}

}  // namespace
}  // namespace geckoprof
