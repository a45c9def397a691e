// A program that runs while its sampler is stopped. A child stops the one thread in /proc/PID/task that the program did
// not make, and lets it go again. Exit status 77: there is no such thread, or it must not be traced.
#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kBefore, kMayStop, kStopped, kMayGoOn, kGoesOn };

static double cpu_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void work(double ms) {
  volatile unsigned sum = 0;
  for (const double end = cpu_ms() + ms; cpu_ms() < end;) {
    for (unsigned i = 0; i < 1000; ++i) sum += i;
  }
}

static void work_before(void) { work(200); }
static void work_unseen(void) { work(600); }
static void work_after(void) { work(200); }

static void sleep_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static void await(atomic_int* step, int wanted) {
  while (atomic_load(step) != wanted) sleep_ms(1);
}

// Returns 0 if there is none.
static pid_t find_other_thread(pid_t process) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", process);
  DIR* const folder = opendir(path);
  pid_t found = 0;
  for (const struct dirent* entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    const pid_t thread = (pid_t)atoi(entry->d_name);
    if (thread > 0 && thread != process) found = thread;
  }
  if (folder != NULL) closedir(folder);
  return found;
}

static int stop_thread_for_a_while(pid_t process, atomic_int* step) {
  await(step, kMayStop);
  const pid_t thread = find_other_thread(process);
  if (thread == 0 || ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0) return 77;
  if (ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) != 0 || waitpid(thread, NULL, __WALL) != thread) return 1;
  atomic_store(step, kStopped);
  await(step, kMayGoOn);
  ptrace(PTRACE_DETACH, thread, NULL, NULL);
  atomic_store(step, kGoesOn);
  return 0;
}

int main(void) {
  atomic_int* const step = mmap(NULL, sizeof(atomic_int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (step == MAP_FAILED) return 1;
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  const pid_t child = fork();
  if (child == 0) _exit(stop_thread_for_a_while(getppid(), step));
  work_before();
  atomic_store(step, kMayStop);
  int status = 0;
  while (atomic_load(step) != kStopped) {
    if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    sleep_ms(1);
  }
  work_unseen();
  atomic_store(step, kMayGoOn);
  await(step, kGoesOn);
  work_after();
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
