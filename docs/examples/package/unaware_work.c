// unaware_work: counts primes on two threads, and knows of no profiler.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

// Kept as functions of their own, so that the profile shows them.
#define NOINLINE __attribute__((noinline))

NOINLINE static int IsPrime(int number) {
  for (int divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) return 0;
  }
  return number >= 2;
}

// A constructor's work is seen too: the archive's own comes before it.
static int primes_before_main;
NOINLINE __attribute__((constructor)) static void CountBeforeMain(void) {
  for (int number = 0; number < 200000; ++number) primes_before_main += IsPrime(number);
}

NOINLINE static void* CountPrimes(void* result) {
  int count = 0;
  for (int number = 0; number < 600000; ++number) count += IsPrime(number);
  *(int*)result = count;
  return NULL;
}

int main(void) {
  int first = 0;
  int second = 0;
  pthread_t helper;
  if (pthread_create(&helper, NULL, &CountPrimes, &second) != 0) return 1;
  pthread_setname_np(helper, "Prime helper");
  CountPrimes(&first);
  pthread_join(helper, NULL);
  printf("%d %d %d primes\n", primes_before_main, first, second);
  return 0;
}
