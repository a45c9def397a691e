// thread_counter: asks the kernel how many threads it has, as a sandbox does before it closes its doors: the links of
// its task folder, two more than threads. A thread of a profiler must not be among them. Then it works for 50 ms. With
// an argument: asks, and makes calls that fail where there are two threads, while a handler does the same.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void Ask(int folder, const char* path) {
  struct stat info;
  memset(&info, 0, sizeof(info));
  errno = 0;
  const int result = fstatat(folder, path, &info, 0);
  printf("%s: %d %d links %lu\n", path, result, errno, (unsigned long)info.st_nlink);
}

static volatile sig_atomic_t handled = 0, failed = 0;

static void AskAndCall(void) {
  struct stat info;
  if (fstatat(AT_FDCWD, "/proc/self/task", &info, 0) != 0 || info.st_nlink != 3) ++failed;
  if (unshare(CLONE_THREAD) != 0) ++failed;
  if (seteuid(geteuid()) != 0) ++failed;
}

static void Handle(int signal) {
  (void)signal;
  const int error = errno;
  AskAndCall();
  ++handled;
  errno = error;
}

static int AskInHandlers(void) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_handler = Handle;
  sigaction(SIGALRM, &action, NULL);
  const struct itimerval often = {{0, 1100}, {0, 1100}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &often, NULL);
  while (handled < 300) AskAndCall();
  setitimer(ITIMER_REAL, &never, NULL);
  printf("%d failed\n", (int)failed);
  return 0;
}

int main(int count, char** arguments) {
  (void)arguments;
  if (count > 1) return AskInHandlers();
  const int proc = open("/proc", O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < 20; ++i) {
    Ask(proc, "self/task/");
    Ask(proc, "self/task");
    Ask(AT_FDCWD, "/proc/self/task/");
    Ask(AT_FDCWD, "/proc/self/no such folder");
  }
  struct stat info;
  printf("no path: %d", fstatat(proc, (const char*)1, &info, 0));
  printf(" %s\n", strerror(errno));
  struct timespec now, begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000000000L + (now.tv_nsec - begin.tv_nsec) < 50 * 1000 * 1000);
  return 0;
}
