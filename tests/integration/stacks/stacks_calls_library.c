// The functions of stacks_calls_program that lie in another file.
#include "stacks_calls.h"

double leaf(double x) {
  for (int i = 0; i < 2000; ++i) x = x * 1.0000001 + 0.5;
  return x;
}
double CallBack(Function* function, double x) {
  volatile double room[5];
  room[1] = x;
  const double y = function(x);
  return y + room[1];
}
