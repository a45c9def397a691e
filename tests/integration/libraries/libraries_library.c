// Libraries whose constructors and destructors do what the tests need. Each definition makes another library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

__attribute__((unused)) static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

#if defined(SLOW)

// 20,000 entries need a relocation each, with a search for their symbol.
// clang-format off
#define TEN(USE, n) USE(n##0) USE(n##1) USE(n##2) USE(n##3) USE(n##4) USE(n##5) USE(n##6) USE(n##7) USE(n##8) USE(n##9)
#define HUNDRED(USE, n) TEN(USE, n##0) TEN(USE, n##1) TEN(USE, n##2) TEN(USE, n##3) TEN(USE, n##4) \
  TEN(USE, n##5) TEN(USE, n##6) TEN(USE, n##7) TEN(USE, n##8) TEN(USE, n##9)
#define THOUSAND(USE, n) HUNDRED(USE, n##0) HUNDRED(USE, n##1) HUNDRED(USE, n##2) HUNDRED(USE, n##3) HUNDRED(USE, n##4) \
  HUNDRED(USE, n##5) HUNDRED(USE, n##6) HUNDRED(USE, n##7) HUNDRED(USE, n##8) HUNDRED(USE, n##9)
#define TEN_THOUSAND(USE, n) THOUSAND(USE, n##0) THOUSAND(USE, n##1) THOUSAND(USE, n##2) THOUSAND(USE, n##3) \
  THOUSAND(USE, n##4) THOUSAND(USE, n##5) THOUSAND(USE, n##6) THOUSAND(USE, n##7) THOUSAND(USE, n##8) THOUSAND(USE, n##9)
// clang-format on
#define DEFINE(n) int slow_value_##n;
#define USE(n) &slow_value_##n,
TEN_THOUSAND(DEFINE, 1)
TEN_THOUSAND(DEFINE, 2)
int* slow_table[] = {TEN_THOUSAND(USE, 1) TEN_THOUSAND(USE, 2)};

__attribute__((constructor)) static void Construct(void) {
  usleep(20000);
  const double begin = Now();
  while (Now() - begin < 30) {
  }
}
// Returns 1 if all entries were relocated.
int is_relocated(void) { return slow_table[0] == &slow_value_10000 && slow_table[19999] == &slow_value_29999; }

#elif defined(QUICK)

int quick_answer = 42;

#elif defined(NESTED)

static void* slow;
__attribute__((constructor)) static void Construct(void) {
  usleep(5000);
  slow = dlopen(getenv("SLOW_LIBRARY"), RTLD_NOW);
  usleep(5000);
}
int nested_loaded(void) { return slow != 0; }

#elif defined(JUMPING)

extern jmp_buf program_jump;  // of the program
__attribute__((constructor)) static void Construct(void) { longjmp(program_jump, 1); }

#elif defined(CLOSING)

static void* quick;
__attribute__((constructor)) static void Construct(void) { quick = dlopen(getenv("QUICK_LIBRARY"), RTLD_NOW); }
__attribute__((destructor)) static void Destruct(void) { dlclose(quick); }

#elif defined(ENDLESS)

__attribute__((constructor)) static void Construct(void) {
  usleep(10000);
  _exit(7);
}

#elif defined(CALLER)

// Only this library's run path finds the name, and only its folder is $ORIGIN here.
int caller_finds(void) {
  void* const by_name = dlopen("libquick.so", RTLD_NOW);
  void* const by_origin = dlopen("$ORIGIN/libquick.so", RTLD_NOW);
  return by_name != 0 && by_name == by_origin;
}

#endif
