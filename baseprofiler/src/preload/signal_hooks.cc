// The program's own use of the sampler's signal.
#include <signal.h>
#include <string.h>

#include "core/process_control.h"
#include "core/profiler_core.h"
#include "preload/real_functions.h"
#include "sampler/program_signal.h"

#define GECKOPROF_EXPORT extern "C" __attribute__((visibility("default")))

namespace geckoprof {
namespace {

using SignalFunction = sighandler_t(int, sighandler_t);
constinit RealFunction<SignalFunction> g_signal("signal");

// In the child of a vfork the disposition is its own, while our memory is the parent's: there the kernel is asked.
bool IsOurs(int signal) {
  return signal == ProfilerCore::kSignal && ProgramSignal::IsInstalled() && ProfilerCore::Get().IsThisProcess();
}

}  // namespace
}  // namespace geckoprof

GECKOPROF_EXPORT int sigaction(int signal, const struct sigaction* next, struct sigaction* previous) {
  using namespace geckoprof;
  if (!IsOurs(signal)) return RealSigaction(signal, next, previous);
  ProgramSignal::Exchange(next, previous);
  return 0;
}

GECKOPROF_EXPORT sighandler_t signal(int number, sighandler_t handler) {
  using namespace geckoprof;
  if (!IsOurs(number) || handler == SIG_ERR) return g_signal.get()(number, handler);
  // BSD semantics, as glibc's signal: the handler stays, calls are restarted (signal(2)).
  struct sigaction next;
  memset(&next, 0, sizeof(next));
  next.sa_handler = handler;
  next.sa_flags = SA_RESTART;
  sigaddset(&next.sa_mask, number);
  struct sigaction previous;
  ProgramSignal::Exchange(&next, &previous);
  return previous.sa_handler;
}
