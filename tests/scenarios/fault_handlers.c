// fault_handlers: faults and signals handled on alternate stacks of the usual size and of the least, each for a while;
// a jump out of a handler; and what sigaction says of it all. Prints the same whoever else sends signals.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>

enum { kPageBytes = 4096, kUsualBytes = 8192, kLeastBytes = 2048 };

static sigjmp_buf before_fault;
static volatile sig_atomic_t handled;

static void WorkFor(long ns) {
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000000000L + (now.tv_nsec - start.tv_nsec) < ns);
}

// Takes the greater part of what the signal frame leaves of 8 KiB.
static __attribute__((noinline)) void UseStack(void) {
  volatile char room[2048];
  for (size_t i = 0; i < sizeof room; i += 64) room[i] = 1;
  WorkFor(30L * 1000 * 1000);
}

static void OnFault(int number) {
  (void)number;
  handled++;
  UseStack();
  siglongjmp(before_fault, 1);
}

static void OnUser(int number) {
  (void)number;
  handled++;
}

// The upper end of `bytes` that lie right above a page which must not be touched.
static void UseAlternateStack(size_t bytes) {
  char* const pages = mmap(NULL, 17 * kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(pages, kPageBytes, PROT_NONE);
  const stack_t stack = {.ss_sp = pages + kPageBytes, .ss_size = bytes};
  if (sigaltstack(&stack, NULL) != 0) exit(1);
}

static void Describe(int number) {
  struct sigaction action;
  sigaction(number, NULL, &action);
  printf("signal %d: flags %x, SIGURG masked %d, SIGUSR2 masked %d\n", number, action.sa_flags & ~0x04000000,
         sigismember(&action.sa_mask, SIGURG), sigismember(&action.sa_mask, SIGUSR2));
}

int main(void) {
  UseAlternateStack(kUsualBytes);
  struct sigaction fault = {.sa_handler = OnFault, .sa_flags = SA_ONSTACK};
  sigaddset(&fault.sa_mask, SIGUSR2);
  sigaction(SIGSEGV, &fault, NULL);
  sigaddset(&fault.sa_mask, SIGURG);
  sigaction(SIGBUS, &fault, NULL);
  Describe(SIGSEGV);
  Describe(SIGBUS);
  volatile int* const nowhere = mmap(NULL, kPageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (volatile int i = 0; i < 10; i++) {
    if (sigsetjmp(before_fault, 1) == 0) *nowhere = 1;
  }
  printf("faults handled %d\n", (int)handled);

  // A signal frame and a little; sigaltstack takes no less than kLeastBytes, which is more on processors with few
  // registers.
  const unsigned long frame_bytes = getauxval(AT_MINSIGSTKSZ);
  UseAlternateStack(frame_bytes + 256 > kLeastBytes ? frame_bytes + 256 : kLeastBytes);
  struct sigaction user = {.sa_handler = OnUser, .sa_flags = SA_ONSTACK | SA_RESTART};
  sigaction(SIGUSR1, &user, NULL);
  handled = 0;
  for (int i = 0; i < 20; i++) {
    WorkFor(10L * 1000 * 1000);
    raise(SIGUSR1);
  }
  printf("signals handled on the least stack %d\n", (int)handled);
  const stack_t none = {.ss_flags = SS_DISABLE};
  sigaltstack(&none, NULL);
  WorkFor(20L * 1000 * 1000);
  return 0;
}
