// sigurg_user blocked|used|ignored|waited|latched|all: a program with business of its own with SIGURG, the signal that
// the profiler borrows. Whatever it sends itself it must receive exactly once, and nothing else; what it installed it
// must read back.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { kRaises = 1000, kUrgentBytes = 100 };

static volatile sig_atomic_t received, received_other;

static void OnUrgent(int number) { *(number == SIGURG ? &received : &received_other) += 1; }
static void OnUrgentInfo(int number, siginfo_t* info, void* context) {
  (void)context;
  *(number == SIGURG && (info->si_code == SI_TKILL || info->si_code == SI_KERNEL) ? &received : &received_other) += 1;
}

// Busy between the signals, so that a sampler has reason to send its own.
static __attribute__((noinline)) void WorkFor(long ns) {
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000000000L + (now.tv_nsec - start.tv_nsec) < ns);
}

static sigset_t OnlyUrgent(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGURG);
  return set;
}

static int Raise(void) {
  received = received_other = 0;
  for (int i = 0; i < kRaises; i++) {
    raise(SIGURG);
    if (i % 10 == 0) WorkFor(1000 * 1000);
  }
  return received;
}

static void Blocked(void) {
  const sigset_t set = OnlyUrgent();
  sigset_t pending, old;
  signal(SIGURG, OnUrgent);
  sigprocmask(SIG_BLOCK, &set, NULL);
  received = 0;
  WorkFor(100L * 1000 * 1000);
  sigpending(&pending);
  printf("blocked: pending before %d", sigismember(&pending, SIGURG));
  raise(SIGURG);
  sigpending(&pending);
  printf(", after raise %d, received %d", sigismember(&pending, SIGURG), received);
  sigprocmask(SIG_SETMASK, NULL, &old);
  printf(", mask reads %d", sigismember(&old, SIGURG));
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  WorkFor(20L * 1000 * 1000);
  printf(", after unblocking received %d\n", received);
  signal(SIGURG, SIG_DFL);
}

// Urgent bytes over a loopback connection: the kernel sends SIGURG to the socket's owner for each.
static int UrgentBytes(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  const int listener = socket(AF_INET, SOCK_STREAM, 0), sender = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr*)&address, size) != 0 || listen(listener, 1) != 0) return -1;
  if (getsockname(listener, (struct sockaddr*)&address, &size) != 0) return -1;
  if (connect(sender, (struct sockaddr*)&address, size) != 0) return -1;
  const int receiver = accept(listener, NULL, NULL);
  fcntl(receiver, F_SETOWN, getpid());
  received = received_other = 0;
  for (int i = 0; i < kUrgentBytes; i++) {
    if (send(sender, "!", 1, MSG_OOB) != 1) return -1;
    for (int tries = 0; received <= i && tries < 1000; tries++) WorkFor(100 * 1000);
    char byte;
    if (recv(receiver, &byte, 1, MSG_OOB) != 1) return -1;
  }
  close(receiver);
  close(sender);
  close(listener);
  return received;
}

static void Used(void) {
  struct sigaction action = {.sa_sigaction = OnUrgentInfo, .sa_flags = SA_SIGINFO | SA_NODEFER}, old;
  sigaddset(&action.sa_mask, SIGUSR2);
  sigaction(SIGURG, &action, NULL);
  printf("used by sigaction: received %d", Raise());
  printf(" and %d others", received_other);
  sigaction(SIGURG, NULL, &old);
  printf(
      ", handler %s, flags %s, mask %d", old.sa_sigaction == OnUrgentInfo ? "kept" : "CHANGED",
      (old.sa_flags & (SA_SIGINFO | SA_NODEFER | SA_RESTART | SA_ONSTACK | SA_RESETHAND)) == (SA_SIGINFO | SA_NODEFER)
          ? "kept"
          : "CHANGED",
      sigismember(&old.sa_mask, SIGUSR2));
  printf(", urgent bytes %d\n", UrgentBytes());

  const sighandler_t before = signal(SIGURG, OnUrgent);
  printf("used by signal: previous %s, received %d", (void*)before == (void*)OnUrgentInfo ? "kept" : "CHANGED",
         Raise());
  printf(", urgent bytes %d", UrgentBytes());
  printf(", previous %s\n", signal(SIGURG, SIG_DFL) == OnUrgent ? "kept" : "CHANGED");

  action.sa_flags = SA_SIGINFO | (int)SA_RESETHAND;
  sigaction(SIGURG, &action, NULL);
  received = 0;
  raise(SIGURG);
  raise(SIGURG);
  sigaction(SIGURG, NULL, &old);
  printf("used once: received %d, then %s\n", received, old.sa_handler == SIG_DFL ? "default" : "NOT DEFAULT");
}

static void Ignored(void) {
  struct sigaction old;
  const sighandler_t before = signal(SIGURG, SIG_IGN);
  printf("ignored: previous %s, received %d", before == SIG_DFL ? "default" : "NOT DEFAULT", Raise());
  sigaction(SIGURG, NULL, &old);
  printf(", reads %s\n", old.sa_handler == SIG_IGN ? "ignored" : "NOT IGNORED");
  fflush(stdout);
  // An ignored signal stays ignored across exec: bit 22 of SigIgn.
  const int status = system("s=$(grep SigIgn /proc/self/status); s=${s#*:?}; echo child ignores $(((0x$s >> 22) & 1))");
  signal(SIGURG, SIG_DFL);
  if (status != 0) exit(1);
}

static void Waited(void) {
  const sigset_t set = OnlyUrgent();
  const struct timespec tenth = {0, 50 * 1000 * 1000};
  signal(SIGURG, OnUrgent);
  sigprocmask(SIG_BLOCK, &set, NULL);
  WorkFor(50L * 1000 * 1000);
  printf("waited: nothing pending gives %s",
         sigtimedwait(&set, NULL, &tenth) < 0 && errno == EAGAIN ? "EAGAIN" : "A SIGNAL");
  int number = 0;
  raise(SIGURG);
  sigwait(&set, &number);
  printf(", sigwait %s", number == SIGURG ? "SIGURG" : "OTHER");

  const int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  int count = 0;
  struct signalfd_siginfo info;
  for (int i = 0; i < 100; i++) {
    raise(SIGURG);
    WorkFor(1000 * 1000);
    while (read(fd, &info, sizeof info) == (ssize_t)sizeof info) count++;
  }
  printf(", signalfd %d\n", count);
  close(fd);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  signal(SIGURG, SIG_DFL);
}

// As PostgreSQL does: SIGURG is blocked for good and read from a descriptor. Then both signals change hands.
static void Latched(void) {
  const sigset_t set = OnlyUrgent();
  sigprocmask(SIG_BLOCK, &set, NULL);
  const int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  int count = 0, early = 0;
  struct signalfd_siginfo info;
  for (int i = 0; i < 200; i++) {
    WorkFor(2000 * 1000);
    while (read(fd, &info, sizeof info) == (ssize_t)sizeof info) early++;
    kill(getpid(), SIGURG);
    while (read(fd, &info, sizeof info) == (ssize_t)sizeof info) count++;
  }
  close(fd);
  printf("latched: %d and %d others", count, early);
  signal(SIGURG, OnUrgent);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  printf(", then received %d", Raise());
  printf(" and %d others", received_other);
  signal(SIGURG, SIG_DFL);
  const sighandler_t before = signal(SIGWINCH, OnUrgent);
  received_other = 0;
  for (int i = 0; i < 100; i++) {
    raise(SIGWINCH);
    WorkFor(500 * 1000);
  }
  printf(", of the other %d, before %s\n", received_other, before == SIG_DFL ? "default" : "NOT DEFAULT");
  signal(SIGWINCH, SIG_DFL);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "all";
  const int all = strcmp(mode, "all") == 0;
  setvbuf(stdout, NULL, _IOFBF, 1 << 16);
  if (all || strcmp(mode, "blocked") == 0) Blocked();
  if (all || strcmp(mode, "used") == 0) Used();
  if (all || strcmp(mode, "ignored") == 0) Ignored();
  if (all || strcmp(mode, "waited") == 0) Waited();
  if (all || strcmp(mode, "latched") == 0) Latched();
  return 0;
}
