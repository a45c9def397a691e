// Threads that wait for each of the causes in turn, and two that compete for one core. The argument is the time in ms.
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_int stop;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t signalled = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int pipe_ends[2], sockets[2], quiet_pipe[2];
static int core;

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

// Works until the time has passed on the clock.
static void work(double ms) {
  volatile unsigned sum = 0;
  for (const double end = now_ms() + ms; now_ms() < end;) {
    for (unsigned i = 0; i < 1000; ++i) sum += i;
  }
}

static void sleep_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static void sleep_long(void) { sleep_ms(50); }

static void hold_the_lock(void) {
  pthread_mutex_lock(&mutex);
  sleep_ms(50);
  pthread_mutex_unlock(&mutex);
  sleep_ms(5);
}

static void want_the_lock(void) {
  sleep_ms(5);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

static void wait_for_signal(void) {
  pthread_mutex_lock(&signalled);
  pthread_cond_wait(&condition, &signalled);
  pthread_mutex_unlock(&signalled);
}

static void poll_the_pipe(void) {
  struct pollfd file = {quiet_pipe[0], POLLIN, 0};
  poll(&file, 1, 50);
}

static void read_the_pipe(void) {
  char byte;
  if (read(pipe_ends[0], &byte, 1) != 1) abort();
}

static void read_the_socket(void) {
  char byte;
  if (recv(sockets[0], &byte, 1, 0) != 1) abort();
}

static void wait_for_child(void) {
  const pid_t child = fork();
  if (child == 0) {
    sleep_ms(50);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

static void compete(void) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  pthread_setaffinity_np(pthread_self(), sizeof one, &one);
  while (!atomic_load(&stop)) work(2);
}

struct kind {
  const char* name;
  void (*step)(void);
};
static const struct kind kKinds[] = {{"sleeper", sleep_long},       {"holder", hold_the_lock},
                                     {"waiter", want_the_lock},     {"conditioned", wait_for_signal},
                                     {"poller", poll_the_pipe},     {"piped", read_the_pipe},
                                     {"socketed", read_the_socket}, {"parent", wait_for_child},
                                     {"one of two", compete},       {"other of two", compete}};
enum { kCount = sizeof kKinds / sizeof kKinds[0] };

static void* run(void* arg) {
  const struct kind* kind = arg;
  while (!atomic_load(&stop)) {
    work(2);
    kind->step();
  }
  return NULL;
}

static int wake_all(void) {
  pthread_mutex_lock(&signalled);
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&signalled);
  return write(pipe_ends[1], "x", 1) == 1 && send(sockets[1], "x", 1, 0) == 1;
}

int main(int argc, char** argv) {
  if (argc != 2 || pipe(pipe_ends) != 0 || pipe(quiet_pipe) != 0) return 1;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return 1;
  core = sched_getcpu();
  pthread_t threads[kCount];
  for (int i = 0; i < kCount; ++i) {
    if (pthread_create(&threads[i], NULL, run, (void*)&kKinds[i]) != 0) return 1;
    pthread_setname_np(threads[i], kKinds[i].name);
  }
  for (const double end = now_ms() + atof(argv[1]); now_ms() < end;) {
    sleep_ms(50);
    if (!wake_all()) return 1;
  }
  atomic_store(&stop, 1);
  for (int i = 0; i < kCount; ++i) {
    // A thread may begin its last wait only now.
    while (pthread_tryjoin_np(threads[i], NULL) != 0) {
      if (!wake_all()) return 1;
      sleep_ms(5);
    }
  }
  return 0;
}
