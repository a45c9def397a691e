#include "markers/time_conversion.h"

#include <atomic>

#include "baseprofiler/marker_abi.h"
#include "geckoprof/entries/entry_format.h"
#include "runtime/exported_function.h"

namespace geckoprof {
namespace {

// Both are written once. The cycles are written last, and are 0 until then.
constinit std::atomic<uint64_t> g_first_cycles{0};
constinit std::atomic<int64_t> g_first_ns{0};

struct Rate {
  ClockPair now;
  double ns_per_cycle = 0;

  int64_t Length(uint64_t cycles) const {
    return static_cast<int64_t>(static_cast<double>(static_cast<int64_t>(cycles)) * ns_per_cycle);
  }
  int64_t ToNs(uint64_t time) const {
    return (time & kTimeIsCycles) == 0 ? static_cast<int64_t>(time)
                                       : now.ns + Length((time & ~kTimeIsCycles) - now.cycles);
  }
};

Rate ReadRate() {
  const ClockPair first{g_first_cycles.load(std::memory_order_acquire), g_first_ns.load(std::memory_order_relaxed)};
  Rate rate{ReadClocks(8).pair};
  if (first.cycles != 0 && rate.now.cycles > first.cycles) {
    rate.ns_per_cycle =
        static_cast<double>(rate.now.ns - first.ns) / static_cast<double>(rate.now.cycles - first.cycles);
  }
  return rate;
}

}  // namespace

void TimeConversion::SetFirst(const ClockPair& first) {
  if (g_first_cycles.load(std::memory_order_relaxed) != 0) return;
  g_first_ns.store(first.ns, std::memory_order_relaxed);
  g_first_cycles.store(first.cycles, std::memory_order_release);
}

int64_t TimeConversion::NsBetween(uint64_t start, uint64_t end) {
  if (start == 0 || end == 0 || start == end) return 0;
  if (((start | end) & kTimeIsCycles) == 0) return static_cast<int64_t>(end - start);
  const Rate rate = ReadRate();
  const bool are_cycles = (start & end & kTimeIsCycles) != 0;
  return are_cycles ? rate.Length(end - start) : rate.ToNs(end) - rate.ToNs(start);
}

}  // namespace geckoprof

GECKOPROF_EXPORT int64_t geckoprof_base_ns_between(geckoprof_time start, geckoprof_time end) {
  return geckoprof::TimeConversion::NsBetween(start, end);
}
