#include "signal/handler_return.h"

#include <atomic>

#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/signals_blocked.h"

extern "C" void geckoprof_handler_return() __attribute__((visibility("hidden")));  // in handler_return.S

namespace geckoprof {
namespace {

// The kernel's own layout of a disposition. libc's sigaction always sets its own restorer.
struct KernelAction {
  void* handler;
  unsigned long flags;
  void (*restorer)();
  KernelSignalSet mask;
};

constinit std::atomic<void (*)()> g_libc_restorer{nullptr};

}  // namespace

void UseOwnHandlerReturn(int signal) {
  KernelAction action;
  if (RawSyscall(SYS_rt_sigaction, signal, nullptr, &action, sizeof(action.mask)) != 0) return;
  g_libc_restorer.store(action.restorer, std::memory_order_relaxed);
  action.restorer = &geckoprof_handler_return;
  RawSyscall(SYS_rt_sigaction, signal, &action, nullptr, sizeof(action.mask));
}

void ShowHandlerReturnOfLibc(struct sigaction& action) {
  if (action.sa_restorer != &geckoprof_handler_return) return;
  action.sa_restorer = g_libc_restorer.load(std::memory_order_relaxed);
}

}  // namespace geckoprof
