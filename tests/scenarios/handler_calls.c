// handler_calls: a signal handler that interrupts anything, setgid for one, and forks there, or ends the process. It
// arms its own next alarm: the program goes on in between, however long a fork takes.
//   handler_calls fork|exit
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kRounds = 60 };
static volatile sig_atomic_t children;
static int ends;

static void ArmAlarm(void) {
  const struct itimerval once = {{0, 0}, {0, 2300}};
  setitimer(ITIMER_REAL, &once, NULL);
}

static void OnAlarm(int number) {
  (void)number;
  if (ends && ++children == kRounds) _exit(3);
  if (ends) {
    ArmAlarm();
    return;
  }
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status = -1;
  waitpid(child, &status, 0);
  children += status == 0;
  ArmAlarm();
}

int main(int argc, char** argv) {
  ends = argc > 1 && strcmp(argv[1], "exit") == 0;
  const struct sigaction action = {.sa_handler = OnAlarm, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  ArmAlarm();
  const gid_t group = getgid();
  while (children < kRounds) {
    if (setgid(group) != 0) return 1;
  }
  const struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
  printf("children %d\n", kRounds);
  return 0;
}
