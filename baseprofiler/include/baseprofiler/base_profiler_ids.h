// Who is asking: the ids of the current process, thread and main thread, as the kernel, the profile and the full
// library have them (gettid(2), getpid(2)). Part of base_profiler.h; asks nothing of the library.
//
// Nothing is kept: in the child of a fork they are right at once. Threads: any. Context: any, signal context included.
#ifndef GECKOPROF_BASEPROFILER_BASE_PROFILER_IDS_H_
#define GECKOPROF_BASEPROFILER_BASE_PROFILER_IDS_H_

#include <compare>
#include <cstdint>

#include "baseprofiler/enabled.h"

#if GECKOPROF_IS_ENABLED_
#include <sys/syscall.h>
#include <unistd.h>
#endif

// Before a function of base's that the full library has, too: where both are visible, by `using namespace
// geckoprof::baseprofiler`, a call without a namespace means the full library's instead of being ambiguous.
#define GECKOPROF_YIELDS_TO_FULL_ \
  template <int = 0>              \
  inline

namespace geckoprof::baseprofiler {

// BaseProfilerId: a number that stands for one kind of thing; 0 is unspecified. Nothing converts by itself.
template <typename Tag>
class BaseProfilerId {
 public:
  constexpr BaseProfilerId() = default;
  static constexpr BaseProfilerId FromNumber(int32_t number) {
    BaseProfilerId id;
    id.number_ = number;
    return id;
  }
  constexpr int32_t ToNumber() const { return number_; }
  constexpr bool IsSpecified() const { return number_ != 0; }
  friend constexpr bool operator==(BaseProfilerId a, BaseProfilerId b) { return a.number_ == b.number_; }
  friend constexpr auto operator<=>(BaseProfilerId a, BaseProfilerId b) { return a.number_ <=> b.number_; }

 private:
  int32_t number_ = 0;
};

using BaseProfilerProcessId = BaseProfilerId<struct BaseProfilerProcessIdTag>;
using BaseProfilerThreadId = BaseProfilerId<struct BaseProfilerThreadIdTag>;

#if GECKOPROF_IS_ENABLED_

// Each costs a system call of about 0.1 us.
GECKOPROF_YIELDS_TO_FULL_ BaseProfilerProcessId profiler_current_process_id() {
  return BaseProfilerProcessId::FromNumber(getpid());
}
GECKOPROF_YIELDS_TO_FULL_ BaseProfilerThreadId profiler_current_thread_id() {
  return BaseProfilerThreadId::FromNumber(static_cast<int32_t>(syscall(SYS_gettid)));
}

// The thread that the process began with; in the child of a fork the one that forked.
GECKOPROF_YIELDS_TO_FULL_ BaseProfilerThreadId profiler_main_thread_id() {
  return BaseProfilerThreadId::FromNumber(getpid());
}

#else

GECKOPROF_YIELDS_TO_FULL_ BaseProfilerProcessId profiler_current_process_id() { return {}; }
GECKOPROF_YIELDS_TO_FULL_ BaseProfilerThreadId profiler_current_thread_id() { return {}; }
GECKOPROF_YIELDS_TO_FULL_ BaseProfilerThreadId profiler_main_thread_id() { return {}; }

#endif  // GECKOPROF_IS_ENABLED_

// False if there are no ids (enabled.h).
GECKOPROF_YIELDS_TO_FULL_ bool profiler_is_main_thread() {
  const BaseProfilerThreadId current = profiler_current_thread_id<0>();
  return current.IsSpecified() && current == profiler_main_thread_id<0>();
}

}  // namespace geckoprof::baseprofiler

#endif  // GECKOPROF_BASEPROFILER_BASE_PROFILER_IDS_H_
