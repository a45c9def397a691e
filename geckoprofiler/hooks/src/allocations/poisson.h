#ifndef GECKOPROF_HOOKS_ALLOCATIONS_POISSON_H_
#define GECKOPROF_HOOKS_ALLOCATIONS_POISSON_H_

#include <cstdint>

namespace geckoprof {

// The mathematics of Poisson sampling by bytes, without libm, which a program of C may not have.
//
//   bytes    .........x...............x...x.....................x....    each byte is hit with probability 1 / mean
//   blocks   [   ][ x        ][             ]...                         a block is sampled if one of its bytes is hit
//
// Threads: any. Context: any.

// Returns the natural logarithm, within 1e-13 of its value. REQUIRES: x > 0, and a normal number.
double NaturalLog(double x);
// Returns 1 - exp(-x), within 1e-13 of its value. REQUIRES: x >= 0.
double OneMinusExp(double x);

// Returns the number of bytes to the next hit, which is at least 1. It has an exponential distribution. `random` is 64
// random bits.
int64_t BytesToNextHit(double mean_bytes, uint64_t random);

// Returns what a sampled block of this size stands for, in bytes. Summed over the samples of many allocations, it is
// the sum of their sizes. A block counts as one byte more in the draw, so that empty ones are sampled too.
int64_t SampleWeight(uint64_t bytes, double mean_bytes);

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_ALLOCATIONS_POISSON_H_
