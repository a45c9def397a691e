// deep_stack SECONDS: recursion, in turn to about 100 KiB and 1 MiB of stack, working at each depth.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kFrameBytes = 256 };

static __attribute__((noinline)) uint64_t Descend(int bytes_left, uint64_t value) {
  volatile uint8_t local[kFrameBytes - 64];
  for (unsigned i = 0; i < sizeof local; i += 16) local[i] = (uint8_t)(value + i);
  if (bytes_left <= 0) {
    for (int i = 0; i < 20000; i++) value = value * 6364136223846793005ull + local[(i % 10) * 16];
    return value;
  }
  const uint64_t below = Descend(bytes_left - kFrameBytes, value * 31 + 7);
  return below + local[(below % 12) * 16];
}

static double Seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
  const double end = Seconds() + (argc > 1 ? atof(argv[1]) : 1);
  const uint64_t shallow = Descend(100 * 1024, 1);
  const uint64_t deep = Descend(1024 * 1024, 2);
  int agree = 1;
  while (Seconds() < end) {
    agree &= Descend(100 * 1024, 1) == shallow;
    agree &= Descend(1024 * 1024, 2) == deep;
  }
  printf("deep_stack %016llx %016llx %s\n", (unsigned long long)shallow, (unsigned long long)deep,
         agree ? "agree" : "DIFFER");
  return !agree;
}
