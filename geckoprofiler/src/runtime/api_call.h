#ifndef GECKOPROF_GECKOPROFILER_RUNTIME_API_CALL_H_
#define GECKOPROF_GECKOPROFILER_RUNTIME_API_CALL_H_

#include <cstddef>

#include "geckoprof/base/ids.h"
#include "geckoprofiler/profiler_result.h"
#include "runtime/api_locks.h"

namespace geckoprof {

// Runs `run(argument)`. Returns false if memory ran out. Code that is compiled with clean-ups releases its locks and
// memory on the way out, and the program goes on. No other function of the library catches exceptions.
bool RunUnlessOutOfMemory(void (*run)(void* argument), void* argument);

// LibraryProcess: the process that the library's memory belongs to. The child of a vfork, and of a raw clone that
// shares it, runs in its parent's memory.
//
// Threads: any.
// Context: any, signal context included.
class LibraryProcess {
 public:
  // The library was loaded, or this is the child of a fork.
  static void Adopt();
  // It is true also before the first Adopt.
  static bool IsThis();
  // The kernel's id of the process that asks.
  static ProcessId Current();
};

// ApiCall: the entrance of the library. Every public function that takes a lock or needs memory enters by it. The
// library leaves by it to call a function of the program.
//
//   profiler_stop()     | Run: inside | Outside: a listener of the program's, may call the API | inside |
//   a signal's handler       ^ refused                                                             ^ refused
//
// The calling thread may be inside already, or hold a lock of ApiLockRank. Then the call comes from a handler or an
// allocator of the program that interrupted the library. The answer is kWrongThread, because the thread would wait for
// itself. The child of a vfork gets the same answer, because it would change its parent's recording. If memory runs
// out, the answer is kNoMemory, and every lock is released on the way out, since the library is compiled with
// clean-ups.
//
// Being inside is ApiLockRank::kProfiler. errno is afterwards as it was.
//
// Threads: any that libc knows.
// Context: signal safe as far as the refusal.
class ApiCall {
 public:
  static bool IsInside() { return ApiLocks::Holds(ApiLockRank::kProfiler); }

  // Calls `call`. Returns kDone if it returned.
  template <typename Call>
  static ProfilerStatus Run(Call call) {
    return RunErased([](void* argument) { (*static_cast<Call*>(argument))(); }, &call);
  }

  // Does the same for a function that returns an outcome.
  template <typename Call>
  static ProfilerOutcome Answer(Call call) {
    ProfilerOutcome outcome;
    const ProfilerStatus status = Run([&] { outcome = call(); });
    if (status != ProfilerStatus::kDone) outcome = {status, {}};
    return outcome;
  }

  // Outside: its thread is outside of the library for its lifetime. REQUIRES: no lock of the library is held.
  class Outside {
   public:
    Outside() : was_inside_(IsInside()) {
      if (was_inside_) ApiLocks::Release(ApiLockRank::kProfiler);
    }
    ~Outside() {
      if (was_inside_) ApiLocks::Acquire(ApiLockRank::kProfiler);
    }
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;

   private:
    const bool was_inside_;
  };

 private:
  static ProfilerStatus RunErased(void (*run)(void* argument), void* argument);
};

// Converts an outcome to the answer of a C function. If `detail` is not null, it receives the outcome's text, cut to
// `detail_bytes` and terminated. A failure without a text has the text of its status. It needs no memory.
int AnswerC(const ProfilerOutcome& outcome, char* detail = nullptr, size_t detail_bytes = 0);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_RUNTIME_API_CALL_H_
