// Hooks of mutexes and read-write locks. A hook reads the word of the lock first, and goes straight to the real
// function if the lock is free. The jump leaves no frame of ours.
//
//   program --> hook --word is 0--> real function
//                    --else-------> clock, real function, WaitRecorder
//
// Another thread may take the lock between the look at the word and the real function. That wait is not recorded.
#include <pthread.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>

#include "geckoprof/base/raw_syscall.h"
#include "locks/wait_hooks.h"

namespace geckoprof {
namespace {

uint32_t Peek(const volatile void* word) {
  return __atomic_load_n(static_cast<const volatile uint32_t*>(word), __ATOMIC_RELAXED);
}

bool IsFree(const pthread_mutex_t* mutex) { return Peek(&mutex->__data.__lock) == 0; }

// A reader waits only while a writer has the lock or waits for it. A writer waits for both.
constexpr uint32_t kWriterHolds = 2, kReadersShift = 3;
bool IsFreeForReader(const pthread_rwlock_t* lock) { return (Peek(&lock->__data.__readers) & kWriterHolds) == 0; }
bool IsFreeForWriter(const pthread_rwlock_t* lock) {
  const uint32_t word = Peek(&lock->__data.__readers);
  return (word & kWriterHolds) == 0 && word >> kReadersShift == 0;
}

int32_t HolderOf(const pthread_mutex_t* mutex) { return static_cast<int32_t>(Peek(&mutex->__data.__owner)); }
int32_t HolderOf(const pthread_rwlock_t* lock) { return static_cast<int32_t>(Peek(&lock->__data.__cur_writer)); }

// A mutex of C11 is one of POSIX.
const pthread_mutex_t* PosixMutex(const mtx_t* mutex) { return reinterpret_cast<const pthread_mutex_t*>(mutex); }
bool IsFree(const mtx_t* mutex) { return IsFree(PosixMutex(mutex)); }
int32_t HolderOf(const mtx_t* mutex) { return HolderOf(PosixMutex(mutex)); }

WaitKind KindOf(const void*) { return WaitKind::kMutex; }
WaitKind KindOf(const pthread_rwlock_t*) { return WaitKind::kReadWriteLock; }

// A recursive mutex may be the caller's own. So may one that then reports a deadlock.
bool IsOwn(const pthread_mutex_t* mutex, int32_t holder) {
  constexpr int kTypes = 3;
  return (mutex->__data.__kind & kTypes) != PTHREAD_MUTEX_NORMAL && holder != 0 &&
         holder == static_cast<int32_t>(RawSyscall(SYS_gettid));
}
bool IsOwn(const mtx_t* mutex, int32_t holder) { return IsOwn(PosixMutex(mutex), holder); }
bool IsOwn(const pthread_rwlock_t*, int32_t) { return false; }

template <typename Next, typename Lock, typename... More>
[[gnu::noinline]] int LockHeld(Next& next, Lock* lock, More... more) {
  const int32_t holder = HolderOf(lock);
  const geckoprof_time start = IsOwn(lock, holder) ? 0 : BeginWait();
  const int result = next.get()(lock, more...);
  if (IsEndOfWait(result) || result == thrd_timedout) EndWait(KindOf(lock), lock, holder, start);
  return result;
}

}  // namespace
}  // namespace geckoprof

using geckoprof::IsFree;
using geckoprof::IsFreeForReader;
using geckoprof::IsFreeForWriter;

// LockHeld also calls a function that is not known yet. A call of Find here would cost the short way a frame.
#define GECKOPROF_LOCK_HOOK(NAME, IS_FREE, LOCK, PARAMETERS, ...)               \
  GECKOPROF_NEXT(NAME)                                                          \
  GECKOPROF_HOOK int NAME PARAMETERS {                                          \
    auto* const next = g_next_##NAME.known();                                   \
    if (IS_FREE(LOCK) && next != nullptr) [[likely]]                            \
      return next(LOCK __VA_OPT__(, ) __VA_ARGS__);                             \
    return geckoprof::LockHeld(g_next_##NAME, LOCK __VA_OPT__(, ) __VA_ARGS__); \
  }

// clang-format off
GECKOPROF_LOCK_HOOK(pthread_mutex_lock, IsFree, mutex, (pthread_mutex_t* mutex) noexcept)
GECKOPROF_LOCK_HOOK(pthread_mutex_timedlock, IsFree, mutex,
                    (pthread_mutex_t* mutex, const timespec* until) noexcept, until)
GECKOPROF_LOCK_HOOK(pthread_mutex_clocklock, IsFree, mutex,
                    (pthread_mutex_t* mutex, clockid_t clock, const timespec* until) noexcept, clock, until)

GECKOPROF_LOCK_HOOK(pthread_rwlock_rdlock, IsFreeForReader, lock, (pthread_rwlock_t* lock) noexcept)
GECKOPROF_LOCK_HOOK(pthread_rwlock_timedrdlock, IsFreeForReader, lock,
                    (pthread_rwlock_t* lock, const timespec* until) noexcept, until)
GECKOPROF_LOCK_HOOK(pthread_rwlock_clockrdlock, IsFreeForReader, lock,
                    (pthread_rwlock_t* lock, clockid_t clock, const timespec* until) noexcept, clock, until)
GECKOPROF_LOCK_HOOK(pthread_rwlock_wrlock, IsFreeForWriter, lock, (pthread_rwlock_t* lock) noexcept)
GECKOPROF_LOCK_HOOK(pthread_rwlock_timedwrlock, IsFreeForWriter, lock,
                    (pthread_rwlock_t* lock, const timespec* until) noexcept, until)
GECKOPROF_LOCK_HOOK(pthread_rwlock_clockwrlock, IsFreeForWriter, lock,
                    (pthread_rwlock_t* lock, clockid_t clock, const timespec* until) noexcept, clock, until)

GECKOPROF_LOCK_HOOK(mtx_lock, IsFree, mutex, (mtx_t* mutex))
GECKOPROF_LOCK_HOOK(mtx_timedlock, IsFree, mutex, (mtx_t* mutex, const timespec* until), until)
// clang-format on

namespace geckoprof {

void FindNextLockFunctions() {
  FindAll(g_next_pthread_mutex_lock, g_next_pthread_mutex_timedlock, g_next_pthread_mutex_clocklock,
          g_next_pthread_rwlock_rdlock, g_next_pthread_rwlock_timedrdlock, g_next_pthread_rwlock_clockrdlock,
          g_next_pthread_rwlock_wrlock, g_next_pthread_rwlock_timedwrlock, g_next_pthread_rwlock_clockwrlock,
          g_next_mtx_lock, g_next_mtx_timedlock);
}

}  // namespace geckoprof
