// Limits of the address space and of locked memory. The kernel counts base's reserved addresses as the program's.
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>

#include "core/profiler_core.h"
#include "geckoprof/base/raw_syscall.h"
#include "libc/real_functions.h"
#include "recording/recording_state.h"
#include "runtime/exported_function.h"

// With a `long` of 64 bits, the kernel's and libc's structures are the same. The same functions serve both names.
static_assert(sizeof(rlimit) == sizeof(rlimit64));

namespace geckoprof {
namespace {

using SetFunction = int(int, const rlimit*);
using ProcessFunction = int(pid_t, enum __rlimit_resource, const rlimit*, rlimit*);
constinit RealFunction<SetFunction> g_setrlimit("setrlimit");
constinit RealFunction<ProcessFunction> g_prlimit("prlimit");

using LockFunction = int(int);
constinit RealFunction<LockFunction> g_mlockall("mlockall");

// Gives back reserved addresses that are not used, because the kernel counts them against a limit.
void FitAddressSpace(rlim_t limit_bytes) {
  ProfilerCore& core = ProfilerCore::Get();
  RecordingState& state = RecordingState::Get();
  if (!state.IsActive() || !state.IsThisProcess()) return;
  const int error = errno;
  core.FitAddressSpace(limit_bytes);
  errno = error;
}

void Prepare(int resource, const rlimit* limit) {
  if (resource == RLIMIT_AS && limit != nullptr && limit->rlim_cur != RLIM_INFINITY) FitAddressSpace(limit->rlim_cur);
}

int SetLimit(int resource, const rlimit* limit) {
  Prepare(resource, limit);
  return g_setrlimit.get()(resource, limit);
}

int SetProcessLimit(pid_t pid, enum __rlimit_resource resource, const rlimit* limit, rlimit* previous) {
  if (pid == 0 || pid == RecordingState::Get().pid().ToNumber()) Prepare(resource, limit);
  return g_prlimit.get()(pid, resource, limit, previous);
}

}  // namespace
}  // namespace geckoprof

extern "C" {

// Locked memory gets pages at once. Base then gives up most of its reserve, even without a limit.
GECKOPROF_EXPORT int mlockall(int flags) noexcept {
  using namespace geckoprof;
  constexpr rlim_t kMaxBytes = rlim_t{256} << 20;
  rlimit limit = {};
  RawSyscall(SYS_prlimit64, 0, RLIMIT_MEMLOCK, nullptr, &limit);
  FitAddressSpace(std::min(limit.rlim_cur, kMaxBytes));
  return g_mlockall.get()(flags);
}

GECKOPROF_EXPORT int setrlimit(int resource, const rlimit* limit) noexcept {
  return geckoprof::SetLimit(resource, limit);
}
GECKOPROF_EXPORT int setrlimit64(int resource, const rlimit64* limit) noexcept {
  return geckoprof::SetLimit(resource, reinterpret_cast<const rlimit*>(limit));
}
GECKOPROF_EXPORT int prlimit(pid_t pid, enum __rlimit_resource resource, const rlimit* limit,
                             rlimit* previous) noexcept {
  return geckoprof::SetProcessLimit(pid, resource, limit, previous);
}
GECKOPROF_EXPORT int prlimit64(pid_t pid, enum __rlimit_resource resource, const rlimit64* limit,
                               rlimit64* previous) noexcept {
  return geckoprof::SetProcessLimit(pid, resource, reinterpret_cast<const rlimit*>(limit),
                                    reinterpret_cast<rlimit*>(previous));
}

}  // extern "C"
