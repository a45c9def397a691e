#include "sampler/cycle_clock.h"

#include <fcntl.h>
#include <time.h>

#include <algorithm>
#include <string_view>

#include "geckoprof/base/fd.h"
#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {
namespace {

// Compares the vDSO's clock with the kernel's. A system call takes several times as long as a reading in the vDSO.
bool IsTimeReadWithoutKernel() {
  constexpr int kReadings = 4;  // each process pays for this; one uninterrupted reading is enough
  uint64_t read_cycles = UINT64_MAX;
  uint64_t call_cycles = UINT64_MAX;
  for (int i = 0; i < kReadings; ++i) {
    timespec now;
    const uint64_t before = ReadCycleCounter();
    MonotonicNs();
    const uint64_t between = ReadCycleCounter();
    RawSyscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    read_cycles = std::min(read_cycles, between - before);
    call_cycles = std::min(call_cycles, ReadCycleCounter() - between);
  }
  return 2 * read_cycles < call_cycles;
}

}  // namespace

void CycleClock::Start(uint64_t cycles, int64_t ns) {
  first_cycles_ = latest_cycles_ = cycles;
  first_ns_ = latest_ns_ = ns;
}

void CycleClock::Update(uint64_t cycles, int64_t ns) {
  // A counter or a clock that went back starts the measurement again.
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
  // A virtual machine may read its clocks slowly, so its limit is higher.
  close_cycles_ = std::max(kCloseCycles, 4 * first.apart_cycles);
  Start(first.pair.cycles, first.pair.ns);
}

ClockReading CycleClock::Read() {
  const ClockReading now = ReadClocks(4, close_cycles_);
  Update(now.pair.cycles, now.pair.ns);
  return now;
}

bool IsCounterTheKernelsClock() {
  const Fd file = Fd::Open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY);
  char text[16] = {};
  const int64_t bytes = file.ok() ? file.ReadAt(0, {reinterpret_cast<uint8_t*>(text), sizeof(text)}) : 0;
  const std::string_view source(text, bytes > 0 ? static_cast<size_t>(bytes) : 0);
  return source == "tsc\n" || (source == "kvm-clock\n" && IsTimeReadWithoutKernel());
}

int64_t CycleClock::ToNs(uint64_t cycles) const {
  const int64_t distance = static_cast<int64_t>(cycles - latest_cycles_);
  return latest_ns_ + static_cast<int64_t>(static_cast<double>(distance) * ns_per_cycle_);
}

}  // namespace geckoprof
