// fork_tree: children made by fork, vfork and exec, posix_spawn, system, and a grandchild by a double fork. Each works,
// and prints a line; the parent waits for each in turn, so the order is fixed.
#define _GNU_SOURCE
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static __attribute__((noinline)) uint64_t Work(int rounds) {
  volatile uint64_t state = 1;
  for (int i = 0; i < rounds; i++) state = state * 6364136223846793005ull + 1442695040888963407ull;
  return state;
}

static void Say(const char* who) {
  printf("%s %016llx\n", who, (unsigned long long)Work(30 * 1000 * 1000));
  fflush(stdout);
}

static int Wait(pid_t pid) {
  int status = -1;
  return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

static int Forked(void) {
  const pid_t pid = fork();
  if (pid == 0) {
    Say("fork");
    _exit(0);
  }
  return Wait(pid);
}

static int DoubleForked(void) {
  int done[2];
  if (pipe(done) != 0) return -1;
  const pid_t pid = fork();
  if (pid == 0) {
    if (fork() == 0) {
      Say("double fork");
      _exit(write(done[1], "x", 1) == 1 ? 0 : 1);
    }
    _exit(0);
  }
  const int status = Wait(pid);
  char byte;
  close(done[1]);
  return read(done[0], &byte, 1) == 1 ? status : -1;
}

static int VforkExec(char* self) {
  char mode[] = "child";
  char who[] = "vfork and exec";
  char* const arguments[] = {self, mode, who, NULL};
  const pid_t pid = vfork();
  if (pid == 0) {
    execv("/proc/self/exe", arguments);
    _exit(127);
  }
  return Wait(pid);
}

static int Spawned(char* self) {
  char mode[] = "child";
  char who[] = "posix_spawn";
  char* const arguments[] = {self, mode, who, NULL};
  pid_t pid = -1;
  return posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, environ) == 0 ? Wait(pid) : -1;
}

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "child") == 0) {
    Say(argv[2]);
    return 0;
  }
  Say("parent");
  int failed = Forked() != 0;
  failed |= VforkExec(argv[0]) != 0;
  failed |= Spawned(argv[0]) != 0;
  failed |= system("i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; echo system $i") != 0;
  failed |= DoubleForked() != 0;
  Say("parent");
  printf("fork_tree %s\n", failed ? "FAILED" : "ok");
  return failed;
}
