#include "runtime/memory_guard.h"

#include <new>

namespace geckoprof {

bool RunUnlessOutOfMemory(void (*run)(void* argument), void* argument) {
  try {
    run(argument);
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

}  // namespace geckoprof
