// setuid_drop libc|raw: as root, becomes nobody, through libc (which changes every thread it knows) or by the system
// call (which changes the caller alone). Prints the ids after it and whether all tasks of the process have the same. A
// thread that stayed root would be a way back. Exit status 77 where it was not started by root.
#define _GNU_SOURCE
#include <dirent.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kNobody = 65534 };

static void WorkFor(long ns) {
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000000000L + (now.tv_nsec - start.tv_nsec) < ns);
}

// The "Uid:" line of a task, "" if it has just ended.
static void ReadIds(const char* task, char ids[128]) {
  char path[300];
  snprintf(path, sizeof path, "/proc/self/task/%s/status", task);
  ids[0] = 0;
  FILE* file = fopen(path, "re");
  if (!file) return;
  char line[128];
  while (fgets(line, sizeof line, file)) {
    if (strncmp(line, "Uid:", 4) == 0) strcpy(ids, line);
  }
  fclose(file);
}

static int PrintIdsOfAllTasks(void) {
  char first[128] = "", ids[128];
  int agree = 1;
  DIR* tasks = opendir("/proc/self/task");
  if (!tasks) return 1;
  for (struct dirent* entry; (entry = readdir(tasks)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    ReadIds(entry->d_name, ids);
    if (ids[0] == 0) continue;
    if (first[0] == 0) strcpy(first, ids);
    if (strcmp(first, ids) != 0) agree = 0;
  }
  closedir(tasks);
  printf("%s%s\n", first, agree ? "all tasks agree" : "TASKS DIFFER");
  return !agree;
}

int main(int argc, char** argv) {
  const int raw = argc > 1 && strcmp(argv[1], "raw") == 0;
  if (geteuid() != 0) return 77;
  WorkFor(50L * 1000 * 1000);
  if (raw) {
    if (syscall(SYS_setresgid, kNobody, kNobody, kNobody) != 0) return 1;
    if (syscall(SYS_setresuid, kNobody, kNobody, kNobody) != 0) return 1;
  } else {
    if (setresgid(kNobody, kNobody, kNobody) != 0 || setresuid(kNobody, kNobody, kNobody) != 0) return 1;
  }
  WorkFor(50L * 1000 * 1000);
  return PrintIdsOfAllTasks();
}
