#include "capture/process_clock.h"

#include <time.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <string_view>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/config/start_number.h"
#include "handover/segment_counts.h"

namespace geckoprof {
namespace {

// Written once by whoever is first; relaxed, it is a number.
constinit std::atomic<int64_t> g_start_ns{0};

// The 22nd word of /proc/self/stat, 20 behind the name, which ends with the last ')'.
int64_t KernelStartNs(int64_t now_ns) {
  std::string text;
  if (ReadWholeFile("/proc/self/stat", text) != 0) return now_ns;
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return now_ns;
  std::string_view rest = std::string_view(text).substr(name_end + 1);
  for (int word = 0; word < 20; ++word) {
    const size_t space = rest.find(' ');
    if (space == std::string_view::npos) return now_ns;
    rest.remove_prefix(space + 1);
  }
  const auto ticks = ParseDecimal(rest.substr(0, rest.find(' ')));
  const int64_t ticks_per_second = sysconf(_SC_CLK_TCK);
  timespec boot = {};
  if (!ticks || ticks_per_second <= 0 || clock_gettime(CLOCK_BOOTTIME, &boot) != 0) return now_ns;
  const int64_t since_boot_ns = boot.tv_sec * kNsPerSecond + boot.tv_nsec;
  const int64_t age_ns = since_boot_ns - static_cast<int64_t>(*ticks) * (kNsPerSecond / ticks_per_second);
  return age_ns < 0 || age_ns > since_boot_ns ? now_ns : now_ns - age_ns;
}

}  // namespace

int64_t ProcessStartNs(const BaseLink& base) {
  int64_t start_ns = g_start_ns.load(std::memory_order_relaxed);
  if (start_ns != 0) return start_ns;
  uint64_t size_bytes = 0;
  const void* const segment = base.SegmentAt(0, &size_bytes);
  int64_t found_ns = TimeZeroOfSegment(segment, size_bytes);
  if (found_ns == 0) found_ns = base.process_start_ns();
  if (found_ns == 0) found_ns = KernelStartNs(MonotonicNs());
  return g_start_ns.compare_exchange_strong(start_ns, found_ns, std::memory_order_relaxed) ? found_ns : start_ns;
}

}  // namespace geckoprof
