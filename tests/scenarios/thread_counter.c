// thread_counter: asks the kernel how many threads it has. A thread of a profiler must not be among them. A sandbox
// looks at the links of its task folder, which are two more than threads. Python looks at /proc/self/stat when it has
// forked. Then the program works for 50 ms. With an argument it asks, and makes calls that fail if there are two
// threads, while a handler does the same.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void Ask(int folder, const char* path) {
  struct stat info;
  memset(&info, 0, sizeof(info));
  errno = 0;
  const int result = fstatat(folder, path, &info, 0);
  printf("%s: %d %d links %lu\n", path, result, errno, (unsigned long)info.st_nlink);
}

// The 20th field (proc(5)), 0 if there is none.
static int ThreadsIn(const char* stat) {
  const char* field = strrchr(stat, ')');
  for (int i = 2; i < 20 && field != NULL; ++i) field = strchr(field + 1, ' ');
  return field != NULL ? atoi(field + 1) : 0;
}

static void ReadFiles(void) {
  char own[64], text[2000] = "";
  snprintf(own, sizeof(own), "/proc/%d/stat", (int)getpid());
  const char* const paths[] = {"/proc/self/stat", own};
  for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); ++i) {
    FILE* const file = fopen(paths[i], "r");
    const size_t bytes = file != NULL ? fread(text, 1, sizeof(text) - 1, file) : 0;
    text[bytes] = '\0';
    printf("%d threads", ThreadsIn(text));
    if (file == NULL) continue;
    // A second look at a stream, and the end of a file.
    printf(", at the end %d", feof(file) != 0);
    rewind(file);
    printf(", again as long: %d\n", fread(text, 1, sizeof(text) - 1, file) > bytes / 2);
    fclose(file);
  }
  FILE* const status = fopen("/proc/self/status", "re");
  while (status != NULL && fgets(text, sizeof(text), status) != NULL) {
    if (strncmp(text, "Threads:", 8) == 0) fputs(text, stdout);
  }
  if (status != NULL) fclose(status);
  // A caller that reads the descriptor finds the whole file.
  FILE* const stat = fopen("/proc/self/stat", "r");
  if (stat == NULL) return;
  const ssize_t bytes = read(fileno(stat), text, sizeof(text) - 1);
  text[bytes > 0 ? bytes : 0] = '\0';
  printf("begins with its number: %d, and ends with a line: %d\n", atoi(text) == getpid(), strchr(text, '\n') != NULL);
  fclose(stat);
}

static void ReadFilesAfterFork(void) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ReadFiles();
  waitpid(child, NULL, 0);
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
  for (int i = 0; i < 10; ++i) ReadFilesAfterFork();
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
