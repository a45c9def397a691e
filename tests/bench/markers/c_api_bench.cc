// What marking costs by the C API, beside the macros of C++ in the same run: linked, and through the shim. Figures are
// medians of rounds, in which the two take turns.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/c/geckoprof_base.h"
#ifdef GECKOPROF_SHIM
#define GECKOPROF_SHIM_IMPLEMENTATION
#include "baseprofiler/c/geckoprof_shim.h"
#endif

namespace {

constexpr int kRounds = 41;
constexpr uint64_t kPerRound = 200'000;

struct Three : geckoprof::BaseMarkerType<Three> {
  using MS = geckoprof::MarkerSchema;
  static constexpr const char* Name = "Three";
  static constexpr MS::PayloadField PayloadFields[] = {{"a", MS::InputType::Uint64, "A", MS::Format::Integer},
                                                       {"b", MS::InputType::Double, "B", MS::Format::Decimal},
                                                       {"c", MS::InputType::Boolean, "C"}};
};
geckoprof_lazy_type g_three = GECKOPROF_LAZY_TYPE(&geckoprof::internal::g_marker_type<Three>);

template <typename Body>
double NsEach(const Body& body) {
  const int64_t begin_ns = geckoprof_base_now();
  for (uint64_t i = 0; i < kPerRound; ++i) {
    body();
    asm volatile("" ::: "memory");
  }
  return static_cast<double>(geckoprof_base_now() - begin_ns) / static_cast<double>(kPerRound);
}

template <typename Cxx, typename C>
void Compare(const char* name, const Cxx& cxx, const C& c) {
  std::vector<double> of_cxx, of_c;
  for (int round = 0; round < kRounds; ++round) {
    of_cxx.push_back(NsEach(cxx));
    of_c.push_back(NsEach(c));
  }
  std::sort(of_cxx.begin(), of_cxx.end());
  std::sort(of_c.begin(), of_c.end());
  std::printf("%-24s C %6.2f ns   C++ %6.2f ns\n", name, of_c[kRounds / 2], of_cxx[kRounds / 2]);
}

void CompareAll(const char* state) {
  std::printf("%s\n", state);
  Compare(
      "instant", [] { PROFILER_MARKER_UNTYPED("cxx", OTHER); }, [] { GECKOPROF_MARK("c", GECKOPROF_CATEGORY_OTHER); });
  Compare(
      "scope", [] { AUTO_PROFILER_MARKER_UNTYPED("cxx", OTHER); },
      [] { GECKOPROF_SCOPE("c", GECKOPROF_CATEGORY_OTHER); });
  Compare(
      "text of 16 bytes", [] { PROFILER_MARKER_TEXT("cxx", OTHER, {}, "sixteen bytes ok"); },
      [] { GECKOPROF_MARK_TEXT("c", GECKOPROF_CATEGORY_OTHER, geckoprof_instant(), "sixteen bytes ok"); });
  Compare(
      "three typed fields", [] { PROFILER_MARKER("cxx", OTHER, {}, Three, 17u, 0.5, true); },
      [] {
        GECKOPROF_MARK_TYPED("c", GECKOPROF_CATEGORY_OTHER, geckoprof_instant(), &g_three, geckoprof_uint64(17),
                             geckoprof_double(0.5), geckoprof_bool(1));
      });
#ifndef GECKOPROF_SHIM  // which has no labels of C++
  Compare(
      "label", [] { AUTO_BASE_PROFILER_LABEL("cxx", OTHER); }, [] { GECKOPROF_LABEL("c", GECKOPROF_CATEGORY_OTHER); });
#endif
}

}  // namespace

int main() {
  CompareAll(geckoprof_base_is_here() ? "inactive" : "without the library");
  geckoprof_start_parameters wanted = GECKOPROF_START_PARAMETERS;
  wanted.capacity_bytes = uint64_t{1} << 22;  // recycled all the time: no page is touched for the first time
  if (geckoprof_base_start_with(&wanted) != GECKOPROF_STARTED) return 0;
  CompareAll("recording");
}
