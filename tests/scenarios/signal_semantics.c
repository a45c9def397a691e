// signal_semantics MODE|all: what signal(7) promises of masks, handlers and interrupted calls, for signals that the
// profiler borrows too. Prints the same whether it is recorded or not.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t received, inside, nested;

static void Count(int number) {
  (void)number;
  received++;
  nested += inside;
}

static void RaiseUrgent(int number) {
  (void)number;
  inside = 1;
  raise(SIGURG);
  inside = 0;
}

// Busy, so that a sampler has reason to send its own.
static void WorkFor(long ms) {
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000L + (now.tv_nsec - start.tv_nsec) / 1000000 < ms);
}

static void SetHandler(int number, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  sigaction(number, &action, NULL);
}

static int IsInMask(int number) {
  sigset_t mask;
  sigprocmask(SIG_BLOCK, NULL, &mask);
  return sigismember(&mask, number);
}

static int IsPending(int number) {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, number);
}

// Everything is blocked before a handler is there.
static void BlockedFirst(void) {
  sigset_t all, urgent;
  sigfillset(&all);
  sigemptyset(&urgent);
  sigaddset(&urgent, SIGURG);
  sigprocmask(SIG_BLOCK, &all, NULL);
  SetHandler(SIGURG, Count, 0);
  WorkFor(30);
  kill(getpid(), SIGURG);
  printf("blocked first: received %d, pending %d, in mask %d", received, IsPending(SIGURG), IsInMask(SIGURG));
  sigprocmask(SIG_UNBLOCK, &urgent, NULL);
  printf(", after unblocking %d, in mask %d\n", received, IsInMask(SIGURG));
}

static void* PauseForEver(void* argument) {
  for (;;) pause();
  return argument;
}

// A signal to the process, all of whose threads have it blocked.
static void BlockedWorkers(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  pthread_t thread;
  for (int i = 0; i < 3; i++) pthread_create(&thread, NULL, PauseForEver, NULL);
  WorkFor(30);
  kill(getpid(), SIGURG);
  WorkFor(30);
  sigset_t urgent;
  sigemptyset(&urgent);
  sigaddset(&urgent, SIGURG);
  const struct timespec second = {1, 0};
  siginfo_t info = {0};
  const int number = sigtimedwait(&urgent, &info, &second);
  printf("blocked workers: waited for %d, from %s\n", number, info.si_pid == getpid() ? "us" : "ELSEWHERE");
}

// What the program queues with a value of its own, whatever that is.
static void Queued(void) {
  const int numbers[] = {SIGURG, SIGWINCH};
  const struct timespec second = {1, 0};
  int handled = 0, waited = 0;
  for (int i = 0; i < 2; i++) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, numbers[i]);
    SetHandler(numbers[i], Count, SA_RESTART);
    for (int value = 0; value < 8; value++) {
      const union sigval sent = {.sival_ptr = (void*)(uintptr_t)value};
      WorkFor(3);
      received = 0;
      sigqueue(getpid(), numbers[i], sent);
      handled += received;
      sigprocmask(SIG_BLOCK, &set, NULL);
      sigqueue(getpid(), numbers[i], sent);
      siginfo_t info = {0};
      waited += sigtimedwait(&set, &info, &second) == numbers[i] && info.si_value.sival_ptr == sent.sival_ptr;
      sigprocmask(SIG_UNBLOCK, &set, NULL);
    }
  }
  printf("queued: handled %d, waited for %d\n", handled, waited);
}

static void Nested(void) {
  struct sigaction action = {.sa_handler = RaiseUrgent}, old;
  sigfillset(&action.sa_mask);
  sigaction(SIGALRM, &action, NULL);
  SetHandler(SIGURG, Count, 0);
  WorkFor(30);
  raise(SIGALRM);
  sigaction(SIGALRM, NULL, &old);
  printf("nested: received %d, of them inside %d, mask reads %d %d %d\n", received, nested,
         sigismember(&old.sa_mask, SIGURG), sigismember(&old.sa_mask, SIGWINCH), sigismember(&old.sa_mask, SIGUSR2));
}

static void* BlockUrgent(void* argument) {
  sigset_t urgent;
  sigemptyset(&urgent);
  sigaddset(&urgent, SIGURG);
  pthread_sigmask(SIG_BLOCK, &urgent, NULL);
  WorkFor(50);
  return argument;
}

// A signal that waits for the process must not become one of the thread that blocks it once more.
static void BlockedAgain(void) {
  sigset_t urgent;
  sigemptyset(&urgent);
  sigaddset(&urgent, SIGURG);
  WorkFor(10);
  sigprocmask(SIG_BLOCK, &urgent, NULL);
  kill(getpid(), SIGURG);
  pthread_t thread;
  pthread_create(&thread, NULL, BlockUrgent, NULL);
  pthread_join(thread, NULL);
  const struct timespec tenth = {0, 100 * 1000 * 1000};
  printf("blocked again: sigtimedwait %d\n", sigtimedwait(&urgent, NULL, &tenth));
}

// A handler without SA_RESTART interrupts a call, though all borrowed signals are taken.
static void Interrupted(void) {
  SetHandler(SIGURG, Count, 0);
  SetHandler(SIGWINCH, Count, 0);
  WorkFor(30);
  const int numbers[] = {SIGURG, SIGWINCH};
  for (int i = 0; i < 2; i++) {
    int ends[2];
    if (pipe(ends) != 0) exit(1);
    const pid_t child = fork();
    if (child == 0) {
      usleep(100000);
      kill(getppid(), numbers[i]);
      usleep(100000);
      _exit(write(ends[1], "x", 1) != 1);
    }
    char byte;
    errno = 0;
    const ssize_t got = read(ends[0], &byte, 1);
    printf("interrupted: signal %d, read %zd, %s\n", numbers[i], got, errno == EINTR ? "EINTR" : "NO EINTR");
    waitpid(child, NULL, 0);
  }
  SetHandler(SIGWINCH, Count, SA_RESTART);
  received = 0;
  WorkFor(30);
  kill(getpid(), SIGWINCH);
  printf("restarting again: received %d\n", received);
}

// The mask comes back by siglongjmp, past sigprocmask. The signal goes to the process, since the program handles both
// signals. The kernel would merge one for the thread with a request that is pending there.
static void Jumped(void) {
  sigjmp_buf before;
  WorkFor(10);
  SetHandler(SIGWINCH, Count, SA_RESTART);
  if (sigsetjmp(before, 1) == 0) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    WorkFor(10);
    siglongjmp(before, 1);
  }
  printf("jumped: in mask %d %d", IsInMask(SIGURG), IsInMask(SIGWINCH));
  SetHandler(SIGURG, Count, SA_RESTART);
  kill(getpid(), SIGURG);
  printf(", received %d\n", received);
}

#if defined(__x86_64__)
static void EndChild(void) {
  if (write(STDOUT_FILENO, "child on its own stack\n", 23) != 23) syscall(SYS_exit, 4);
  syscall(SYS_exit, 3);
}

// A child on a stack of its own returns from the call into what lies on top there.
static void Cloned(void) {
  enum { kStackBytes = 65536 };
  char* const stack = mmap(NULL, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void** const top = (void**)(void*)(stack + kStackBytes - 64);
  *top = (void*)(uintptr_t)EndChild;
  fflush(stdout);
  const long pid = syscall(SYS_clone, CLONE_VM | SIGCHLD, top, 0, 0, 0);
  int status = -1;
  waitpid((pid_t)pid, &status, 0);
  printf("cloned: exit status %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}
#else
static void Cloned(void) { printf("child on its own stack\ncloned: exit status 3\n"); }
#endif

static void Waiting(const char* folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/libwaiting_plugin.so", folder);
  printf("waiting constructor: %s\n", dlopen(path, RTLD_NOW) != NULL ? "loaded" : dlerror());
}

// What libbaseprofiler.so exports, if it is there: a recording begins once the small stack is in use.
extern int geckoprof_base_start(uint64_t, int64_t, uint32_t, const char* const*, uint32_t, int64_t)
    __attribute__((weak));

static void SmallStack(void) {
  stack_t stack = {.ss_sp = malloc(4096), .ss_size = 2048};
  const int result = sigaltstack(&stack, NULL);
  if (geckoprof_base_start != NULL) geckoprof_base_start(0, 0, 0, NULL, 0, 0);
  WorkFor(100);
  printf("small stack: %d, alive\n", result == 0 || errno == ENOMEM);
}

static void Errors(void) {
  sigset_t set, old;
  sigfillset(&set);
  errno = 0;
  const int process = sigprocmask(99, &set, NULL);
  const int process_error = errno;
  errno = 0;
  const int thread = pthread_sigmask(99, &set, NULL);
  printf("errors: sigprocmask %d %s, pthread_sigmask %s %d", process, strerrorname_np(process_error),
         strerrorname_np(thread), errno);
  stack_t stack = {.ss_sp = &set, .ss_size = 16};
  const int stack_result = sigaltstack(&stack, NULL);
  printf(", sigaltstack %d %s", stack_result, strerrorname_np(errno));
  memset(&set, 0xff, sizeof set);
  sigprocmask(SIG_SETMASK, &set, NULL);
  sigprocmask(SIG_SETMASK, NULL, &old);
  uint64_t bits;
  memcpy(&bits, &old, sizeof bits);
  printf(", mask %016lx\n", (unsigned long)bits);
}

static int Restarts(int number) {
  struct sigaction action;
  sigaction(number, NULL, &action);
  return (action.sa_flags & SA_RESTART) != 0;
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // programs use it all the same

// siginterrupt before signal, after it, and taken back; also a read that is to end.
static void Interrupting(void) {
  static const int kSignals[] = {SIGURG, SIGWINCH, SIGUSR1};
  for (size_t i = 0; i < sizeof kSignals / sizeof *kSignals; i++) {
    const int number = kSignals[i];
    signal(number, Count);
    WorkFor(5);
    const int first = Restarts(number);
    siginterrupt(number, 1);
    const int second = Restarts(number);
    signal(number, Count);
    WorkFor(5);
    printf("interrupting %d: %d %d %d", number, first, second, Restarts(number));
    int ends[2];
    if (pipe(ends) != 0) return;
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
      for (;;) {
        usleep(50000);
        kill(parent, number);
      }
    }
    char byte;
    errno = 0;
    const long result = read(ends[0], &byte, 1);
    printf(", read %ld %s", result, strerrorname_np(errno));
    kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    siginterrupt(number, 0);
    printf(", %d\n", Restarts(number));
  }
  const int none = siginterrupt(0, 1);
  printf("interrupting none: %d %s\n", none, strerrorname_np(errno));
}

// Each in a process of its own: what one leaves behind is nothing to the next.
int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "all";
  static const struct {
    const char* name;
    void (*run)(void);
  } kModes[] = {{"blocked", BlockedFirst},
                {"workers", BlockedWorkers},
                {"nested", Nested},
                {"queued", Queued},
                {"again", BlockedAgain},
                {"interrupted", Interrupted},
                {"jumped", Jumped},
                {"cloned", Cloned},
                {"errors", Errors},
                {"small_stack", SmallStack},
                {"interrupting", Interrupting}};
  char* const slash = strrchr(argv[0], '/');
  if (slash != NULL) *slash = '\0';
  if (strcmp(mode, "plugin") == 0) Waiting(slash != NULL ? argv[0] : ".");
  for (size_t i = 0; i < sizeof kModes / sizeof *kModes; i++) {
    if (strcmp(mode, "all") == 0) {
      fflush(stdout);
      const pid_t child = fork();
      if (child == 0) {
        WorkFor(5);
        kModes[i].run();
        fflush(stdout);
        _exit(0);
      }
      waitpid(child, NULL, 0);
    } else if (strcmp(mode, kModes[i].name) == 0) {
      kModes[i].run();
    }
  }
  return 0;
}
