// libc's own versions of the functions that base interposes.
#ifndef GECKOPROF_BASEPROFILER_LIBC_REAL_FUNCTIONS_H_
#define GECKOPROF_BASEPROFILER_LIBC_REAL_FUNCTIONS_H_

#include <dlfcn.h>
#include <signal.h>

#include <atomic>

namespace geckoprof {

// RealFunction: the definition of a libc function that base interposes. The first call looks it up and keeps it.
//
//   loader's order:   libbaseprofiler.so, ..., libc   the next definition after base's (RTLD_NEXT)
//                     libc, ..., libbaseprofiler.so   the first definition (RTLD_DEFAULT): base came as a dependency
//
// dlsym takes the loader's lock. A constructor of a library may hold that lock and wait for another thread. Code on
// that thread must look the function up before.
//
// Threads: any. Two threads that look it up at the same time find the same function.
// Context: not signal context, unless the function was looked up before.
template <typename Signature>
class RealFunction {
 public:
  explicit constexpr RealFunction(const char* name) : name_(name) {}

  Signature* get() {
    Signature* function = function_.load(std::memory_order_relaxed);
    if (function == nullptr) {
      void* found = dlsym(RTLD_NEXT, name_);
      if (found == nullptr) found = dlsym(RTLD_DEFAULT, name_);
      function = reinterpret_cast<Signature*>(found);
      function_.store(function, std::memory_order_relaxed);
    }
    return function;
  }

 private:
  const char* const name_;
  std::atomic<Signature*> function_{nullptr};
};

// The kernel's view of a signal's disposition. glibc exports its sigaction under this second name too. The symbol is
// weak, so that the library also loads with a libc that lacks the name.
extern "C" __attribute__((weak)) int __sigaction(int signal, const struct sigaction* next,  // NOLINT
                                                 struct sigaction* previous);

// Returns false in a program of another libc (musl) that inherited the preload. Nothing is recorded there, and each
// hook only calls the function that it interposes.
inline bool IsGlibc() { return &__sigaction != nullptr; }

// REQUIRES: IsGlibc().
inline int RealSigaction(int signal, const struct sigaction* next, struct sigaction* previous) {
  return __sigaction(signal, next, previous);
}

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_LIBC_REAL_FUNCTIONS_H_
