#ifndef GECKOPROF_HOOKS_RUNTIME_NEXT_FUNCTION_H_
#define GECKOPROF_HOOKS_RUNTIME_NEXT_FUNCTION_H_

#include <dlfcn.h>

#include <atomic>

// Begins the definition of a hook.
#define GECKOPROF_HOOK extern "C" [[gnu::visibility("default")]]

namespace geckoprof {

// NextFunction: the function that a hook stands in front of. This is libc's, or that of another library which comes
// later in the loader's order (jemalloc, a sanitizer, another profiler's hook).
//
//   program --calls--> hook --get()--> next definition of the name (RTLD_NEXT)
//                                      else the first definition: the library came as a dependency, after libc
//
// The library's constructor looks the functions up (FindAll). A hook must not do so later. Another thread may have the
// loader's lock and wait for this one. The caller may be a signal handler, or may want the text of dlerror. A hook may
// be called before the constructor, by those of other libraries. get() then looks the function up.
//
// Threads: any. Two threads that look it up at the same time find the same function.
// Context: not signal context before the function was looked up, because dlsym takes the loader's lock.
template <typename Signature>
class NextFunction {
 public:
  // `own` is the hook. libc has several functions of some names. `version` says which of them it must be, if libc has
  // that version.
  constexpr NextFunction(const char* name, Signature* own, const char* version = nullptr)
      : name_(name), version_(version), own_(own) {}

  // Null if no library has the function.
  [[gnu::always_inline]] Signature* get() { return known() != nullptr ? known() : Find(); }
  // Null also if it was not looked up yet.
  [[gnu::always_inline]] Signature* known() const { return function_.load(std::memory_order_relaxed); }
  // For hooks that look their function up in another way.
  void Set(Signature* function) { function_.store(function, std::memory_order_relaxed); }
  const char* name() const { return name_; }
  Signature* hook() const { return own_; }
  [[gnu::noinline, gnu::cold]] Signature* Find() {
    void* found = version_ != nullptr ? dlvsym(RTLD_NEXT, name_, version_) : nullptr;
    if (found == nullptr) found = dlsym(RTLD_NEXT, name_);
    if (found == nullptr) found = dlsym(RTLD_DEFAULT, name_);
    auto* function = reinterpret_cast<Signature*>(found);
    if (function == own_) function = nullptr;
    function_.store(function, std::memory_order_relaxed);
    return function;
  }

 private:
  const char* const name_;
  const char* const version_;
  Signature* const own_;
  std::atomic<Signature*> function_{nullptr};
};
template <typename Result, typename... Arguments>
NextFunction(const char*, Result (*)(Arguments...)) -> NextFunction<Result(Arguments...)>;
template <typename Result, typename... Arguments>
NextFunction(const char*, Result (*)(Arguments...), const char*) -> NextFunction<Result(Arguments...)>;

template <typename... Signatures>
void FindAll(NextFunction<Signatures>&... functions) {
  (static_cast<void>(functions.Find()), ...);
}

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_RUNTIME_NEXT_FUNCTION_H_
