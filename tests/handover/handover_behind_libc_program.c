/* A program of a library that is linked with base. */
#include <stdio.h>
#include <unistd.h>

int RecordForAWhile(int* started, int* stopped);
int StartRecording(void);

__attribute__((destructor)) static void AtEnd(void) {
  printf("late start %d\npid %d\n", StartRecording(), (int)getpid());
  fflush(stdout);
}

int main(void) {
  int started = -1, stopped = -1;
  const int has_samples = RecordForAWhile(&started, &stopped);
  printf("start %d\nsamples %d\nstop %d\n", started, has_samples, stopped);
  return 0;
}
