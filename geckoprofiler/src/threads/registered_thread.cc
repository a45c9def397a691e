#include "threads/registered_thread.h"

#include <cstring>
#include <new>
#include <utility>

#include "geckoprof/base/clock.h"

namespace geckoprof {

RegisteredThread* RegisteredThread::Make(const char* name, const Facts& facts, uint64_t number, bool ends_with_scope) {
  const size_t bytes = std::strlen(name) + 1;
  std::unique_ptr<char[]> copy(new (std::nothrow) char[bytes]);
  if (copy == nullptr) return nullptr;
  std::memcpy(copy.get(), name, bytes);
  return new (std::nothrow) RegisteredThread(std::move(copy), facts, number, ends_with_scope);
}

int64_t RegisteredThread::CpuTimeNs() const { return ThreadCpuNs(facts_.tid); }

void RegisteredThread::End() {
  if (ApiLocks::Holds(ApiLockRank::kData)) {
    registered_.store(false, std::memory_order_release);
    return;
  }
  const Lock lock(*this);
  registered_.store(false, std::memory_order_release);
}

void RegisteredThread::AdoptInForkedChild(ThreadId tid) {
  if (!ApiLocks::Holds(ApiLockRank::kData)) lock_.ResetInForkedChild();
  facts_.tid = tid;
  facts_.is_main = true;
  cpu_at_sleep_ns = 0;  // the child's CPU clock starts at 0
}

}  // namespace geckoprof
