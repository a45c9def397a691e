// A chain of real functions with labels, in a library of its own: what a sampled program looks like.
#ifndef GECKOPROF_TESTS_UNIT_BASEPROFILER_SAMPLER_STACK_CHAIN_H_
#define GECKOPROF_TESTS_UNIT_BASEPROFILER_SAMPLER_STACK_CHAIN_H_

#include <cstdint>

#include "geckoprof/labels/profiling_stack.h"

// Return addresses, each of which lies in the function that it is named after.
struct StackChainPlaces {
  uint64_t in_outer;   // of the call of the middle function
  uint64_t in_middle;  // of the call of the inner function
  uint64_t in_inner;   // of the call of `deepest`; set by `deepest` itself
};

// outer {label "outer"} -> middle {labels "middle 1", "middle 2 dynamic"} -> inner {label "inner"} -> deepest(argument)
extern "C" __attribute__((visibility("default"))) int stack_chain_outer(geckoprof::ProfilingStack* labels,
                                                                        StackChainPlaces* places,
                                                                        void (*deepest)(void*), void* argument);

// Runs until told to end, in this function alone.
extern "C" __attribute__((visibility("default"))) void stack_chain_spin(const volatile bool* end);

#endif  // GECKOPROF_TESTS_UNIT_BASEPROFILER_SAMPLER_STACK_CHAIN_H_
