// What a sampler does to a program's calls if it takes no care: preloaded, a thread of it sends SIGURG to every other
// thread once a millisecond, whatever that thread is in; the handler is empty and has SA_RESTART. The figure that the
// EINTR benchmark is compared with.
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void DoNothing(int number) { (void)number; }

static void* SignalAll(void* unused) {
  (void)unused;
  const pid_t process = getpid();
  const pid_t self = gettid();
  const struct timespec interval = {0, 1000 * 1000};
  for (;;) {
    DIR* threads = opendir("/proc/self/task");
    if (!threads) return NULL;
    for (const struct dirent* entry; (entry = readdir(threads));) {
      const pid_t tid = atoi(entry->d_name);
      if (tid > 0 && tid != self) syscall(SYS_tgkill, process, tid, SIGURG);
    }
    closedir(threads);
    nanosleep(&interval, NULL);
  }
}

__attribute__((constructor)) static void Start(void) {
  struct sigaction action = {.sa_handler = DoNothing, .sa_flags = SA_RESTART};
  sigaction(SIGURG, &action, NULL);
  pthread_t thread;
  if (pthread_create(&thread, NULL, SignalAll, NULL) == 0) pthread_detach(thread);
}
