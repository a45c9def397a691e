#include "io/io_requests.h"

#include "geckoprof/base/hash_mix.h"

namespace geckoprof {

uint32_t IoRequests::FindOrAdd(uint32_t row, IoClass io_class, uint8_t opcode) {
  const uint32_t key = row * kOpcodes + opcode;
  if (key < kRests) return key;
  const uint64_t hash = MixBits(key);
  for (uint32_t step = 0; step < kMostSteps; ++step) {
    const uint32_t place = static_cast<uint32_t>((hash + step) % kKeys);
    uint32_t known = keys_[place].load(std::memory_order_relaxed);
    if (known == 0 && keys_[place].compare_exchange_strong(known, key, std::memory_order_relaxed)) known = key;
    if (known == key) return kRests + place;
  }
  return IoTotals::RestOf(io_class) * kOpcodes + opcode;
}

void IoRequests::Add(uint32_t row, IoClass io_class, uint8_t opcode, Sum sum) {
  auto& to = sums_[FindOrAdd(row, io_class, opcode)];
  if (sum.requests != 0) to.requests.fetch_add(sum.requests, std::memory_order_relaxed);
  if (sum.completed != 0) to.completed.fetch_add(sum.completed, std::memory_order_relaxed);
  if (sum.bytes != 0) to.bytes.fetch_add(sum.bytes, std::memory_order_relaxed);
  is_used_.store(true, std::memory_order_release);
}

}  // namespace geckoprof
