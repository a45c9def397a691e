// What a marker with a stack of 30 frames costs, beside the unwinder's own time for those frames: the same stack, with
// all rules known, once again and again and once in turn with three others of its depth through other functions, so
// that it cannot go by the last walk alone. Marker and unwinder take turns; figures are medians of rounds.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "geckoprof/arch/registers.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/unwind/unwinder.h"
#include "tests/support/own_stack.h"

namespace {

using geckoprof::Registers;
using geckoprof::StackView;

constexpr int kFrames = 30;
constexpr int kRounds = 41;
constexpr int kPerRound = 2000;

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <typename Body>
double NsEach(const Body& body) {
  const int64_t begin_ns = geckoprof_base_now();
  for (int i = 0; i < kPerRound; ++i) {
    body(i);
    asm volatile("" ::: "memory");
  }
  return static_cast<double>(geckoprof_base_now() - begin_ns) / kPerRound;
}

// A copy of the stack, at its own addresses: what the sampler has.
struct Copy {
  Registers registers;
  std::vector<uint8_t> bytes;
  StackView View() const { return {bytes.data(), registers.sp(), bytes.size()}; }
};

__attribute__((noinline)) void Take(Copy& copy) {
  copy.registers.known = geckoprof::ReadCurrentRegisters(copy.registers.values);
  const auto* const from = reinterpret_cast<const uint8_t*>(copy.registers.sp());
  copy.bytes.assign(from, from + (geckoprof::OwnStack().high - copy.registers.sp()));
  asm volatile("" ::: "memory");
}

struct Figures {
  size_t frames = 0;
  double marker_ns = 0, plain_ns = 0, same_ns = 0, turns_ns = 0;
};

__attribute__((noinline)) void Measure(geckoprof::Unwinder& unwinder, std::vector<Copy>& others, Figures& out) {
  Copy own;
  Take(own);
  others.push_back(own);
  geckoprof::UnwoundFrame frames[geckoprof::Unwinder::kMaxFrames];
  std::vector<double> marker, plain, same, turns;
  for (int round = 0; round < kRounds; ++round) {
    marker.push_back(
        NsEach([](int) { PROFILER_MARKER_UNTYPED("with a stack", OTHER, geckoprof::MarkerStack::Capture()); }));
    plain.push_back(NsEach([](int) { PROFILER_MARKER_UNTYPED("without", OTHER); }));
    same.push_back(NsEach([&](int) { out.frames = unwinder.Unwind(own.registers, own.View(), frames).frame_count; }));
    turns.push_back(NsEach([&](int i) {
      const Copy& one = others[static_cast<size_t>(i) % others.size()];
      unwinder.Unwind(one.registers, one.View(), frames);
    }));
    usleep(1000);  // the sampler sees to what it is handed
  }
  out.marker_ns = Median(marker);
  out.plain_ns = Median(plain);
  out.same_ns = Median(same);
  out.turns_ns = Median(turns);
}

// As many frames, each way through a function of its own.
template <int kWay>
__attribute__((noinline)) void Deep(int left, geckoprof::Unwinder& unwinder, std::vector<Copy>& others, Figures& out) {
  if (left > 0) {
    Deep<kWay>(left - 1, unwinder, others, out);
  } else if constexpr (kWay == 0) {
    Measure(unwinder, others, out);
  } else {
    Take(others.emplace_back());
  }
  asm volatile("" ::: "memory");
}

}  // namespace

int main() {
  if (geckoprof_base_start(64 << 20, 1'000'000, 0, nullptr, 0, 0) != 0) return 1;
  usleep(20'000);
  geckoprof::ModuleTable modules;
  std::string maps;
  if (geckoprof::ReadWholeFile("/proc/self/maps", maps) != 0) return 1;
  modules.Refresh(maps, 0);
  geckoprof::Unwinder unwinder(modules);
  std::vector<Copy> others;
  others.reserve(8);
  Figures figures;
  constexpr int kLeft = kFrames - 6;  // with this function's own, its caller's and libc's
  Deep<1>(kLeft, unwinder, others, figures);
  Deep<2>(kLeft, unwinder, others, figures);
  Deep<3>(kLeft, unwinder, others, figures);
  Deep<0>(kLeft, unwinder, others, figures);
  std::printf("the unwinder alone: %zu frames, %.0f ns the same stack again, %.0f ns in turn with others\n",
              figures.frames, figures.same_ns, figures.turns_ns);
  const double ratio = figures.marker_ns / figures.turns_ns;
  std::printf(
      "BAR marker with a stack of %zu frames | %.2f x the unwinder's time (%.0f ns, without a stack %.0f) | <= 2.00 x "
      "| %s\n",
      figures.frames, ratio, figures.marker_ns, figures.plain_ns, ratio <= 2 ? "met" : "missed");
  return 0;
}
