// ptrace. A thread that asks its parent to trace it (PTRACE_TRACEME, ptrace(2)) stops at each signal from then on. A
// parent that does not know this leaves it stopped. Some programs ask only to find out if a tracer exists. The thread
// that asked therefore receives no signal of the sampler any more.
#include <errno.h>
#include <linux/ptrace.h>
#include <stdarg.h>
#include <sys/types.h>

#include "core/profiler_core.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/threads/thread_slot.h"
#include "hooks/hook_calls.h"
#include "libc/real_functions.h"
#include "recording/recording_state.h"
#include "runtime/exported_function.h"

namespace geckoprof {
namespace {

using TraceFunction = long(int, ...);  // libc's header has an enumeration, which va_start does not accept
constinit RealFunction<TraceFunction> g_ptrace("ptrace");

// Runs `call`, which asks to be traced and returns 0 on success. The sampler steps aside meanwhile, so that all its
// requests are answered before.
template <typename Call>
long RequestTracing(const Call& call) {
  ProfilerCore& core = ProfilerCore::Get();
  RecordingState& state = RecordingState::Get();
  const int error_before = errno;
  // The child of a vfork has its parent's slot.
  ThreadSlot* const slot = state.IsThisProcess() ? state.slots().Current() : nullptr;
  if (slot == nullptr) {
    errno = error_before;
    return call();
  }
  const bool is_recorded = state.IsActive();
  const bool was_running = is_recorded && core.SuspendSampler();
  errno = error_before;
  const long result = call();
  const int error = errno;
  if (result == 0) slot->is_traced.store(true, std::memory_order_release);
  if (is_recorded) core.ResumeSampler(was_running);
  errno = error;
  return result;
}

}  // namespace

long TraceBySyscall(long request, long pid, long address, long data) {
  const auto call = [=] { return RawSyscall(SYS_ptrace, request, pid, address, data); };
  return request == PTRACE_TRACEME ? RequestTracing(call) : call();
}

}  // namespace geckoprof

GECKOPROF_EXPORT long ptrace(int request, ...) {
  va_list list;
  va_start(list, request);
  const auto pid = va_arg(list, pid_t);
  void* const address = va_arg(list, void*);
  void* const data = va_arg(list, void*);
  va_end(list);
  geckoprof::TraceFunction* const function = geckoprof::g_ptrace.get();
  const auto call = [=] { return function(request, pid, address, data); };
  return request == PTRACE_TRACEME ? geckoprof::RequestTracing(call) : call();
}
