// Base's constructor. It runs before the constructor of every other object (the library is linked with -z initfirst).
#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

#include <span>

#include "core/process_end.h"
#include "core/profiler_core.h"
#include "core/remote_control.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/config/start_help.h"
#include "geckoprof/config/start_parameters.h"
#include "hooks/hook_calls.h"
#include "libc/loader_namespace.h"
#include "libc/real_functions.h"
#include "process/process_title.h"
#include "process/session_place.h"
#include "sampler/raw_thread.h"
#include "sampler/seccomp_probe.h"

namespace geckoprof {
namespace {

// Looks for a variable of base without touching a page of base. Most processes that inherit a preload have none.
bool HasBaseVariable(const char* const* environment) {
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    if (IsStartVariable(*environment)) return true;
  }
  return false;
}

// The kernel puts the texts one after the other. The loader of another program may have passed other pointers, so the
// order is checked.
size_t SizeOfArguments(std::span<char* const> arguments) {
  if (arguments.empty() || arguments.back() < arguments.front()) return 0;
  return static_cast<size_t>(arguments.back() - arguments.front()) + strlen(arguments.back()) + 1;
}

// A process whose recording another process starts must note its end, too. The control thread cannot register for it.
// The user of a set-user-id program may not steer it.
void Listen(const StartParameters& parameters) {
  RegisterExitHooks();
  if (getauxval(AT_SECURE) == 0) ListenToControl(parameters.obeys_signals);
}

// libc's environ is not set yet. glibc calls constructors with main's arguments, so the loader passes the environment
// (System V ABI, "Initialization and Termination Functions").
__attribute__((constructor)) void OnLoad(int count, char** arguments, char** environment) {
  if (!IsGlibc()) return ResolveSignalFunctions();  // another libc passes constructors no arguments
  FindNamespace();
  if (!IsInFirstNamespace()) return;
  ResolveSignalFunctions();
  ProcessStart start;
  // The kernel puts the argument count below the argument pointers. The first frame begins below the count.
  start.stack_high = reinterpret_cast<uintptr_t>(arguments) - sizeof(uintptr_t);
  start.constructor_ns = MonotonicNs();
  start.syscall_return = OwnSyscallReturn();
  ProfilerCore& core = ProfilerCore::Get();
  // A set-user-id program may be linked with base. Its user must not name files for it to write. For the same reason
  // ld.so ignores LD_PRELOAD there.
  const bool obeys_environment = getauxval(AT_SECURE) == 0 && HasBaseVariable(environment);
  core.OnConstructor(start, obeys_environment ? environment : nullptr);
  const StartParameters& parameters = core.parameters();
  if (parameters.help_requested) PrintStartHelpAndExit();
  RegisterForkHooks();
  if (parameters.leaves_out_arguments) ProcessTitle::Get().LeaveOut();
  ProcessTitle::Get().SetFirstArgument(arguments[0], SizeOfArguments({arguments, static_cast<size_t>(count)}));
  if (!parameters.start_requested) return Listen(parameters);
  if (!MayRecordUnderFilters(parameters.seccomp_filters)) {
    ShowFiltered(parameters.session_dir);
    core.StopForGood();
    return;
  }
  // Nothing would gather the recording of a session that is gone.
  if (parameters.shutdown_path[0] == '\0' && IsSessionGone(parameters.session_dir)) return Listen(parameters);
  Listen(parameters);
  ForkSafeClock().store(0, std::memory_order_relaxed);  // reading the page first and then writing it would fault twice
  const bool started = core.Start(parameters) == ProfilerCore::StartResult::kStarted;
  // The constructors of those libraries run next. A program with libc alone mostly ends before the first tick.
  if (started && HasOtherLibraries()) RawThread::YieldToNewThread();
}

}  // namespace
}  // namespace geckoprof
