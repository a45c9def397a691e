// altstack_sizes [handler]: threads with alternate signal stacks of several sizes work for half a second. Each is
// called after the size of its stack. With "handler" the program has a handler that runs on these stacks and takes
// almost all their room. The threads with a stack of the usual size or more call it again and again.
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>

#ifdef __aarch64__
enum { kUsualBytes = 16384 };
#else
enum { kUsualBytes = 8192 };
#endif

static volatile sig_atomic_t has_handler;
static __thread char* stack_start;

static double Work(long ns) {
  struct timespec start, now;
  double sum = 0;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    for (int i = 0; i < 1000; i++) sum = sum * 1.0000001 + 0.5;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000000000L + (now.tv_nsec - start.tv_nsec) < ns);
  return sum;
}

// A second signal frame does not fit below this one.
static void Handle(int number) {
  (void)number;
  const size_t rest = (size_t)((char*)__builtin_frame_address(0) - stack_start);
  volatile char* const room = alloca(rest - 768);
  room[0] = 1;
  Work(100 * 1000);
  room[0] = 2;
}

// On the upper end of `bytes` above a page that must not be touched.
static void* WorkOnStackOf(void* argument) {
  const size_t bytes = (size_t)argument;
  char* const pages = mmap(NULL, 4096 + 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(pages, 4096, PROT_NONE);
  stack_start = pages + 4096;
  const stack_t stack = {.ss_sp = stack_start, .ss_size = bytes};
  const int accepted = sigaltstack(&stack, NULL) == 0;
  if (accepted) {
    char name[16];
    snprintf(name, sizeof name, "stack %zu", bytes);
    pthread_setname_np(pthread_self(), name);
  }
  for (int i = 0; i < 500; i++) {
    if (has_handler && bytes >= kUsualBytes) raise(SIGUSR1);
    Work(1000 * 1000);
  }
  return accepted ? argument : NULL;
}

int main(int argc, char** argv) {
  has_handler = argc > 1 && strcmp(argv[1], "handler") == 0;
  Work(0);  // resolves clock_gettime, for which the handler leaves no room
  if (has_handler) {
    struct sigaction action = {.sa_handler = Handle, .sa_flags = SA_ONSTACK | SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
  }
  const size_t least = getauxval(AT_MINSIGSTKSZ);
  const size_t sizes[] = {2048, 6144, least, least > kUsualBytes ? least : kUsualBytes};
  enum { kCount = sizeof sizes / sizeof *sizes };
  pthread_t threads[kCount];
  for (int i = 0; i < kCount; i++) pthread_create(&threads[i], NULL, WorkOnStackOf, (void*)sizes[i]);
  for (int i = 0; i < kCount; i++) {
    void* accepted;
    pthread_join(threads[i], &accepted);
    printf("%zu bytes %s\n", sizes[i], accepted != NULL ? "accepted" : "refused");
  }
  return 0;
}
