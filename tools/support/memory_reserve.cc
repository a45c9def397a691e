#include "tools/support/memory_reserve.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <utility>

namespace geckoprof {
namespace {

std::atomic<void*> g_reserve{nullptr};  // a server has threads
MemoryReserve::LastAct g_act = {};

// From now on operator new throws by itself.
void GiveBack() {
  std::set_new_handler(nullptr);
  free(g_reserve.exchange(nullptr));
}

[[noreturn]] void EndProcess() {
  GiveBack();
  int status = 1;
  try {
    status = g_act.run(g_act.context);
  } catch (...) {
  }
  _exit(status);
}

}  // namespace

MemoryReserve::MemoryReserve(LastAct act) {
  g_act = act;
  g_reserve = malloc(kBytes);
  if (g_reserve != nullptr) std::set_new_handler(&EndProcess);
}

MemoryReserve::~MemoryReserve() {
  if (g_reserve != nullptr) GiveBack();
}

bool MemoryReserve::IsHeld() { return g_reserve != nullptr; }

MemoryReserve::Instead::Instead(LastAct act) : before_(std::exchange(g_act, act)) {}
MemoryReserve::Instead::~Instead() { g_act = before_; }

}  // namespace geckoprof
