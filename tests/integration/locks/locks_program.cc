// Waits for each kind of lock for a known time, and writes what it measured itself. Usage: locks_program KIND [ROUNDS]
//
//   main thread                      holder
//   Wait<Kind>: waits, with a clock  Hold<Kind>: has the lock for kHoldMs
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/support/await.h"

namespace {

constexpr int kHoldMs = 5;
volatile unsigned long g_sink;
std::atomic<int> g_turn{0};  // the holder has the lock in odd turns
std::atomic<long> g_waited_ns{0};

long NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

[[gnu::noinline]] void SpinWithLock() {
  for (const long end = NowNs() + kHoldMs * 1000000L; NowNs() < end;) g_sink = g_sink + 1;
}

timespec Later(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  time.tv_sec += 10;
  return time;
}

void Check(const char* what, int result, int expected) {
  if (result == expected) return;
  fprintf(stderr, "%s: %d, not %d\n", what, result, expected);
  exit(1);
}

// A kind of lock. The holder acquires it, works, and releases it.
struct Kind {
  const char* name;
  int (*wait)();
  void (*acquire)();
  void (*release)();
};

pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER, g_other_mutex;
pthread_rwlock_t g_rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_cond_t g_condition = PTHREAD_COND_INITIALIZER;
pthread_mutex_t g_condition_mutex = PTHREAD_MUTEX_INITIALIZER;
bool g_is_signalled;
sem_t g_semaphore;
pthread_barrier_t g_barrier;
std::atomic<int> g_word{0};
mtx_t g_mtx;

int LockAndUnlock(int (*lock)(pthread_mutex_t*), pthread_mutex_t* mutex) {
  const int result = lock(mutex);
  pthread_mutex_unlock(mutex);
  return result;
}
int WaitMutex() { return LockAndUnlock(pthread_mutex_lock, &g_mutex); }
int WaitMutexTimed() {
  return LockAndUnlock(
      [](pthread_mutex_t* mutex) {
        const timespec until = Later(CLOCK_REALTIME);
        return pthread_mutex_timedlock(mutex, &until);
      },
      &g_mutex);
}
int WaitMutexClock() {
  return LockAndUnlock(
      [](pthread_mutex_t* mutex) {
        const timespec until = Later(CLOCK_MONOTONIC);
        return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &until);
      },
      &g_mutex);
}
int WaitMtx() {
  const int result = mtx_lock(&g_mtx);
  mtx_unlock(&g_mtx);
  return result;
}
int WaitOther() { return LockAndUnlock(pthread_mutex_lock, &g_other_mutex); }
int WaitRead() {
  const int result = pthread_rwlock_rdlock(&g_rwlock);
  pthread_rwlock_unlock(&g_rwlock);
  return result;
}
int WaitWrite() {
  const int result = pthread_rwlock_wrlock(&g_rwlock);
  pthread_rwlock_unlock(&g_rwlock);
  return result;
}
int WaitCondition() {
  int result = 0;
  pthread_mutex_lock(&g_condition_mutex);
  while (!g_is_signalled && result == 0) result = pthread_cond_wait(&g_condition, &g_condition_mutex);
  g_is_signalled = false;
  pthread_mutex_unlock(&g_condition_mutex);
  return result;
}
int WaitConditionTimed() {
  int result = 0;
  const timespec until = Later(CLOCK_REALTIME);
  pthread_mutex_lock(&g_condition_mutex);
  while (!g_is_signalled && result == 0) result = pthread_cond_timedwait(&g_condition, &g_condition_mutex, &until);
  g_is_signalled = false;
  pthread_mutex_unlock(&g_condition_mutex);
  return result;
}
int WaitConditionClock() {
  int result = 0;
  const timespec until = Later(CLOCK_MONOTONIC);
  pthread_mutex_lock(&g_condition_mutex);
  while (!g_is_signalled && result == 0) {
    result = pthread_cond_clockwait(&g_condition, &g_condition_mutex, CLOCK_MONOTONIC, &until);
  }
  g_is_signalled = false;
  pthread_mutex_unlock(&g_condition_mutex);
  return result;
}
int WaitSemaphore() { return sem_wait(&g_semaphore); }
int WaitSemaphoreTimed() {
  const timespec until = Later(CLOCK_REALTIME);
  return sem_timedwait(&g_semaphore, &until);
}
int WaitBarrier() { return pthread_barrier_wait(&g_barrier); }
// std::atomic waits for a while without the kernel.
int WaitAtomic() {
  g_word.wait(0);
  g_word = 0;
  return 0;
}
int WaitFutex() {
  while (g_word == 0) syscall(SYS_futex, &g_word, FUTEX_WAIT, 0, nullptr, nullptr, 0);
  g_word = 0;
  return 0;
}

void Nothing() {}
void Signal() {
  pthread_mutex_lock(&g_condition_mutex);
  g_is_signalled = true;
  pthread_cond_signal(&g_condition);
  pthread_mutex_unlock(&g_condition_mutex);
}

const Kind kKinds[] = {
    {"mutex", WaitMutex, [] { pthread_mutex_lock(&g_mutex); }, [] { pthread_mutex_unlock(&g_mutex); }},
    {"mutex-timed", WaitMutexTimed, [] { pthread_mutex_lock(&g_mutex); }, [] { pthread_mutex_unlock(&g_mutex); }},
    {"mutex-clock", WaitMutexClock, [] { pthread_mutex_lock(&g_mutex); }, [] { pthread_mutex_unlock(&g_mutex); }},
    {"mutex-c11", WaitMtx, [] { mtx_lock(&g_mtx); }, [] { mtx_unlock(&g_mtx); }},
    {"mutex-recursive", WaitOther, [] { pthread_mutex_lock(&g_other_mutex); },
     [] { pthread_mutex_unlock(&g_other_mutex); }},
    {"mutex-pi", WaitOther, [] { pthread_mutex_lock(&g_other_mutex); }, [] { pthread_mutex_unlock(&g_other_mutex); }},
    {"mutex-robust", WaitOther, [] { pthread_mutex_lock(&g_other_mutex); },
     [] { pthread_mutex_unlock(&g_other_mutex); }},
    {"rwlock-read", WaitRead, [] { pthread_rwlock_wrlock(&g_rwlock); }, [] { pthread_rwlock_unlock(&g_rwlock); }},
    {"rwlock-write", WaitWrite, [] { pthread_rwlock_wrlock(&g_rwlock); }, [] { pthread_rwlock_unlock(&g_rwlock); }},
    {"condition", WaitCondition, Nothing, Signal},
    {"condition-timed", WaitConditionTimed, Nothing, Signal},
    {"condition-clock", WaitConditionClock, Nothing, Signal},
    {"semaphore", WaitSemaphore, Nothing, [] { sem_post(&g_semaphore); }},
    {"semaphore-timed", WaitSemaphoreTimed, Nothing, [] { sem_post(&g_semaphore); }},
    {"barrier", WaitBarrier, Nothing, [] { pthread_barrier_wait(&g_barrier); }},
    {"atomic", WaitAtomic, Nothing,
     [] {
       geckoprof::AwaitBlocked(getpid());  // on a busy machine it may still yield, and see the word change
       g_word = 1;
       g_word.notify_one();
     }},
    {"futex", WaitFutex, Nothing,
     [] {
       g_word = 1;
       syscall(SYS_futex, &g_word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
     }},
};

void InitOther(const char* kind) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  if (strcmp(kind, "mutex-recursive") == 0) pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  if (strcmp(kind, "mutex-pi") == 0) pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  if (strcmp(kind, "mutex-robust") == 0) pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&g_other_mutex, &attributes);
  mtx_init(&g_mtx, mtx_plain);
  sem_init(&g_semaphore, 0, 0);
  pthread_barrier_init(&g_barrier, nullptr, 2);
}

void AwaitTurn(int turn) {
  while (g_turn.load() != turn) sched_yield();
}

void Hold(const Kind& kind, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    AwaitTurn(2 * i);
    kind.acquire();
    g_turn = 2 * i + 1;
    SpinWithLock();
    kind.release();
  }
}

[[gnu::noinline]] int WaitOnce(const Kind& kind) {
  const long begin = NowNs();
  const int result = kind.wait();
  g_waited_ns += NowNs() - begin;
  return result;
}

int RunKind(const Kind& kind, int rounds) {
  InitOther(kind.name);
  std::thread holder(Hold, kind, rounds);
  for (int i = 0; i < rounds; ++i) {
    AwaitTurn(2 * i + 1);
    const int result = WaitOnce(kind);
    if (result != PTHREAD_BARRIER_SERIAL_THREAD) Check(kind.name, result, 0);
    g_turn = 2 * i + 2;
  }
  holder.join();
  printf("%s %d %.6f\n", kind.name, rounds, static_cast<double>(g_waited_ns.load()) / 1e6);
  return 0;
}

int RunJoin(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    std::thread worker(SpinWithLock);
    const long begin = NowNs();
    worker.join();
    g_waited_ns += NowNs() - begin;
  }
  printf("join %d %.6f\n", rounds, static_cast<double>(g_waited_ns.load()) / 1e6);
  return 0;
}

// Many short waits: several threads use one mutex for some microseconds at a time.
int RunShort(int rounds) {
  const auto work = [rounds] {
    long waited = 0;
    for (int i = 0; i < rounds; ++i) {
      const long begin = NowNs();
      pthread_mutex_lock(&g_mutex);
      const long locked = NowNs();
      waited += locked - begin;
      for (const long end = locked + 20000; NowNs() < end;) g_sink = g_sink + 1;
      pthread_mutex_unlock(&g_mutex);
      for (const long end = NowNs() + 10000; NowNs() < end;) g_sink = g_sink + 1;
    }
    g_waited_ns += waited;
  };
  std::thread other(work);
  work();
  other.join();
  printf("short %d %.6f\n", rounds, static_cast<double>(g_waited_ns.load()) / 1e6);
  return 0;
}

void* CancelledWait(void* kind) {
  pthread_mutex_lock(&g_condition_mutex);
  pthread_cleanup_push([](void*) { pthread_mutex_unlock(&g_condition_mutex); }, nullptr);
  if (*static_cast<const char*>(kind) == 'c') pthread_cond_wait(&g_condition, &g_condition_mutex);
  sem_wait(&g_semaphore);
  pthread_cleanup_pop(1);
  return nullptr;
}

void Cancel(char kind) {
  pthread_t thread;
  pthread_create(&thread, nullptr, CancelledWait, &kind);
  usleep(20000);
  pthread_cancel(thread);
  void* result = nullptr;
  pthread_join(thread, &result);
  printf("cancelled %c: %d, mutex free: %d\n", kind, result == PTHREAD_CANCELED,
         pthread_mutex_lock(&g_condition_mutex));
  pthread_mutex_unlock(&g_condition_mutex);
}

void* EndWithLock(void* has_lock) {
  pthread_mutex_lock(&g_other_mutex);
  *static_cast<std::atomic<bool>*>(has_lock) = true;
  usleep(20000);
  return nullptr;
}

// A thread ends with a robust mutex, for which another one waits.
void OwnerDies() {
  InitOther("mutex-robust");
  pthread_t thread;
  std::atomic<bool> has_lock{false};
  pthread_create(&thread, nullptr, EndWithLock, &has_lock);
  while (!has_lock) usleep(1000);
  printf("owner died: %d", pthread_mutex_lock(&g_other_mutex) == EOWNERDEAD);
  printf(" %d\n", pthread_mutex_unlock(&g_other_mutex) == 0 && pthread_mutex_lock(&g_other_mutex) == ENOTRECOVERABLE);
  pthread_join(thread, nullptr);
}

void Errors() {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutex_lock(&mutex);
  printf("deadlock: %d\n", pthread_mutex_lock(&mutex) == EDEADLK);
  InitOther("mutex-recursive");
  printf("recursive: %d", pthread_mutex_lock(&g_other_mutex) + pthread_mutex_lock(&g_other_mutex));
  printf(" %d %d\n", pthread_mutex_unlock(&g_other_mutex), pthread_mutex_unlock(&g_other_mutex));
  timespec past = {1, 0}, bad = {1, -1};
  pthread_mutex_lock(&g_mutex);
  errno = 77;
  printf("timed out: %d %d %d", pthread_mutex_timedlock(&g_mutex, &past) == ETIMEDOUT,
         pthread_mutex_clocklock(&g_mutex, CLOCK_MONOTONIC, &past) == ETIMEDOUT,
         pthread_mutex_timedlock(&g_mutex, &bad) == EINVAL);
  printf(" errno %d\n", errno);
  const int semaphore = sem_timedwait(&g_semaphore, &past);
  printf("semaphore: %d %d\n", semaphore, errno == ETIMEDOUT);
  const long futex = syscall(SYS_futex, &g_word, FUTEX_WAIT, 1, nullptr, nullptr, 0);
  printf("futex: %ld %d\n", futex, errno == EAGAIN);
  printf("system call: %d %ld\n", syscall(SYS_getpid) == getpid(), syscall(-1L));
  pthread_mutex_unlock(&g_mutex);
}

// The child locks what the parent's other threads do not have, and ends by itself.
void Fork() {
  std::thread other([] {
    for (int i = 0; i < 1000; ++i) Check("lock", LockAndUnlock(pthread_mutex_lock, &g_mutex), 0);
  });
  const pid_t child = fork();
  if (child == 0) {
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    std::thread holder([&own] {
      pthread_mutex_lock(&own);
      usleep(20000);
      pthread_mutex_unlock(&own);
    });
    usleep(5000);
    const int result = LockAndUnlock(pthread_mutex_lock, &own);
    holder.join();
    _exit(40 + result);
  }
  int status = 0;
  waitpid(child, &status, 0);
  other.join();
  printf("child: %d\n", WEXITSTATUS(status));
}

void InHandler(int) { sem_post(&g_semaphore); }

void Signals() {
  signal(SIGUSR1, InHandler);
  const pthread_t main_thread = pthread_self();
  std::thread sender([main_thread] {
    usleep(20000);
    pthread_kill(main_thread, SIGUSR1);
  });
  int result = 0;
  do {
    result = sem_wait(&g_semaphore);
  } while (result != 0 && errno == EINTR);
  sender.join();
  printf("handler: %d\n", result);
}

// Prints the results that a program sees of its locks.
int RunBehaviour() {
  InitOther("");
  Cancel('c');
  Cancel('s');
  OwnerDies();
  Errors();
  Fork();
  Signals();
  return 0;
}

// A constructor may wait before those of the libraries behind this program have run.
[[gnu::constructor]] void LockEarly() {
  std::thread holder([] {
    pthread_mutex_lock(&g_mutex);
    usleep(2000);
    pthread_mutex_unlock(&g_mutex);
  });
  usleep(500);
  Check("early", LockAndUnlock(pthread_mutex_lock, &g_mutex), 0);
  holder.join();
}

}  // namespace

int main(int count, char** arguments) {
  const char* const name = count > 1 ? arguments[1] : "mutex";
  const int rounds = count > 2 ? atoi(arguments[2]) : 20;
  if (strcmp(name, "join") == 0) return RunJoin(rounds);
  if (strcmp(name, "short") == 0) return RunShort(rounds);
  if (strcmp(name, "behaviour") == 0) return RunBehaviour();
  for (const Kind& kind : kKinds) {
    if (strcmp(kind.name, name) == 0) return RunKind(kind, rounds);
  }
  return 2;
}
