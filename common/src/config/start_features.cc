#include "geckoprof/config/start_features.h"

#include <array>

namespace geckoprof {
namespace {

constexpr std::array<std::string_view, kFeatureBitCount> kFeatureNames = {"java",
                                                                          "js",
                                                                          "mainthreadio",
                                                                          "fileio",
                                                                          "fileioall",
                                                                          "nomarkerstacks",
                                                                          "screenshots",
                                                                          "seqstyle",
                                                                          "stackwalk",
                                                                          "jsallocations",
                                                                          "nostacksampling",
                                                                          "nativeallocations",
                                                                          "ipcmessages",
                                                                          "audiocallbacktracing",
                                                                          "cpu",
                                                                          "notimerresolutionchange",
                                                                          "cpuallthreads",
                                                                          "samplingallthreads",
                                                                          "markersallthreads",
                                                                          "unregisteredthreads",
                                                                          "processcpu",
                                                                          "power",
                                                                          "cpufreq",
                                                                          "bandwidth",
                                                                          "memory",
                                                                          "tracing",
                                                                          "sandbox",
                                                                          "flows",
                                                                          "jssources"};

constexpr uint32_t BitOf(std::string_view name) {
  for (unsigned bit = 0; bit < kFeatureNames.size(); ++bit) {
    if (kFeatureNames[bit] == name) return 1u << bit;
  }
  return 0;
}
static_assert(BitOf("stackwalk") == kFeatureStackWalk && BitOf("nostacksampling") == kFeatureNoStackSampling &&
              BitOf("cpu") == kFeatureCpu && BitOf("flows") == kFeatureFlows && BitOf("jssources") == 1u << 28);

}  // namespace

std::span<const std::string_view> FeatureNames() { return kFeatureNames; }

uint32_t FeatureBit(std::string_view name) { return BitOf(name); }

}  // namespace geckoprof
