// exit_race: exit_race HOW US: main works for 50 ms and calls exit, and US microseconds later another thread ends
// the process, too, by HOW: exit, _exit or quick_exit.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char* g_how;
static unsigned g_delay_us;

static void* EndToo(void* unused) {
  (void)unused;
  usleep(g_delay_us);
  if (strcmp(g_how, "exit") == 0) exit(0);
  if (strcmp(g_how, "quick_exit") == 0) quick_exit(0);
  _exit(0);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  g_how = argv[1];
  g_delay_us = (unsigned)atoi(argv[2]);
  const clock_t end = clock() + CLOCKS_PER_SEC / 20;
  while (clock() < end) {
  }
  pthread_t other;
  if (pthread_create(&other, NULL, EndToo, NULL) != 0) return 1;
  pthread_detach(other);
  exit(0);
}
