// ending_program HOW [ARGUMENT...]: works for 50 ms and ends with status 3 by HOW: exit, _exit, quick_exit, return, or
//
//   children       exit, with a handler of exit, registered before and after others, that waits for children: prints
//                  how many were found, and how many SIGCHLD came until the last handler
//   small_stack    exit on a stack of 16 KiB, which is the kernel's least and libc's, of another thread
//   chroot FOLDER  exit with another root folder
//   exec PROGRAM   exec; the status is the program's
//   limits         exit with all descriptors in use
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t g_signals;
static int g_found;

static void OnChild(int signal) {
  (void)signal;
  g_signals = g_signals + 1;
}

// A loop such as shells and init processes have.
static void WaitForChildren(void) {
  int status;
  while (waitpid(-1, &status, WNOHANG) > 0) ++g_found;
  while (wait(&status) > 0) ++g_found;
  if (errno != ECHILD) ++g_found;
}

// Looks on while the process ends: other threads run until it has.
static void* KeepLooking(void* unused) {
  (void)unused;
  int status;
  for (;;) {
    if (waitpid(-1, &status, 0) > 0 || errno != ECHILD || g_signals != 0) {
      static const char text[] = "found one\n";
      if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0) return NULL;
    }
  }
  return NULL;
}

static void Tell(void) {
  printf("%d children, %d signals\n", g_found, (int)g_signals);
  fflush(stdout);
}

static void* EndHere(void* unused) {
  (void)unused;
  exit(3);
}

static void WorkFor(long ns) {
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000000000L + (now.tv_nsec - start.tv_nsec) < ns);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const char* const how = argv[1];
  WorkFor(50L * 1000 * 1000);
  if (strcmp(how, "_exit") == 0) _exit(3);
  if (strcmp(how, "quick_exit") == 0) quick_exit(3);
  if (strcmp(how, "return") == 0) return 3;
  if (strcmp(how, "children") == 0) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = OnChild;
    if (sigaction(SIGCHLD, &action, NULL) != 0) return 1;
    atexit(Tell);
    atexit(WaitForChildren);
    pthread_t looking;
    if (pthread_create(&looking, NULL, KeepLooking, NULL) != 0) return 1;
  }
  if (strcmp(how, "small_stack") == 0) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16384);
    if (pthread_create(&thread, &attributes, EndHere, NULL) != 0) return 1;
    pthread_join(thread, NULL);
  }
  if (strcmp(how, "chroot") == 0 && (chroot(argv[2]) != 0 || chdir("/") != 0)) return 77;
  if (strcmp(how, "exec") == 0) execl(argv[2], argv[2], (char*)NULL);
  if (strcmp(how, "limits") == 0) {
    const struct rlimit few = {32, 32};
    setrlimit(RLIMIT_NOFILE, &few);
    while (dup(STDERR_FILENO) >= 0) {
    }
  }
  exit(3);
}
