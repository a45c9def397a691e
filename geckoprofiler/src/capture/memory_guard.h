#ifndef GECKOPROF_GECKOPROFILER_CAPTURE_MEMORY_GUARD_H_
#define GECKOPROF_GECKOPROFILER_CAPTURE_MEMORY_GUARD_H_

namespace geckoprof {

// Runs `run(argument)`. False if memory ran out in it: what it had allocated until then is lost, since its code is
// compiled without clean-ups, but the program goes on. The one place of the library that knows of exceptions.
bool RunUnlessOutOfMemory(void (*run)(void* argument), void* argument);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CAPTURE_MEMORY_GUARD_H_
