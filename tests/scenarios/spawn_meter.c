// spawn_meter ROUNDS PROGRAM VARIANT...: what it costs to start and end PROGRAM in several environments, each round
// starting all of them in turn, so that the machine's moods meet every one alike.
//
// VARIANT is NAME followed by settings, all separated by '|': "started|LD_PRELOAD=/x/lib.so|GECKOPROF_STARTUP=1".
// Prints a line each, "NAME median_us 512.3 fast_us 498.0" (fast: the lower quartile). Children get only the settings
// named, and PATH.
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { kVariants = 16, kSettings = 16 };

static double NowUs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static int Compare(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return left < right ? -1 : left > right;
}

static double StartOnce(const char* program, char** settings) {
  char name[256];
  snprintf(name, sizeof name, "%s", program);
  char* const arguments[] = {name, NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  const double start_us = NowUs();
  pid_t pid;
  int status = -1;
  if (posix_spawn(&pid, program, &actions, NULL, arguments, settings) != 0 || waitpid(pid, &status, 0) != pid ||
      status != 0) {
    fprintf(stderr, "spawn_meter: %s failed, status %d\n", program, status);
    exit(1);
  }
  const double taken_us = NowUs() - start_us;
  posix_spawn_file_actions_destroy(&actions);
  return taken_us;
}

int main(int argc, char** argv) {
  const int rounds = argc > 3 ? atoi(argv[1]) : 0, variants = argc - 3;
  if (rounds < 4 || variants > kVariants) return 2;
  static char* names[kVariants];
  static char* settings[kVariants][kSettings + 2];
  double* taken_us[kVariants];
  static char path[] = "PATH=/usr/bin:/bin";
  for (int v = 0; v < variants; v++) {
    names[v] = strtok(argv[v + 3], "|");
    int count = 0;
    for (char* setting; count < kSettings && (setting = strtok(NULL, "|"));) settings[v][count++] = setting;
    settings[v][count] = path;
    taken_us[v] = malloc((size_t)rounds * sizeof(double));
    if (!taken_us[v]) return 1;
  }
  for (int round = 0; round < rounds; round++) {
    for (int v = 0; v < variants; v++) taken_us[v][round] = StartOnce(argv[2], settings[v]);
  }
  for (int v = 0; v < variants; v++) {
    qsort(taken_us[v], (size_t)rounds, sizeof(double), Compare);
    printf("%s median_us %.1f fast_us %.1f\n", names[v], taken_us[v][rounds / 2], taken_us[v][rounds / 4]);
  }
  return 0;
}
