// The ids of the current process, thread and main thread, as the kernel, the profile and the full library have them
// (gettid(2), getpid(2)). The functions do not call the library.
//
// No id is cached, so the ids are right in the child of a fork. Threads: any. Context: any, signal context included.
#ifndef GECKOPROF_BASEPROFILER_BASE_PROFILER_IDS_H_
#define GECKOPROF_BASEPROFILER_BASE_PROFILER_IDS_H_

#include <cstdint>

#include "baseprofiler/enabled.h"

#if GECKOPROF_IS_ENABLED_
#include <sys/syscall.h>
#include <unistd.h>
#endif

// Precedes a function of base that the full library has, too. `using namespace geckoprof::baseprofiler` makes both
// visible. A call without a namespace then means the full library's function, and is not ambiguous.
#define GECKOPROF_YIELDS_TO_FULL_ \
  template <int = 0>              \
  inline

namespace geckoprof::baseprofiler {

// BaseProfilerId is the number of a process or a thread. 0 is unspecified. There are no implicit conversions.
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
  friend constexpr bool operator!=(BaseProfilerId a, BaseProfilerId b) { return a.number_ != b.number_; }
  friend constexpr bool operator<(BaseProfilerId a, BaseProfilerId b) { return a.number_ < b.number_; }
  friend constexpr bool operator>(BaseProfilerId a, BaseProfilerId b) { return a.number_ > b.number_; }
  friend constexpr bool operator<=(BaseProfilerId a, BaseProfilerId b) { return a.number_ <= b.number_; }
  friend constexpr bool operator>=(BaseProfilerId a, BaseProfilerId b) { return a.number_ >= b.number_; }

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

// Returns the id of the thread that the process began with. In the child of a fork, it is the thread that forked.
GECKOPROF_YIELDS_TO_FULL_ BaseProfilerThreadId profiler_main_thread_id() {
  return BaseProfilerThreadId::FromNumber(getpid());
}

#else

GECKOPROF_YIELDS_TO_FULL_ BaseProfilerProcessId profiler_current_process_id() { return {}; }
GECKOPROF_YIELDS_TO_FULL_ BaseProfilerThreadId profiler_current_thread_id() { return {}; }
GECKOPROF_YIELDS_TO_FULL_ BaseProfilerThreadId profiler_main_thread_id() { return {}; }

#endif  // GECKOPROF_IS_ENABLED_

// Returns false where nothing is instrumented (enabled.h), since there are no ids.
GECKOPROF_YIELDS_TO_FULL_ bool profiler_is_main_thread() {
  const BaseProfilerThreadId current = profiler_current_thread_id<0>();
  return current.IsSpecified() && current == profiler_main_thread_id<0>();
}

}  // namespace geckoprof::baseprofiler

#endif  // GECKOPROF_BASEPROFILER_BASE_PROFILER_IDS_H_
