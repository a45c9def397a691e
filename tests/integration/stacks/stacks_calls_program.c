// stacks_calls_program SECONDS: functions without unwind data or frame pointers call each other in three ways.
//
//   main > RunCalls > direct1 > direct2 > leaf              direct calls, and one through the linkage table
//                   > pointer1 > pointer2 > leaf            calls through pointers
//                   > table1 > CallBack > table2 > leaf     CallBack and leaf lie in a library
//                   > deep > deep > deep > direct1 > ...    a call after a return in the middle of the function
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "stacks_calls.h"

#define NOINLINE __attribute__((noinline, noclone))

static double g_end_s;
static volatile double g_sink;

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// Frames of several sizes, and work after each call, so that no call becomes a jump.
NOINLINE double direct2(double x) {
  volatile double room[21];
  room[3] = x;
  const double y = leaf(x);
  return y + room[3];
}
NOINLINE double direct1(double x) {
  volatile double room[40];
  room[3] = x;
  const double y = direct2(x);
  return y + room[3];
}
static Function* volatile g_leaf = leaf;
NOINLINE double pointer2(double x) {
  volatile double room[11];
  room[3] = x;
  const double y = g_leaf(x);
  return y + room[3];
}
static Function* volatile g_pointer2 = pointer2;
NOINLINE double pointer1(double x) {
  volatile double room[7];
  room[3] = x;
  const double y = g_pointer2(x);
  return y + room[3];
}
NOINLINE double table2(double x) {
  volatile double room[3];
  room[1] = x;
  const double y = leaf(x);
  return y + room[1];
}
NOINLINE double table1(double x) {
  volatile double room[9];
  room[1] = x;
  const double y = CallBack(table2, x);
  return y + room[1];
}
NOINLINE double deep(double x, int depth) {
  if (depth == 0) return direct1(x) + 1;
  volatile double room[9];
  room[1] = x;
  const double y = deep(x, depth - 1);
  return y + room[1];
}
NOINLINE void RunCalls(void) {
  while (Now() < g_end_s) {
    g_sink = direct1(g_sink * 1e-9);
    g_sink = pointer1(g_sink * 1e-9);
    g_sink = table1(g_sink * 1e-9);
    g_sink = deep(g_sink * 1e-9, 2);
  }
  g_sink += 1;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  g_end_s = Now() + atof(argv[1]);
  RunCalls();
  printf("%d\n", g_sink > 0);
  return 0;
}
