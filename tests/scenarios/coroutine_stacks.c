// coroutine_stacks SECONDS: four coroutines with stacks of their own on the heap, switched by swapcontext, all working.
// The stack pointer leaves the thread's stack; the bottom of such a stack is makecontext's trampoline.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

enum { kCoroutines = 4, kStackBytes = 64 * 1024 };

static ucontext_t scheduler;
static ucontext_t coroutines[kCoroutines];
static uint64_t results[kCoroutines];

static __attribute__((noinline)) uint64_t Mix(uint64_t state, int rounds) {
  for (int i = 0; i < rounds; i++) state = state * 6364136223846793005ull + 1442695040888963407ull;
  return state;
}

static void Coroutine(int index) {
  for (;;) {
    results[index] = Mix((uint64_t)index + 1, 30000);
    swapcontext(&coroutines[index], &scheduler);
  }
}

static double Seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
  const double end = Seconds() + (argc > 1 ? atof(argv[1]) : 1);
  for (int i = 0; i < kCoroutines; i++) {
    getcontext(&coroutines[i]);
    coroutines[i].uc_stack.ss_sp = malloc(kStackBytes);
    coroutines[i].uc_stack.ss_size = kStackBytes;
    coroutines[i].uc_link = NULL;
    makecontext(&coroutines[i], (void (*)(void))Coroutine, 1, i);
  }
  do {
    for (int i = 0; i < kCoroutines; i++) swapcontext(&scheduler, &coroutines[i]);
  } while (Seconds() < end);
  for (int i = 0; i < kCoroutines; i++) printf("coroutine %d: %016llx\n", i, (unsigned long long)results[i]);
  return 0;
}
