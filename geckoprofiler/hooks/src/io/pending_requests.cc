#include "io/pending_requests.h"

#include <string.h>

#include "geckoprof/arch/instructions.h"
#include "geckoprof/base/hash_mix.h"

namespace geckoprof {

uint32_t PendingRequests::HomeOf(uint64_t user_data) { return static_cast<uint32_t>(MixBits(user_data) % kRows); }

// Returns the row of the user data, or the free one in which it would be.
PendingRequests::Row& PendingRequests::Find(uint64_t user_data) {
  uint32_t row = HomeOf(user_data);
  while (rows_[row].requests != 0 && rows_[row].user_data != user_data) row = (row + 1) % kRows;
  return rows_[row];
}

void PendingRequests::Add(uint64_t user_data, uint32_t kind) {
  Row& row = Find(user_data);
  if (row.requests == 0) {
    if (used_ == kMostUsed) return;
    ++used_;
    row = {user_data, kind, 0};
  }
  if (row.kind != kind) row.kind = kSeveral;
  ++row.requests;
}

uint32_t PendingRequests::Complete(uint64_t user_data, bool has_more) {
  Row& row = Find(user_data);
  if (row.requests == 0) return 0;
  const uint32_t kind = row.kind != kSeveral ? row.kind : 0;
  if (!has_more && --row.requests == 0) Remove(static_cast<uint32_t>(&row - rows_));
  return kind;
}

// Moves later rows forward, so that each is found from its home on without a gap.
void PendingRequests::Remove(uint32_t row) {
  --used_;
  for (uint32_t next = (row + 1) % kRows; rows_[next].requests != 0; next = (next + 1) % kRows) {
    const uint32_t home = HomeOf(rows_[next].user_data);
    if ((next - home) % kRows < (next - row) % kRows) continue;
    rows_[row] = rows_[next];
    row = next;
  }
  rows_[row] = {};
}

void PendingRequests::Clear() {
  if (used_ == 0) return;
  memset(rows_, 0, sizeof(rows_));
  used_ = 0;
}

bool RingTable::TryLock(Row& row, const unsigned* expected) {
  if (row.ring.load(std::memory_order_relaxed) != expected) return false;
  if (row.is_locked.exchange(true, std::memory_order_acquire)) return false;
  if (row.ring.load(std::memory_order_relaxed) == expected) return true;
  row.is_locked.store(false, std::memory_order_release);
  return false;
}

RingTable::Row* RingTable::Lock(const unsigned* ring, int attempts) {
  if (ring == nullptr) return nullptr;
  for (Row& row : rows_) {
    if (row.ring.load(std::memory_order_relaxed) != ring) continue;
    for (; attempts > 0; --attempts) {
      if (TryLock(row, ring)) return &row;
      SpinHint();
    }
    return nullptr;
  }
  for (Row& row : rows_) {
    if (!TryLock(row, nullptr)) continue;
    row.is_new = true;
    row.ring.store(ring, std::memory_order_relaxed);
    return &row;
  }
  return nullptr;
}

}  // namespace geckoprof
