#include "runtime/own_process.h"

#include <pthread.h>
#include <sys/syscall.h>

#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {
namespace {

int32_t CurrentId() { return static_cast<int32_t>(RawSyscall(SYS_getpid)); }

}  // namespace

constinit std::atomic<int32_t> OwnProcess::id_{0};

void OwnProcess::Prepare() {
  id_.store(CurrentId(), std::memory_order_relaxed);
  (void)pthread_atfork(nullptr, nullptr, [] { id_.store(CurrentId(), std::memory_order_relaxed); });
}

bool OwnProcess::IsCurrent() {
  const int32_t current = CurrentId();
  int32_t known = 0;  // a hook may be called before Prepare
  return id_.compare_exchange_strong(known, current, std::memory_order_relaxed) || known == current;
}

}  // namespace geckoprof
