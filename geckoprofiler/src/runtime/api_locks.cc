#include "runtime/api_locks.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace geckoprof {
namespace {

constexpr size_t kRankCount = 4;

struct Holds {
  uint16_t count[kRankCount];
};

// 8 bytes of the static TLS that the loader keeps for libraries that are loaded late.
[[gnu::tls_model("initial-exec")]] constinit thread_local Holds holds = {};

size_t Index(ApiLockRank rank) { return static_cast<size_t>(rank); }

#ifndef NDEBUG
[[noreturn]] void EndForBrokenOrder(ApiLockRank rank) {
  static constexpr const char* kNames[kRankCount] = {"profiler", "registry", "policy", "data"};
  for (size_t held = kRankCount; held-- > 0;) {
    if (holds.count[held] == 0) continue;
    std::fprintf(stderr, "geckoprof: the %s lock is taken while the %s lock is held\n", kNames[Index(rank)],
                 kNames[held]);
    break;
  }
  std::abort();
}
#endif

}  // namespace

bool ApiLocks::MayAcquire(ApiLockRank rank) {
  const bool may_repeat = rank == ApiLockRank::kRegistry;
  for (size_t held = Index(rank) + (may_repeat ? 1 : 0); held < kRankCount; ++held) {
    if (holds.count[held] != 0) return false;
  }
  return true;
}

void ApiLocks::Acquire(ApiLockRank rank) {
#ifndef NDEBUG
  if (!MayAcquire(rank)) EndForBrokenOrder(rank);
#endif
  ++holds.count[Index(rank)];
}

void ApiLocks::Release(ApiLockRank rank) {
  uint16_t& count = holds.count[Index(rank)];
  if (count != 0) --count;
}

uint32_t ApiLocks::HoldCount(ApiLockRank rank) { return holds.count[Index(rank)]; }

bool ApiLocks::HoldsAny() {
  for (const uint16_t count : holds.count) {
    if (count != 0) return true;
  }
  return false;
}

}  // namespace geckoprof
