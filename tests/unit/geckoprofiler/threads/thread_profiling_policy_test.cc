#include "geckoprofiler/thread_profiling_policy.h"

#include <unistd.h>

#include <string>

#include "base_double.h"
#include "catch2/catch.hpp"

namespace geckoprof {
namespace {

using enum ThreadProfilingFeatures;

TEST_CASE("thread policy: a selected thread has everything") {
  CHECK(ThreadProfilingPolicy().FeaturesFor("anything") == Any);
  CHECK(PolicyFor("").FeaturesFor("anything") == Any);
  CHECK(PolicyFor("*").FeaturesFor("") == Any);
  CHECK(PolicyFor("omposit").FeaturesFor("COMPOSITOR") == Any);
  CHECK(PolicyFor(("pid:" + std::to_string(getpid())).c_str()).FeaturesFor("anything") == Any);
}

TEST_CASE("thread policy: another has its markers, and what is asked of all threads") {
  CHECK(PolicyFor("GeckoMain").FeaturesFor("Worker") == Markers);
  CHECK(PolicyFor("pid:1").FeaturesFor("Worker") == Markers);
  CHECK(PolicyFor("GeckoMain").FeaturesFor("Boss", /*is_main=*/true) == Any);
  CHECK(PolicyFor("full_threads").FeaturesFor("Boss", /*is_main=*/true) == Any);  // of this program
  CHECK(PolicyFor("Worker").FeaturesFor("Boss", /*is_main=*/true) == Markers);
  CHECK(PolicyFor("GeckoMain", kFeatureCpuAllThreads).FeaturesFor("Worker") == Combine(Markers, CPUUtilization));
  CHECK(PolicyFor("GeckoMain", kFeatureSamplingAllThreads).FeaturesFor("Worker") == Combine(Markers, Sampling));
  CHECK(PolicyFor("GeckoMain", kFeatureMarkersAllThreads).FeaturesFor("Worker") == Markers);
  CHECK(PolicyFor("GeckoMain", ~0u).FeaturesFor("Worker") == Any);
  CHECK(PolicyFor("GeckoMain", kFeatureMarkersAllThreads).FeaturesFor("GeckoMain") == Any);
}

}  // namespace
}  // namespace geckoprof
