#ifndef GECKOPROF_GECKOPROFILER_RUNTIME_MEMORY_GUARD_H_
#define GECKOPROF_GECKOPROFILER_RUNTIME_MEMORY_GUARD_H_

namespace geckoprof {

// Runs `run(argument)`. False if memory ran out in it: what it held is released on the way out, as far as its
// code is compiled with clean-ups, and the program goes on. The one place of the library that catches exceptions.
bool RunUnlessOutOfMemory(void (*run)(void* argument), void* argument);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_RUNTIME_MEMORY_GUARD_H_
