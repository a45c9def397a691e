#include "sampler/cycle_clock.h"

#include <fcntl.h>
#include <string.h>

#include <algorithm>

#include "geckoprof/base/fd.h"

namespace geckoprof {

void CycleClock::Start(uint64_t cycles, int64_t ns) {
  first_cycles_ = latest_cycles_ = cycles;
  first_ns_ = latest_ns_ = ns;
}

void CycleClock::Update(uint64_t cycles, int64_t ns) {
  if (cycles <= first_cycles_ || ns <= first_ns_) {
    Start(cycles, ns);
    return;
  }
  latest_cycles_ = cycles;
  latest_ns_ = ns;
  ns_per_cycle_ = static_cast<double>(ns - first_ns_) / static_cast<double>(cycles - first_cycles_);
}

void CycleClock::ReadFirst() {
  const ClockReading first = ReadClocks(64);
  close_cycles_ = std::max(kCloseCycles, 4 * first.apart_cycles);
  Start(first.pair.cycles, first.pair.ns);
}

ClockReading CycleClock::Read() {
  const ClockReading now = ReadClocks(4, close_cycles_);
  Update(now.pair.cycles, now.pair.ns);
  return now;
}

bool IsCounterTheKernelsClock() {
  constexpr char kCounter[] = {'t', 's', 'c', '\n'};
  const Fd file = Fd::Open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY);
  uint8_t text[16] = {};
  return file.ok() && file.ReadAt(0, text) == sizeof(kCounter) && memcmp(text, kCounter, sizeof(kCounter)) == 0;
}

int64_t CycleClock::ToNs(uint64_t cycles) const {
  const int64_t distance = static_cast<int64_t>(cycles - latest_cycles_);
  return latest_ns_ + static_cast<int64_t>(static_cast<double>(distance) * ns_per_cycle_);
}

}  // namespace geckoprof
