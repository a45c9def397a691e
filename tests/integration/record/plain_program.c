// plain_program [MS]: takes so much CPU time, or none. To be linked in unusual ways.
#include <stdlib.h>
#include <time.h>

int main(int count, char** arguments) {
  const clock_t end = count > 1 ? atol(arguments[1]) * (CLOCKS_PER_SEC / 1000) : 0;
  while (clock() < end) {
  }
  return 0;
}
