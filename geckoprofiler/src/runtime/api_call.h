#ifndef GECKOPROF_GECKOPROFILER_RUNTIME_API_CALL_H_
#define GECKOPROF_GECKOPROFILER_RUNTIME_API_CALL_H_

#include "geckoprof/base/ids.h"
#include "runtime/api_locks.h"
#include "runtime/outcome.h"

namespace geckoprof {

// Runs `run(argument)`. False: memory ran out in it. Code that is compiled with clean-ups releases what it held on the
// way out, and the program goes on. No other function of the library catches exceptions.
bool RunUnlessOutOfMemory(void (*run)(void* argument), void* argument);

// LibraryProcess: which process the library's memory belongs to. The child of a vfork, and of a raw clone that shares
// it, runs in its parent's memory. Threads: any. Context: any, signal context included.
class LibraryProcess {
 public:
  // The library was loaded, or this is the child of a fork.
  static void Adopt();
  // True where nothing was adopted yet.
  static bool IsThis();
  // The kernel's id of the process that asks.
  static ProcessId Current();
};

// ApiCall: the door of the library. Every public function that takes a lock or needs memory comes in by it, and the
// library goes out by it when it calls a function of the program's.
//
//   profiler_stop()     | Run: inside | Outside: a listener of the program's, may call the API | inside |
//   a signal's handler       ^ refused                                                             ^ refused
//
// A call on a thread that is inside already, or holds a lock of ApiLockRank, comes from a handler or an allocator of
// the program's that interrupted the library. It answers kWrongThread instead of waiting for itself. The child of a
// vfork gets the same answer, because it would change its parent's recording. If memory runs out, the answer is
// kNoMemory, and every lock is released on the way out, since the library is compiled with clean-ups.
//
// Being inside is ApiLockRank::kProfiler. Threads: any that libc knows. Context: signal safe as far as the refusal.
class ApiCall {
 public:
  static bool IsInside() { return ApiLocks::Holds(ApiLockRank::kProfiler); }

  // Calls `call`. kDone: it came to its end.
  template <typename Call>
  static ProfilerStatus Run(Call call) {
    return RunErased([](void* argument) { (*static_cast<Call*>(argument))(); }, &call);
  }

  // The same for one that returns an outcome.
  template <typename Call>
  static Outcome Answer(Call call) {
    Outcome outcome;
    const ProfilerStatus status = Run([&] { outcome = call(); });
    if (status != ProfilerStatus::kDone) outcome = {status, {}};
    return outcome;
  }

  // Outside for as long as it lives. REQUIRES: no lock of the library's is held.
  class Outside {
   public:
    Outside() : was_inside_(IsInside()) {
      if (was_inside_) ApiLocks::Release(ApiLockRank::kProfiler);
    }
    ~Outside() {
      if (was_inside_) ApiLocks::Take(ApiLockRank::kProfiler);
    }
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;

   private:
    const bool was_inside_;
  };

 private:
  static ProfilerStatus RunErased(void (*run)(void* argument), void* argument);
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_RUNTIME_API_CALL_H_
