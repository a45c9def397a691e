/* trace_asker: asks its parent to trace it, as programs do that want to know whether a debugger is there, and goes on.
 * Each signal would stop it from then on. Prints what it found out. */
#include <stdio.h>
#include <sys/ptrace.h>
#include <time.h>

static double CpuSeconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void Work(double seconds) {
  for (const double end = CpuSeconds() + seconds; CpuSeconds() < end;) {
    for (volatile int i = 0; i < 10000; i = i + 1) {
    }
  }
}

int main(void) {
  Work(0.05);
  const int traced = ptrace(PTRACE_TRACEME, 0, 0, 0) != 0;
  Work(0.1);
  printf("traced by somebody else: %d\n", traced);
  printf("again: %d\n", ptrace(PTRACE_TRACEME, 0, 0, 0) != 0);
  return 0;
}
