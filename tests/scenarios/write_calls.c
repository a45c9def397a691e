// write_calls SECONDS: fills a block and writes it to a file in memory, again and again. Most of the CPU time is the
// kernel's, in `write`. Prints the number of calls.
//
//   calls 41230
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { kBlockBytes = 64 * 1024, kFileBlocks = 16 };

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

__attribute__((noinline)) static void Fill(uint8_t* block, uint32_t seed) {
  for (int i = 0; i < kBlockBytes; i += 16) {
    seed = seed * 1664525u + 1013904223u;
    block[i] = (uint8_t)(seed >> 24);
  }
}

int main(int argc, char** argv) {
  static uint8_t block[kBlockBytes];
  const double end = Now() + (argc > 1 ? atof(argv[1]) : 1);
  const int file = memfd_create("write_calls", MFD_CLOEXEC);
  if (file < 0) return 1;
  long calls = 0;
  for (; Now() < end; calls++) {
    if (calls % kFileBlocks == 0 && lseek(file, 0, SEEK_SET) != 0) return 1;
    Fill(block, (uint32_t)calls);
    if (write(file, block, sizeof block) != kBlockBytes) return 1;
  }
  printf("calls %ld\n", calls);
  return 0;
}
