// altstack_user: works for 5 ms at a time in a handler on a small alternate signal stack, 40 times, and checks that it
// was there and that the stack's lowest bytes were left alone by whatever else handled signals on it.
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { kStackBytes = 64 * 1024, kGuardBytes = 4096, kRounds = 40 };

static uint8_t stack[kStackBytes] __attribute__((aligned(64)));
static volatile int on_stack, handled;

static __attribute__((noinline)) void WorkFor(long ns) {
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000000000L + (now.tv_nsec - start.tv_nsec) < ns);
}

static void Handle(int number) {
  (void)number;
  volatile uint8_t local = 0;
  const uintptr_t here = (uintptr_t)&local;
  on_stack += here >= (uintptr_t)stack && here < (uintptr_t)stack + kStackBytes;
  handled++;
  WorkFor(5L * 1000 * 1000);
}

int main(void) {
  memset(stack, 0xA5, sizeof stack);
  const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  if (sigaltstack(&alternate, NULL) != 0) return 1;
  struct sigaction action = {.sa_handler = Handle, .sa_flags = SA_ONSTACK | SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < kRounds; i++) raise(SIGUSR1);
  int untouched = 1;
  for (int i = 0; i < kGuardBytes; i++) untouched &= stack[i] == 0xA5;
  stack_t now;
  sigaltstack(NULL, &now);
  const int same = now.ss_sp == (void*)stack && now.ss_size == sizeof stack;
  printf("handled %d, on the alternate stack %d, guard %s, stack %s\n", handled, on_stack,
         untouched ? "untouched" : "WRITTEN", same ? "kept" : "CHANGED");
  return !(handled == kRounds && on_stack == kRounds && untouched && same);
}
