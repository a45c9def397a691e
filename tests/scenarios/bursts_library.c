// The library of `bursts`: three functions that take a share of each burst.
#include <stdint.h>

uint32_t Decode(uint32_t state, long loops);
uint32_t Checksum(uint32_t state, long loops);
uint32_t Encode(uint32_t state, long loops);

// The factors differ, so that the compiler keeps the functions apart.
uint32_t Decode(uint32_t state, long loops) {
  for (long i = 0; i < loops; i++) state = state * 1664525u + 11;
  return state;
}

uint32_t Checksum(uint32_t state, long loops) {
  for (long i = 0; i < loops; i++) state = state * 22695477u + 13;
  return state;
}

uint32_t Encode(uint32_t state, long loops) {
  for (long i = 0; i < loops; i++) state = state * 1103515245u + 17;
  return state;
}
