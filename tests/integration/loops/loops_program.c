/* Event loops that are busy for a known time, and threads that are none. Usage: loops_program KIND
 *
 * Prints a line for each block with the milliseconds that it was meant to take, and those that it took. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "geckoprofiler/c/geckoprof_loops.h"

static int g_event, g_epoll, g_sockets[2];
static volatile unsigned long g_sink;

static double clock_ms(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}
static double now_ms(void) { return clock_ms(CLOCK_MONOTONIC); }

__attribute__((noinline)) void spin(double ms) {
  for (const double end = now_ms() + ms; now_ms() < end;) g_sink = g_sink + 1;
}
__attribute__((noinline)) void busy_callback(double ms) {
  const double begin = now_ms();
  spin(ms);
  printf("%.0f %.3f\n", ms, now_ms() - begin);
}

static int wait_epoll(int ms) {
  struct epoll_event event;
  return epoll_wait(g_epoll, &event, 1, ms);
}
static int wait_pwait2(int ms) {
  struct epoll_event event;
  const struct timespec timeout = {0, ms * 1000000L};
  return epoll_pwait2(g_epoll, &event, 1, &timeout, NULL);
}
static int wait_poll(int ms) {
  struct pollfd polled = {g_event, POLLIN, 0};
  return poll(&polled, 1, ms);
}
static int wait_ppoll(int ms) {
  struct pollfd polled[2] = {{g_event, POLLIN, 0}, {g_sockets[0], POLLIN, 0}};
  const struct timespec timeout = {0, ms * 1000000L};
  return ppoll(polled, 2, &timeout, NULL);
}
static int wait_select(int ms) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(g_event, &set);
  struct timeval timeout = {0, ms * 1000L};
  return select(g_event + 1, &set, NULL, NULL, &timeout);
}
static int wait_pselect(int ms) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(g_event, &set);
  const struct timespec timeout = {0, ms * 1000000L};
  return pselect(g_event + 1, &set, NULL, NULL, &timeout, NULL);
}
static int wait_own(int ms) {
  geckoprof_loop_end();
  usleep((useconds_t)ms * 1000);
  geckoprof_loop_begin();
  return 0;
}
/* These are no loops: a read with a time limit, and a sleep. */
static int wait_socket(int ms) {
  struct pollfd polled = {g_sockets[0], POLLIN, 0};
  return poll(&polled, 1, ms);
}
static int wait_nothing(int ms) { return poll(NULL, 0, ms); }

static const struct {
  const char* name;
  int (*wait)(int ms);
} kKinds[] = {{"epoll", wait_epoll}, {"pwait2", wait_pwait2}, {"poll", wait_poll},
              {"ppoll", wait_ppoll}, {"select", wait_select}, {"pselect", wait_pselect},
              {"own", wait_own},     {"socket", wait_socket}, {"nothing", wait_nothing}};

static void run(int (*wait)(int ms), int blocks) {
  static const double kBlocks[] = {1, 5, 20, 100};
  for (int i = 0; i < 20; ++i) wait(2);
  for (int i = 0; i < 4 && blocks; ++i) {
    busy_callback(kBlocks[i]);
    wait(2);
  }
  for (int i = 0; i < 20; ++i) wait(2);
}

/* A second loop has the descriptor of the first one. The time between them is no iteration. */
static void run_twice(void) {
  for (int i = 0; i < 2; ++i) {
    g_epoll = epoll_create1(0);
    run(wait_epoll, 0);
    close(g_epoll);
    if (i == 0) spin(200);
  }
}

/* Prints the CPU ns of a wait that returns at once. */
static void measure(void) {
  enum { kWaits = 2000000 };
  const double begin = clock_ms(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; i < kWaits; ++i) wait_epoll(0);
  printf("%.1f\n", (clock_ms(CLOCK_THREAD_CPUTIME_ID) - begin) * 1e6 / kWaits);
}

int main(int count, char** arguments) {
  const char* const name = count > 1 ? arguments[1] : "";
  struct epoll_event event = {EPOLLIN, {0}};
  g_event = eventfd(0, 0);
  g_epoll = epoll_create1(0);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, g_sockets) != 0) return 1;
  epoll_ctl(g_epoll, EPOLL_CTL_ADD, g_event, &event);
  struct epoll_event none;
  struct pollfd* volatile bad = (struct pollfd*)8;
  errno = 0;
  if (epoll_wait(-1, &none, 1, 0) != -1 || errno != EBADF) return 1;
  if (poll(bad, 1, 0) != -1 || errno != EFAULT) return 1;
  if (select(-1, NULL, NULL, NULL, NULL) != -1 || errno != EINVAL) return 1;
  if (strcmp(name, "idle") == 0) {
    for (int i = 0; i < 500; ++i) wait_epoll(2);
    wait_epoll(200);
  } else if (strcmp(name, "twice") == 0) {
    run_twice();
  } else if (strcmp(name, "measure") == 0) {
    measure();
  }
  for (unsigned i = 0; i < sizeof(kKinds) / sizeof(kKinds[0]); ++i) {
    if (strcmp(kKinds[i].name, name) == 0) run(kKinds[i].wait, 1);
  }
  return 0;
}
