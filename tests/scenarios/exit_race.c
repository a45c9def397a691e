// exit_race: exit_race MAIN HOW US: main works for 50 ms and ends the process by MAIN; US microseconds later another
// thread does so by HOW, and a third one as much later again. Each is exit, _exit or quick_exit.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char* g_how;
static unsigned g_delay_us;

static void End(const char* how) {
  if (strcmp(how, "exit") == 0) exit(0);
  if (strcmp(how, "quick_exit") == 0) quick_exit(0);
  _exit(0);
}

static void* EndToo(void* times) {
  usleep(g_delay_us * *(const unsigned*)times);
  End(g_how);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  g_how = argv[2];
  g_delay_us = (unsigned)atoi(argv[3]);
  const clock_t end = clock() + CLOCKS_PER_SEC / 20;
  while (clock() < end) {
  }
  static unsigned times[] = {1, 2};
  for (int i = 0; i < 2; ++i) {
    pthread_t other;
    if (pthread_create(&other, NULL, EndToo, &times[i]) != 0) return 1;
    pthread_detach(other);
  }
  End(argv[1]);
}
