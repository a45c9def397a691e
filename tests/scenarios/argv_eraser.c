// argv_eraser: clears its argument vector at once, as git and nginx do, and forks; both processes then sleep a little.
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) argv[i] = 0;
  const pid_t child = fork();
  const struct timespec pause = {0, 30 * 1000 * 1000};
  nanosleep(&pause, NULL);
  if (child == 0) _exit(0);
  int status = -1;
  waitpid(child, &status, 0);
  printf("argv_eraser: the child ended with %d\n", status);
  return 0;
}
