// Hooks of the functions that wait for other threads: condition variables, semaphores, barriers and joins. They are
// points of cancellation. A cancelled wait leaves the real function and the hook by unwinding, and is not recorded.
//
// A wait at a condition includes the wait for its mutex.
#include "locks/wait_hooks.h"

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

namespace geckoprof {
namespace {

// The first half of a semaphore of libc is its value. A thread does not wait while it is above 0.
bool IsFree(const sem_t* semaphore) {
  return __atomic_load_n(reinterpret_cast<const uint32_t*>(semaphore), __ATOMIC_RELAXED) != 0;
}

// Inlined, so that the hook's frame is the only one of ours below Record.
template <typename Next, typename Object, typename... More>
[[gnu::always_inline]] inline int Wait(WaitKind kind, Next& next, const volatile void* id, Object object,
                                       More... more) {
  const geckoprof_time start = BeginWait();
  const int result = next.get()(object, more...);
  if (IsEndOfWait(result) || result == thrd_timedout) EndWait(kind, id, 0, start);
  return result;
}

template <typename Next, typename... More>
[[gnu::noinline]] int WaitForSemaphore(Next& next, sem_t* semaphore, More... more) {
  const geckoprof_time start = BeginWait();
  const int result = next.get()(semaphore, more...);
  if (result == 0 || errno == ETIMEDOUT || errno == EINTR) EndWait(WaitKind::kSemaphore, semaphore, 0, start);
  return result;
}

}  // namespace
}  // namespace geckoprof

using geckoprof::IsFree;
using geckoprof::Wait;
using geckoprof::WaitForSemaphore;
using geckoprof::WaitKind;

// libc of x86_64 has older functions of these names, for programs of 2002.
GECKOPROF_NEXT(pthread_cond_wait, "GLIBC_2.3.2")
GECKOPROF_NEXT(pthread_cond_timedwait, "GLIBC_2.3.2")
GECKOPROF_NEXT(pthread_cond_clockwait)
GECKOPROF_NEXT(cnd_wait)
GECKOPROF_NEXT(cnd_timedwait)
GECKOPROF_NEXT(sem_wait)
GECKOPROF_NEXT(sem_timedwait)
GECKOPROF_NEXT(sem_clockwait)
GECKOPROF_NEXT(pthread_join)
GECKOPROF_NEXT(pthread_timedjoin_np)
GECKOPROF_NEXT(pthread_clockjoin_np)
GECKOPROF_NEXT(thrd_join)
GECKOPROF_NEXT(pthread_barrier_wait)

GECKOPROF_HOOK int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return Wait(WaitKind::kCondition, g_next_pthread_cond_wait, condition, condition, mutex);
}
GECKOPROF_HOOK int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  return Wait(WaitKind::kCondition, g_next_pthread_cond_timedwait, condition, condition, mutex, until);
}
GECKOPROF_HOOK int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                          const timespec* until) {
  return Wait(WaitKind::kCondition, g_next_pthread_cond_clockwait, condition, condition, mutex, clock, until);
}
GECKOPROF_HOOK int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return Wait(WaitKind::kCondition, g_next_cnd_wait, condition, condition, mutex);
}
GECKOPROF_HOOK int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  return Wait(WaitKind::kCondition, g_next_cnd_timedwait, condition, condition, mutex, until);
}

GECKOPROF_HOOK int sem_wait(sem_t* semaphore) {
  if (IsFree(semaphore) && g_next_sem_wait.known() != nullptr) [[likely]]
    return g_next_sem_wait.known()(semaphore);
  return WaitForSemaphore(g_next_sem_wait, semaphore);
}
GECKOPROF_HOOK int sem_timedwait(sem_t* semaphore, const timespec* until) {
  if (IsFree(semaphore) && g_next_sem_timedwait.known() != nullptr) [[likely]]
    return g_next_sem_timedwait.known()(semaphore, until);
  return WaitForSemaphore(g_next_sem_timedwait, semaphore, until);
}
GECKOPROF_HOOK int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  if (IsFree(semaphore) && g_next_sem_clockwait.known() != nullptr) [[likely]]
    return g_next_sem_clockwait.known()(semaphore, clock, until);
  return WaitForSemaphore(g_next_sem_clockwait, semaphore, clock, until);
}

static const volatile void* IdOf(pthread_t thread) { return reinterpret_cast<const volatile void*>(thread); }

GECKOPROF_HOOK int pthread_join(pthread_t thread, void** result) {
  return Wait(WaitKind::kJoin, g_next_pthread_join, IdOf(thread), thread, result);
}
GECKOPROF_HOOK int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* until) {
  return Wait(WaitKind::kJoin, g_next_pthread_timedjoin_np, IdOf(thread), thread, result, until);
}
GECKOPROF_HOOK int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock, const timespec* until) {
  return Wait(WaitKind::kJoin, g_next_pthread_clockjoin_np, IdOf(thread), thread, result, clock, until);
}
GECKOPROF_HOOK int thrd_join(thrd_t thread, int* result) {
  return Wait(WaitKind::kJoin, g_next_thrd_join, IdOf(thread), thread, result);
}

// The last thread of a barrier gets PTHREAD_BARRIER_SERIAL_THREAD, and has not waited.
GECKOPROF_HOOK int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  return Wait(WaitKind::kBarrier, g_next_pthread_barrier_wait, barrier, barrier);
}

namespace geckoprof {

void FindNextWaitFunctions() {
  FindAll(g_next_pthread_cond_wait, g_next_pthread_cond_timedwait, g_next_pthread_cond_clockwait, g_next_cnd_wait,
          g_next_cnd_timedwait, g_next_sem_wait, g_next_sem_timedwait, g_next_sem_clockwait, g_next_pthread_join,
          g_next_pthread_timedjoin_np, g_next_pthread_clockjoin_np, g_next_thrd_join, g_next_pthread_barrier_wait);
}

}  // namespace geckoprof
