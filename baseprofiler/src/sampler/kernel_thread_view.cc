#include "sampler/kernel_thread_view.h"

#include <linux/futex.h>
#include <string.h>

namespace geckoprof {
namespace {

// These places of pthread_mutex_t and pthread_rwlock_t are part of the ABI of both architectures.
constexpr uint64_t kMutexOwner = 8;
constexpr uint64_t kPhaseFutex = 8, kWritersFutex = 12, kWriter = 24;

// Returns 0 if the memory cannot be read.
uint32_t ReadWord(const ProcessMemory& memory, uint64_t address) {
  uint8_t bytes[sizeof(uint32_t)];
  uint32_t word = 0;
  if (memory.Read(address, bytes)) memcpy(&word, bytes, sizeof(word));
  return word;
}

ThreadId OwnerIn(uint32_t word) { return ThreadId::FromNumber(static_cast<int32_t>(word & FUTEX_TID_MASK)); }

}  // namespace

LockOwner LockOwner::Find(const SystemCall& call, const ProcessMemory& memory) {
  const FutexCall wait = FutexCall::Of(call);
  switch (wait.kind) {
    case FutexCall::Kind::kMutex:
      return {wait.address, OwnerIn(ReadWord(memory, wait.address + kMutexOwner))};
    case FutexCall::Kind::kOwnedWord:
      return {wait.address, OwnerIn(ReadWord(memory, wait.address))};
    case FutexCall::Kind::kReadWriteLock: {
      // A lock is aligned to 8 bytes.
      const uint64_t lock = wait.address - (wait.address % 8 == 0 ? kPhaseFutex : kWritersFutex);
      return {lock, OwnerIn(ReadWord(memory, lock + kWriter))};
    }
    case FutexCall::Kind::kOther:
      break;
  }
  return {};
}

}  // namespace geckoprof
