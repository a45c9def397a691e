// What the library of the start-up example offers.
#ifndef GECKOPROF_EXAMPLES_SLOW_REGISTRY_H_
#define GECKOPROF_EXAMPLES_SLOW_REGISTRY_H_

#include <cstddef>

// The number of words that were registered before main began.
__attribute__((visibility("default"))) size_t RegisteredWords();

#endif  // GECKOPROF_EXAMPLES_SLOW_REGISTRY_H_
