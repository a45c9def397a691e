#ifndef GECKOPROF_GECKOPROFILER_API_GUARDED_CALL_H_
#define GECKOPROF_GECKOPROFILER_API_GUARDED_CALL_H_

#include <cstddef>

#include "geckoprofiler/profiler_result.h"

namespace geckoprof {

// GuardedCall: from a function of C to those of C++ and back. No exception gets out: what runs out of memory on the way
// is kNoMemory. Threads: any.
class GuardedCall {
 public:
  // Calls `call`, which returns an outcome; its text goes to `detail` unless that is null.
  template <typename Call>
  static int Run(Call call, char* detail = nullptr, size_t detail_bytes = 0) {
    const auto run = [](void* argument) {
      auto* const both = static_cast<Both<Call>*>(argument);
      both->answer = Answer((*both->call)(), both->detail, both->detail_bytes);
    };
    Both<Call> both{&call, detail, detail_bytes, 0};
    return Erased(run, &both) ? both.answer : Answer({ProfilerStatus::kNoMemory, {}}, detail, detail_bytes);
  }

  // An outcome as C sees it.
  static int Answer(const ProfilerOutcome& outcome, char* detail, size_t detail_bytes);

 private:
  template <typename Call>
  struct Both {
    Call* call;
    char* detail;
    size_t detail_bytes;
    int answer;
  };
  static bool Erased(void (*run)(void*), void* argument);
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_API_GUARDED_CALL_H_
