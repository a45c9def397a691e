#include "tools/cli/memory_reserve.h"

#include <cstdlib>
#include <new>

namespace geckoprof {
namespace {

void* g_reserve = nullptr;

// From now on operator new throws by itself.
void GiveBack() {
  std::set_new_handler(nullptr);
  free(g_reserve);
  g_reserve = nullptr;
  throw std::bad_alloc();
}

}  // namespace

MemoryReserve::MemoryReserve() {
  g_reserve = malloc(kBytes);
  if (g_reserve != nullptr) std::set_new_handler(&GiveBack);
}

MemoryReserve::~MemoryReserve() {
  if (g_reserve != nullptr) std::set_new_handler(nullptr);
  free(g_reserve);
  g_reserve = nullptr;
}

bool MemoryReserve::IsHeld() { return g_reserve != nullptr; }

}  // namespace geckoprof
