#include "sampler/kernel_thread_view.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <thread>

#include "sampler/blocked_thread_reader.h"
#include "tests/support/await.h"

namespace geckoprof {
namespace {

ThreadId OwnId() { return ThreadId::FromNumber(static_cast<int32_t>(syscall(SYS_gettid))); }

// Runs `lock` on another thread until it waits there, and returns what is found out about its lock.
LockOwner OwnerOf(const std::function<void()>& lock, const std::function<void()>& unlock) {
  std::atomic<int32_t> tid{0};
  std::thread waiter([&] {
    tid.store(OwnId().ToNumber());
    lock();
  });
  while (tid.load() == 0) std::this_thread::yield();
  CHECK(AwaitBlocked(tid.load()));
  BlockedThreadReader::Place place;
  CHECK(BlockedThreadReader::ReadPlace(BlockedThreadReader::Open(ThreadId::FromNumber(tid.load())), place) ==
        BlockedThreadReader::State::kBlocked);
  const LockOwner owner = LockOwner::Find(place.call, ProcessMemory());
  unlock();
  waiter.join();
  return owner;
}

LockOwner OwnerOfMutex(int protocol, int robustness, int type) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setprotocol(&attributes, protocol);
  pthread_mutexattr_setrobust(&attributes, robustness);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutex_t mutex;
  REQUIRE(pthread_mutex_init(&mutex, &attributes) == 0);
  pthread_mutex_lock(&mutex);
  const LockOwner owner = OwnerOf(
      [&] {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
      },
      [&] { pthread_mutex_unlock(&mutex); });
  CHECK(owner.lock_address == reinterpret_cast<uintptr_t>(&mutex));
  return owner;
}

TEST_CASE("the owner of a mutex of glibc is found") {
  CHECK(OwnerOfMutex(PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED, PTHREAD_MUTEX_NORMAL).candidate == OwnId());
  CHECK(OwnerOfMutex(PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED, PTHREAD_MUTEX_RECURSIVE).candidate == OwnId());
  CHECK(OwnerOfMutex(PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST, PTHREAD_MUTEX_NORMAL).candidate == OwnId());
  CHECK(OwnerOfMutex(PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED, PTHREAD_MUTEX_NORMAL).candidate == OwnId());
}

TEST_CASE("the writer that holds a read-write lock is found, for readers and writers") {
  const bool writes = GENERATE(false, true);
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_wrlock(&lock);
  const LockOwner owner = OwnerOf(
      [&] {
        writes ? pthread_rwlock_wrlock(&lock) : pthread_rwlock_rdlock(&lock);
        pthread_rwlock_unlock(&lock);
      },
      [&] { pthread_rwlock_unlock(&lock); });
  CHECK(owner.lock_address == reinterpret_cast<uintptr_t>(&lock));
  CHECK(owner.candidate == OwnId());
}

TEST_CASE("readers that hold a read-write lock are unknown") {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_rdlock(&lock);
  const LockOwner owner = OwnerOf(
      [&] {
        pthread_rwlock_wrlock(&lock);
        pthread_rwlock_unlock(&lock);
      },
      [&] { pthread_rwlock_unlock(&lock); });
  CHECK(owner.lock_address == reinterpret_cast<uintptr_t>(&lock));
  CHECK_FALSE(owner.candidate.IsSpecified());
}

SystemCall Futex(uint64_t address, uint64_t operation, uint64_t expected) {
  return {SYS_futex, {address, operation, expected}};
}

TEST_CASE("memory that is not there has no owner and does no harm") {
  auto* const pages =
      static_cast<uint8_t*>(mmap(nullptr, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(pages != MAP_FAILED);
  REQUIRE(munmap(pages + 4096, 4096) == 0);
  const auto end = reinterpret_cast<uintptr_t>(pages) + 4096;
  for (const uint64_t address :
       {uint64_t{0}, uint64_t{1}, uint64_t{end}, uint64_t{end - 4}, uint64_t{end - 8}, UINT64_MAX, UINT64_MAX - 7}) {
    const LockOwner mutex = LockOwner::Find(Futex(address, FUTEX_WAIT_PRIVATE, 2), ProcessMemory());
    CHECK(mutex.lock_address == address);
    CHECK_FALSE(mutex.candidate.IsSpecified());
    LockOwner::Find(Futex(address, FUTEX_LOCK_PI_PRIVATE, 0), ProcessMemory());
    LockOwner::Find(Futex(address, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 3), ProcessMemory());
  }
  munmap(pages, 4096);
}

TEST_CASE("only a wait for a lock has a lock") {
  int32_t words[4] = {2, 0, 77, 0};
  const auto address = reinterpret_cast<uintptr_t>(words);
  CHECK(LockOwner::Find(Futex(address, FUTEX_WAIT_PRIVATE, 2), ProcessMemory()).candidate.ToNumber() == 77);
  CHECK(LockOwner::Find(Futex(address, FUTEX_WAIT_PRIVATE, 0), ProcessMemory()).lock_address == 0);
  CHECK(LockOwner::Find(Futex(address, FUTEX_WAKE_PRIVATE, 2), ProcessMemory()).lock_address == 0);
  CHECK(LockOwner::Find({SYS_read, {address, FUTEX_WAIT_PRIVATE, 2}}, ProcessMemory()).lock_address == 0);
  words[0] = static_cast<int32_t>(FUTEX_WAITERS | 78u);
  CHECK(LockOwner::Find(Futex(address, FUTEX_LOCK_PI_PRIVATE, 0), ProcessMemory()).candidate.ToNumber() == 78);
}

}  // namespace
}  // namespace geckoprof
