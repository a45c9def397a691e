// raw_disposition: takes SIGURG and SIGWINCH by the raw system call, as language run times do that go without libc, and
// counts those that it sends to itself: all, but for the odd one that meets another sender's.
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kRounds = 50 };

// What rt_sigaction(2) takes, in the order of arch/x86 and of arm64.
struct KernelAction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)(void);
  uint64_t mask;
};

static volatile sig_atomic_t own[65];

static void Count(int number, siginfo_t* info, void* context) {
  (void)context;
  own[number] += info->si_code == SI_TKILL;
}

int main(void) {
  for (int number = SIGURG; number != 0; number = number == SIGURG ? SIGWINCH : 0) {
    // libc's restorer is taken from an action that libc has set.
    const struct sigaction by_libc = {.sa_handler = SIG_IGN};
    sigaction(SIGUSR1, &by_libc, NULL);
    struct KernelAction action;
    syscall(SYS_rt_sigaction, SIGUSR1, NULL, &action, 8);
    action.handler = Count;
    action.flags |= SA_SIGINFO | SA_RESTART;
    action.mask = 0;
    if (syscall(SYS_rt_sigaction, number, &action, NULL, 8) != 0) return 1;
  }
  for (int i = 0; i < kRounds; i++) {
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
      clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000000000L + (now.tv_nsec - start.tv_nsec) < 3000000L);
    raise(SIGURG);
    raise(SIGWINCH);
  }
  // The kernel keeps one pending signal of a kind: one that is sent while another sender's waits is that one.
  const int enough = kRounds * 9 / 10;
  printf("SIGURG %s, SIGWINCH %s\n", own[SIGURG] >= enough ? "arrives" : "MISSING",
         own[SIGWINCH] >= enough ? "arrives" : "MISSING");
  return 0;
}
