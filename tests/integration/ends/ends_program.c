// ends_program CASE: ends in the way that the argument names. "about to" on stdout says that it is near. Functions are
// not inlined, so that the stack of the crash has their names.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile int g_zero = 0, g_sink = 0;
static char g_stack[1 << 17];

static void Work(int ms) {
  struct timespec now, begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000L + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
}

NOINLINE static int ReadBadly(void) { return *(volatile int*)0x10; }
NOINLINE static int CallReadBadly(void) { return ReadBadly() + g_zero; }
NOINLINE static int DivideBadly(void) { return 7 / g_zero; }
NOINLINE static int WriteToText(void) {
  *(volatile char*)(void*)&DivideBadly = 1;
  return g_zero;
}
NOINLINE static int ReadBeyondFile(void) {
  FILE* const file = tmpfile();
  char* const page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
  return *(volatile char*)page;
}
NOINLINE static int UseUpStack(int depth) {
  volatile char room[512];
  memset((void*)room, depth, sizeof(room));
  const int sum = UseUpStack(depth + 1);
  return sum + room[depth & 511];
}
NOINLINE static int RunIllegally(void) { __builtin_trap(); }
NOINLINE static void AbortBadly(void) { abort(); }

NOINLINE static int CallNothing(uintptr_t address) { return ((int (*)(void))address)() + 1; }

static void* CrashInThread(void* argument) {
  pthread_setname_np(pthread_self(), "worker");
  Work(20);
  CallReadBadly();
  return argument;
}

static void SetHandler(int number, void (*handler)(int), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(number, &action, NULL);
}
static void UseOtherStack(void) {
  const stack_t stack = {.ss_sp = g_stack, .ss_flags = 0, .ss_size = sizeof(g_stack)};
  sigaltstack(&stack, NULL);
}
static void ExitInHandler(int number) {
  char text[] = "handler of   \n";
  text[11] = (char)('0' + number / 10);
  text[12] = (char)('0' + number % 10);
  (void)!write(1, text, sizeof(text) - 1);
  _exit(42);
}
static void ResetAndReturn(int number) { signal(number, SIG_DFL); }
static void CrashAgain(int number) {
  (void)number;
  g_sink = DivideBadly();
}
static void CrashInHandler(int number) { g_sink = CallReadBadly() + number; }

// Prints the dispositions that the program sees. Base must not change them.
static void PrintDispositions(void) {
  const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
    struct sigaction seen, set;
    sigaction(numbers[i], NULL, &seen);
    printf("%d: %d %x %d %d", numbers[i], seen.sa_handler == SIG_DFL, (unsigned)seen.sa_flags,
           sigismember(&seen.sa_mask, SIGUSR1), seen.sa_restorer == NULL);
    memset(&set, 0, sizeof(set));
    set.sa_handler = SIG_DFL;
    set.sa_flags = SA_RESTART;
    sigaddset(&set.sa_mask, SIGUSR1);
    sigaction(numbers[i], &set, &seen);
    printf(", %d", seen.sa_handler == SIG_DFL);
    sigaction(numbers[i], NULL, &seen);
    printf(", %d %d %d", seen.sa_handler == SIG_DFL, (seen.sa_flags & SA_RESTART) != 0,
           sigismember(&seen.sa_mask, SIGUSR1));
    printf(", %d", signal(numbers[i], ExitInHandler) == SIG_DFL);
    printf(", %d", signal(numbers[i], SIG_DFL) == ExitInHandler);
    printf(", %d", signal(numbers[i], SIG_IGN) == SIG_DFL);
    printf(", %d\n", signal(numbers[i], SIG_DFL) == SIG_IGN);
  }
}

static int EndOfChild(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  printf("child: signal %d, status %d, dumped %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0,
         WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) && WCOREDUMP(status));
  return 0;
}

static int IsCase(char** arguments, const char* name) { return strcmp(arguments[1], name) == 0; }

int main(int count, char** arguments) {
  if (count < 2) return 2;
  printf("about to\n");
  fflush(stdout);
  if (IsCase(arguments, "at_once")) return CallReadBadly();
  if (IsCase(arguments, "exit")) exit(3);
  if (IsCase(arguments, "quick_exit")) quick_exit(5);
  if (IsCase(arguments, "_exit")) _exit(6);
  if (IsCase(arguments, "dispositions")) {
    PrintDispositions();
    return 0;
  }
  Work(30);
  if (IsCase(arguments, "read")) return CallReadBadly();
  if (IsCase(arguments, "write")) return WriteToText();
  if (IsCase(arguments, "bus")) return ReadBeyondFile();
  if (IsCase(arguments, "divide")) return DivideBadly();
  if (IsCase(arguments, "illegal")) return RunIllegally();
  if (IsCase(arguments, "abort")) AbortBadly();
  if (IsCase(arguments, "kill")) kill(getpid(), SIGKILL);
  if (IsCase(arguments, "terminate")) kill(getpid(), SIGTERM);
  if (IsCase(arguments, "sent")) kill(getpid(), SIGSEGV);
  if (IsCase(arguments, "null_call")) return CallNothing((uintptr_t)g_zero);
  if (IsCase(arguments, "low_call")) return CallNothing((uintptr_t)8 + (uintptr_t)g_zero);
  if (IsCase(arguments, "wild_call")) return CallNothing((uintptr_t)0x123456789000 + (uintptr_t)g_zero);
  if (IsCase(arguments, "overflow")) return UseUpStack(1);
  if (IsCase(arguments, "overflow_elsewhere")) {
    UseOtherStack();
    return UseUpStack(1);
  }
  if (IsCase(arguments, "own_handler")) {
    SetHandler(SIGSEGV, ExitInHandler, 0);
    return CallReadBadly();
  }
  if (IsCase(arguments, "own_handler_elsewhere")) {
    UseOtherStack();
    SetHandler(SIGSEGV, ExitInHandler, SA_ONSTACK);
    return UseUpStack(1);
  }
  if (IsCase(arguments, "handler_resets")) {
    SetHandler(SIGSEGV, ResetAndReturn, 0);
    return CallReadBadly();
  }
  if (IsCase(arguments, "handler_crashes")) {
    SetHandler(SIGSEGV, CrashAgain, 0);
    return CallReadBadly();
  }
  if (IsCase(arguments, "handler_of_another_signal")) {
    SetHandler(SIGUSR1, CrashInHandler, SA_RESTART);
    raise(SIGUSR1);
  }
  if (IsCase(arguments, "ignored")) {
    signal(SIGABRT, SIG_IGN);
    raise(SIGABRT);
    printf("still here\n");
    return 0;
  }
  if (IsCase(arguments, "thread")) {
    pthread_t thread;
    pthread_create(&thread, NULL, CrashInThread, NULL);
    pthread_join(thread, NULL);
  }
  if (IsCase(arguments, "child")) {
    const pid_t child = fork();
    if (child == 0) _exit(ReadBadly());
    return EndOfChild(child);
  }
  if (IsCase(arguments, "vfork_child")) {
    const pid_t child = vfork();
    if (child == 0) _exit(CallReadBadly());
    return EndOfChild(child);
  }
  if (IsCase(arguments, "exec_child")) {
    const pid_t child = fork();
    if (child == 0) {
      execl("/proc/self/exe", "renamed", "exit", NULL);
      _exit(1);
    }
    return EndOfChild(child);
  }
  return 1;
}
