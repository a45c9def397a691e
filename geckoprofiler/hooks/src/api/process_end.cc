#include "api/process_end.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "allocations/allocation_sampler.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/config/start_features.h"
#include "io/io_recorder.h"
#include "locks/wait_recorder.h"
#include "runtime/hook_features.h"
#include "runtime/next_function.h"
#include "runtime/own_process.h"

namespace geckoprof {
namespace {

constinit NextFunction g_next_exit("_exit", &_exit);
constinit NextFunction g_next_execve("execve", &execve);
constinit NextFunction g_next_execv("execv", &execv);
constinit NextFunction g_next_execvp("execvp", &execvp);
constinit NextFunction g_next_execvpe("execvpe", &execvpe);
constinit NextFunction g_next_fexecve("fexecve", &fexecve);
constinit NextFunction g_next_execveat("execveat", &execveat);

[[noreturn, gnu::always_inline]] inline void EndAtOnce(int status) {
  WriteHookSums();
  if (auto* const next = g_next_exit.get()) next(status);
  for (;;) RawSyscall(SYS_exit_group, status);
}

// The process goes on if the program cannot be executed.
template <typename Signature, typename... Arguments>
int Execute(NextFunction<Signature>& function, Arguments... arguments) {
  WriteHookSums();
  if (auto* const next = function.get()) return next(arguments...);
  errno = ENOSYS;
  return -1;
}

// Executes a program for a function such as execl, whose arguments end with a null pointer. execle alone has an
// environment behind that.
template <typename Signature>
int ExecuteList(NextFunction<Signature>& function, const char* program, const char* first, va_list& rest,
                bool has_environment) {
  size_t count = 0;
  va_list counted;
  va_copy(counted, rest);
  for (const char* each = first; each != nullptr; each = va_arg(counted, const char*)) ++count;
  va_end(counted);
  auto** const arguments = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*)));
  arguments[0] = const_cast<char*>(first);
  for (size_t i = 1; i <= count; ++i) arguments[i] = va_arg(rest, char*);
  char* const* const environment = has_environment ? va_arg(rest, char* const*) : environ;
  return Execute(function, program, arguments, environment);
}

}  // namespace

void FindNextEndFunctions() {
  FindAll(g_next_exit, g_next_execve, g_next_execv, g_next_execvp, g_next_execvpe, g_next_fexecve, g_next_execveat);
}

void WriteHookSums() {
  if (HookFeatures(kHookFeatures) == 0 || !OwnProcess::IsCurrent()) return;
  AllocationSampler::FlushThread();
  g_io_recorder.WriteAll();
  g_wait_recorder.WriteSums();
}

}  // namespace geckoprof

using namespace geckoprof;

GECKOPROF_HOOK void _exit(int status) { EndAtOnce(status); }
GECKOPROF_HOOK void _Exit(int status) noexcept { EndAtOnce(status); }

GECKOPROF_HOOK int execve(const char* path, char* const arguments[], char* const environment[]) noexcept {
  return Execute(g_next_execve, path, arguments, environment);
}
GECKOPROF_HOOK int execv(const char* path, char* const arguments[]) noexcept {
  return Execute(g_next_execv, path, arguments);
}
GECKOPROF_HOOK int execvp(const char* file, char* const arguments[]) noexcept {
  return Execute(g_next_execvp, file, arguments);
}
GECKOPROF_HOOK int execvpe(const char* file, char* const arguments[], char* const environment[]) noexcept {
  return Execute(g_next_execvpe, file, arguments, environment);
}
GECKOPROF_HOOK int fexecve(int fd, char* const arguments[], char* const environment[]) noexcept {
  return Execute(g_next_fexecve, fd, arguments, environment);
}
GECKOPROF_HOOK int execveat(int folder, const char* path, char* const arguments[], char* const environment[],
                            int flags) noexcept {
  return Execute(g_next_execveat, folder, path, arguments, environment, flags);
}

#define GECKOPROF_EXECUTE_LIST(NAME, FUNCTION, HAS_ENVIRONMENT)                      \
  GECKOPROF_HOOK int NAME(const char* program, const char* first, ...) noexcept {    \
    va_list rest;                                                                    \
    va_start(rest, first);                                                           \
    const int result = ExecuteList(FUNCTION, program, first, rest, HAS_ENVIRONMENT); \
    va_end(rest);                                                                    \
    return result;                                                                   \
  }
GECKOPROF_EXECUTE_LIST(execl, g_next_execve, false)
GECKOPROF_EXECUTE_LIST(execlp, g_next_execvpe, false)
GECKOPROF_EXECUTE_LIST(execle, g_next_execve, true)
