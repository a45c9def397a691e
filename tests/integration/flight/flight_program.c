/* flight_program: does what the lines of its input say, and answers each with "done".
 *
 *   busy MS        computes
 *   sleep MS
 *   paint MS       marks "Paint", an interval that ends now
 *   begin, end     mark the start and the end of "Load"
 *   child MS       a child marks "Child", an interval of MS that ends now, and ends at once
 *   children N     N children, one after the other, that compute for some ms
 *   memory MIB     touches memory, and keeps it
 *   fill N         N markers with a text of 1000 bytes
 *   meter MS       a marker each 50 us; prints "cost", and the median and the 99th percentile of what they took in ns
 *   crash, exit N
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GECKOPROF_SHIM_IMPLEMENTATION
#include "baseprofiler/c/geckoprof_shim.h"

static const uint64_t kNsPerMs = 1000000;

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 * kNsPerMs + (uint64_t)now.tv_nsec;
}

static void busy(uint64_t ms) {
  const uint64_t end = now_ns() + ms * kNsPerMs;
  while (now_ns() < end) {
  }
}

static void sleep_ms(uint64_t ms) {
  struct timespec time = {(time_t)(ms / 1000), (long)(ms % 1000 * kNsPerMs)};
  nanosleep(&time, NULL);
}

static void child(uint64_t marked_ms) {
  const pid_t pid = fork();
  if (pid == 0) {
    const geckoprof_time start = geckoprof_base_time();
    busy(marked_ms);
    GECKOPROF_MARK_TEXT("Child", GECKOPROF_CATEGORY_OTHER, geckoprof_interval_since(start), "");
    exit(0);
  }
  waitpid(pid, NULL, 0);
}

static void paint(uint64_t ms) {
  const geckoprof_time start = geckoprof_base_time();
  sleep_ms(ms);
  GECKOPROF_MARK_TEXT("Paint", GECKOPROF_CATEGORY_OTHER, geckoprof_interval_since(start), "");
}

static void use_memory(uint64_t mib) {
  const size_t bytes = (size_t)mib << 20;
  char* const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) memset(memory, 1, bytes);
}

static void fill(uint64_t count) {
  char text[1001];
  memset(text, 'x', sizeof(text) - 1);
  text[sizeof(text) - 1] = 0;
  for (uint64_t i = 0; i < count; ++i) {
    GECKOPROF_MARK_TEXT("Fill", GECKOPROF_CATEGORY_OTHER, geckoprof_instant(), text);
    if (i % 1000 == 0) sleep_ms(1);
  }
}

static int compare(const void* a, const void* b) {
  const uint32_t left = *(const uint32_t*)a, right = *(const uint32_t*)b;
  return left < right ? -1 : left > right;
}

static void meter(uint64_t ms) {
  enum { kMost = 1 << 20 };
  static uint32_t costs_ns[kMost];
  size_t count = 0;
  const uint64_t end = now_ns() + ms * kNsPerMs;
  while (now_ns() < end && count < kMost) {
    const struct timespec pause = {0, 50000};
    const uint64_t start = now_ns();
    GECKOPROF_MARK("Meter", GECKOPROF_CATEGORY_OTHER);
    costs_ns[count++] = (uint32_t)(now_ns() - start);
    nanosleep(&pause, NULL);
  }
  qsort(costs_ns, count, sizeof(costs_ns[0]), &compare);
  printf("cost %u %u %zu\n", costs_ns[count / 2], costs_ns[count * 99 / 100], count);
}

static void obey(const char* word, uint64_t number) {
  if (strcmp(word, "busy") == 0) busy(number);
  if (strcmp(word, "sleep") == 0) sleep_ms(number);
  if (strcmp(word, "paint") == 0) paint(number);
  if (strcmp(word, "begin") == 0) {
    GECKOPROF_MARK_TEXT("Load", GECKOPROF_CATEGORY_OTHER, geckoprof_interval_start(), "");
  }
  if (strcmp(word, "end") == 0) {
    GECKOPROF_MARK_TEXT("Load", GECKOPROF_CATEGORY_OTHER, geckoprof_interval_end(), "");
  }
  if (strcmp(word, "child") == 0) child(number);
  if (strcmp(word, "children") == 0) {
    for (uint64_t i = 0; i < number; ++i) child(5);
  }
  if (strcmp(word, "memory") == 0) use_memory(number);
  if (strcmp(word, "fill") == 0) fill(number);
  if (strcmp(word, "meter") == 0) meter(number);
  if (strcmp(word, "crash") == 0) raise(SIGSEGV);
  if (strcmp(word, "exit") == 0) exit((int)number);
}

int main(void) {
  char line[100], word[100];
  unsigned number = 0;
  printf("ready %d\n", (int)getpid());
  fflush(stdout);
  while (fgets(line, sizeof(line), stdin) != NULL) {
    if (sscanf(line, "%99s %u", word, &number) < 1) continue;
    obey(word, number);
    printf("done\n");
    fflush(stdout);
  }
  return 0;
}
