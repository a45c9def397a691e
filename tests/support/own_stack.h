// Where the calling thread's stack is, as libc knows it.
#ifndef GECKOPROF_TESTS_SUPPORT_OWN_STACK_H_
#define GECKOPROF_TESTS_SUPPORT_OWN_STACK_H_

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace geckoprof {

// [low, high).
struct OwnStackBounds {
  uintptr_t low = 0;
  uintptr_t high = 0;
};

inline OwnStackBounds OwnStack() {
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t size = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  return {reinterpret_cast<uintptr_t>(low), reinterpret_cast<uintptr_t>(low) + size};
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_SUPPORT_OWN_STACK_H_
