// marking_tree FILE: a tree of five processes that mark until they are killed.
//
//   0 -+- 1 --- 3
//      +- 2 --- 4
//
// Each marks "step" with 0, 1, 2 and so on. It writes the time at which each marker was complete into its part of FILE.
// The killer learns there which markers must be in the profile.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GECKOPROF_SHIM_IMPLEMENTATION
#include "baseprofiler/c/geckoprof_shim.h"

enum { kProcesses = 5, kMarkers = 1 << 16, kPauseNs = 20000 };

// 8-byte words of the machine, because a script reads them.
struct Log {
  _Atomic int64_t pid;
  _Atomic int64_t count;      // of markers that are complete
  int64_t done_ns[kMarkers];  // on CLOCK_MONOTONIC
};

static int64_t NowNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void MarkUntilKilled(struct Log* log) {
  static const geckoprof_marker_field fields[] = {{"step", "Step", "integer", GECKOPROF_FIELD_INT64, 0}};
  static const geckoprof_marker_type description = {
      .size_bytes = sizeof(geckoprof_marker_type), .name = "Step", GECKOPROF_FIELDS(fields)};
  static geckoprof_lazy_type type = GECKOPROF_LAZY_TYPE(&description);
  geckoprof_site* const site =
      geckoprof_base_declare_site(NULL, "step", GECKOPROF_CATEGORY_OTHER, geckoprof_type_of(&type));
  atomic_store(&log->pid, getpid());
  for (int64_t i = 0; i < kMarkers;) {
    const geckoprof_value step = geckoprof_int64(i);
    if (geckoprof_base_mark(site, NULL, &step, 1) == GECKOPROF_MARKED) {
      log->done_ns[i++] = NowNs();
      atomic_store(&log->count, i);
    }
    for (const int64_t end_ns = NowNs() + kPauseNs; NowNs() < end_ns;) {
    }
  }
  for (;;) pause();
}

int main(int count, char** words) {
  const int file = count == 2 ? open(words[1], O_RDWR | O_CREAT, 0600) : -1;
  if (file < 0 || ftruncate(file, sizeof(struct Log) * kProcesses) != 0) return 2;
  struct Log* const logs = mmap(NULL, sizeof(struct Log) * kProcesses, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (logs == MAP_FAILED) return 2;
  setsid();  // so that all of them can be killed at once
  int number = 0;
  if (fork() == 0) {
    number = fork() == 0 ? 3 : 1;
  } else if (fork() == 0) {
    number = fork() == 0 ? 4 : 2;
  }
  MarkUntilKilled(&logs[number]);
  return 0;
}
