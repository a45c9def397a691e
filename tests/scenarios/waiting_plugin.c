// A library whose constructor starts a thread and waits for it, while the loader's lock is held.
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static void* UseSignals(void* argument) {
  sigset_t all, old;
  stack_t stack;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &old);
  sigprocmask(SIG_SETMASK, &old, NULL);
  sigaltstack(NULL, &stack);
  signal(SIGUSR1, SIG_DFL);
  const struct timespec no_time = {0, 0};
  sigtimedwait(&old, NULL, &no_time);
  return argument;
}

__attribute__((constructor)) static void StartAndWait(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, UseSignals, NULL) == 0) pthread_join(thread, NULL);
}
