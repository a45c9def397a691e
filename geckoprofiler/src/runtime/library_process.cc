#include "runtime/library_process.h"

#include <unistd.h>

#include <atomic>

namespace geckoprof {
namespace {

// Written before other threads could ask.
std::atomic<pid_t> g_process{0};

}  // namespace

void LibraryProcess::Adopt() { g_process.store(getpid(), std::memory_order_relaxed); }

bool LibraryProcess::IsThis() {
  const pid_t process = g_process.load(std::memory_order_relaxed);
  return process == 0 || process == getpid();
}

}  // namespace geckoprof
