// libc's own versions of the functions that base stands in front of.
#ifndef GECKOPROF_BASEPROFILER_LIBC_REAL_FUNCTIONS_H_
#define GECKOPROF_BASEPROFILER_LIBC_REAL_FUNCTIONS_H_

#include <dlfcn.h>
#include <signal.h>

#include <atomic>

namespace geckoprof {

// RealFunction: the next definition of a function after ours, looked up when first called and kept; where libc stands
// in front of us (we came as the dependency of a library), the first one. dlsym takes the loader's lock, so not in
// signal context, and not for what a constructor of a library may wait for on another thread, unless it was looked up
// before. Threads: any; two that look at the same time find the same.
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

// The kernel's view of a signal's disposition. glibc exports its own function under this second name too; weak, so that
// the library loads where another libc has no such name.
extern "C" __attribute__((weak)) int __sigaction(int signal, const struct sigaction* next,  // NOLINT
                                                 struct sigaction* previous);

// False in a program of another libc (musl) that inherited the preload: nothing is recorded there, and each hook calls
// what is behind it.
inline bool IsGlibc() { return &__sigaction != nullptr; }

// With glibc only.
inline int RealSigaction(int signal, const struct sigaction* next, struct sigaction* previous) {
  return __sigaction(signal, next, previous);
}

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_LIBC_REAL_FUNCTIONS_H_
