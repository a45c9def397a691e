// thread_counter: asks the kernel how many threads it has, as a sandbox does before it closes its doors: the links of
// its task folder, two more than threads. A thread of a profiler must not be among them. Then it works for 50 ms.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static void Ask(int folder, const char* path) {
  struct stat info;
  memset(&info, 0, sizeof(info));
  errno = 0;
  const int result = fstatat(folder, path, &info, 0);
  printf("%s: %d %d links %lu\n", path, result, errno, (unsigned long)info.st_nlink);
}

int main(void) {
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
