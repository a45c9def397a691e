// raw_clone_threads: four threads made by clone(2) itself, without CLONE_SETTLS: libc does not know them and they share
// the creator's thread pointer. Each works for 150 ms without a libc call that uses TLS. Prints their results in order.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kThreads = 4, kStackBytes = 256 * 1024 };

struct Task {
  uint64_t seed;
  uint64_t result;
  int32_t tid;  // the kernel clears it and wakes its waiters when the thread has ended
};

static __attribute__((noinline)) uint64_t Mix(uint64_t state) {
  for (int i = 0; i < 100000; i++) state = state * 6364136223846793005ull + 1442695040888963407ull;
  return state;
}

static int Run(void* argument) {
  struct Task* task = argument;
  task->result = Mix(task->seed);
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    if (Mix(task->seed) != task->result) task->result = 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000000000L + (now.tv_nsec - start.tv_nsec) < 150L * 1000 * 1000);
  return 0;
}

int main(void) {
  static struct Task tasks[kThreads];
  const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                    CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
  for (int i = 0; i < kThreads; i++) {
    char* stack = mmap(NULL, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) return 1;
    tasks[i].seed = (uint64_t)i + 1;
    if (clone(Run, stack + kStackBytes, flags, &tasks[i], &tasks[i].tid, NULL, &tasks[i].tid) < 0) return 1;
  }
  for (int i = 0; i < kThreads; i++) {
    for (int32_t tid; (tid = __atomic_load_n(&tasks[i].tid, __ATOMIC_ACQUIRE)) != 0;) {
      syscall(SYS_futex, &tasks[i].tid, FUTEX_WAIT, tid, NULL, NULL, 0);
    }
    printf("thread %d: %016llx\n", i, (unsigned long long)tasks[i].result);
  }
  return 0;
}
