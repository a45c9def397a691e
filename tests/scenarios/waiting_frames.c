// Waits, again and again, in a function whose room on the stack a deep recursion has filled before. Built with frame
// pointers: what waits for the kernel is found by them alone.
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NOT_INLINE __attribute__((noinline))

static NOT_INLINE int leave_frames(int depth) {
  volatile char room[64];
  memset((char*)room, depth, sizeof(room));
  return depth > 0 ? leave_frames(depth - 1) + room[3] : room[5];
}

static NOT_INLINE int wait_here(int milliseconds) {
  char room[4096];  // never written
  const struct timespec pause = {0, 1000000L * milliseconds};
  __asm__ volatile("" : : "r"(room) : "memory");
  return nanosleep(&pause, NULL);
}

int main(void) {
  int sum = leave_frames(60);
  for (int i = 0; i < 60; ++i) sum += wait_here(5);
  puts(sum == 0 ? "zero" : "done");
  return 0;
}
