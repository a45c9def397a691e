// other_libc: built with musl. Calls what a preloaded library may stand in front of, and prints what came of it.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t g_handled;

static void OnSignal(int number) { g_handled = number; }
static void OnExit(void) { puts("handlers at exit ran"); }
static void* Thread(void* argument) { return argument; }

static void Signals(void) {
  struct sigaction action;
  struct sigaction found;
  memset(&action, 0, sizeof action);
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGUSR1, NULL, &found);
  raise(SIGUSR1);
  printf("handled %d, read back %d %x\n", (int)g_handled, found.sa_handler == OnSignal, (unsigned)found.sa_flags);
  printf("signal: %d\n", signal(SIGURG, OnSignal) == SIG_DFL);
  raise(SIGURG);
  printf("handled %d\n", (int)g_handled);
  sigset_t set;
  sigset_t before;
  int number = 0;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  sigprocmask(SIG_BLOCK, NULL, &before);
  raise(SIGUSR2);
  printf("blocked %d, ", sigismember(&before, SIGUSR2));
  sigwait(&set, &number);
  printf("waited for %d\n", number);
  static char small[4096];
  const stack_t stack = {.ss_sp = small, .ss_size = sizeof small};
  printf("sigaltstack: %d\n", sigaltstack(&stack, NULL));
}

static void Others(void) {
  struct stat info;
  struct rlimit limit;
  pthread_t thread;
  void* result = NULL;
  printf("pthread_create: %d", pthread_create(&thread, NULL, Thread, &limit));
  pthread_join(thread, &result);
  printf(" %d\n", result == &limit);
  getrlimit(RLIMIT_CORE, &limit);
  printf("setrlimit: %d, prctl: %d\n", setrlimit(RLIMIT_CORE, &limit), prctl(PR_SET_NAME, "other"));
  printf("fstatat: %d", fstatat(-1, "/proc/self/task", &info, 0));
  printf(" %d\n", (int)info.st_nlink);
  printf("setuid: %d\n", setuid(getuid()));
}

int main(void) {
  atexit(OnExit);
  Signals();
  Others();
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(3);
  int status = 0;
  waitpid(child, &status, 0);
  printf("child %x\n", (unsigned)status);
  return 5;
}
