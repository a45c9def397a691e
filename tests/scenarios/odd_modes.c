// odd_modes alignment | dispatch | counter: works for a while in a mode of the processor or of the kernel in which code
// that knows nothing of it dies: accesses that are not aligned, system calls, or the cycle counter raise a signal.
#define _GNU_SOURCE
#include <linux/prctl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { kRounds = 60 };

static volatile unsigned long sum;
static volatile char selector = PR_SYS_DISPATCH_OFF;
static volatile int dispatched;

static void work(void) {
  for (int i = 0; i < 1000000; ++i) sum += 1;
}

static void on_dispatch(int signal) {
  (void)signal;
  selector = 0;
  dispatched = dispatched + 1;
}

#if defined(__x86_64__)
static void flip_alignment_check(void) { __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() ^ (1 << 18)); }
static void call_kernel(void) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "0"(SYS_gettid) : "rcx", "r11", "memory");
}
#else
static void flip_alignment_check(void) {}
static void call_kernel(void) {}
#endif

int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "alignment") == 0) {
    for (int i = 0; i < kRounds; ++i) {
      flip_alignment_check();
      work();
      flip_alignment_check();
    }
  } else if (strcmp(mode, "dispatch") == 0) {
    signal(SIGSYS, on_dispatch);
    if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0, 0, &selector) != 0) return 77;
    for (int i = 0; i < kRounds; ++i) {
      selector = 1;
      work();
      call_kernel();
      selector = 0;
    }
    prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0);
  } else if (strcmp(mode, "counter") == 0) {
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) != 0) return 77;
    for (int i = 0; i < kRounds; ++i) work();
    prctl(PR_SET_TSC, PR_TSC_ENABLE);
  }
  printf("%s: done, %d dispatched\n", mode, dispatched);
  return 0;
}
