#ifndef GECKOPROF_HOOKS_IO_IO_REQUESTS_H_
#define GECKOPROF_HOOKS_IO_IO_REQUESTS_H_

#include <atomic>
#include <cstdint>

#include "io/io_totals.h"
#include "io/ring_entries.h"

namespace geckoprof {

// IoRequests: the requests that the program gave to rings, by row of IoTotals and by opcode.
//
//   keys_   | 0 | row 9, read | 0 | row 12, send | ...     by hash of row and opcode
//   sums_   | rests of the classes, by opcode | 5 requests, 4 completed, 16384 bytes | ...
//
// If there is no free place near the hash, a request counts for the rest of its class. Keys are never removed. The sums
// are those since the last Drain.
//
// Threads: any, without a lock. Context: any, signal context included. Lifetime: all bytes are zero at first.
class IoRequests {
 public:
  struct Sum {
    uint64_t requests = 0;
    uint64_t completed = 0;  // of these and earlier requests, as far as they are known
    uint64_t bytes = 0;      // that were moved
  };

  // `io_class` is that of the row. REQUIRES: opcode < RingRequest::kOpcodes.
  void Add(uint32_t row, IoClass io_class, uint8_t opcode, Sum sum);

  // Empties the sums, and calls `visit` with the row, the opcode and the sum of each that was not empty.
  template <typename Visit>
  void Drain(const Visit& visit) {
    if (!is_used_.exchange(false, std::memory_order_acquire)) return;
    for (uint32_t place = 0; place < kPlaces; ++place) {
      auto& from = sums_[place];
      const Sum sum = {from.requests.exchange(0, std::memory_order_relaxed),
                       from.completed.exchange(0, std::memory_order_relaxed),
                       from.bytes.exchange(0, std::memory_order_relaxed)};
      if ((sum.requests | sum.completed | sum.bytes) == 0) continue;
      const uint32_t key = place < kRests ? place : keys_[place - kRests].load(std::memory_order_relaxed);
      visit(key / kOpcodes, static_cast<uint8_t>(key % kOpcodes), sum);
    }
  }

 private:
  static constexpr uint32_t kOpcodes = RingRequest::kOpcodes;
  static constexpr uint32_t kRests = (1 + kIoClasses) * kOpcodes;  // row 0 is none
  static constexpr uint32_t kKeys = 2048, kMostSteps = 32;
  static constexpr uint32_t kPlaces = kRests + kKeys;

  uint32_t FindOrAdd(uint32_t row, IoClass io_class, uint8_t opcode);

  std::atomic<bool> is_used_;
  std::atomic<uint32_t> keys_[kKeys];
  struct {
    std::atomic<uint64_t> requests, completed, bytes;
  } sums_[kPlaces];
};

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_IO_IO_REQUESTS_H_
