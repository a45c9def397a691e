#include "runtime/hooks_link.h"

#include <dlfcn.h>

#include <atomic>

namespace geckoprof {
namespace {

constinit std::atomic<bool> g_is_found{false};
constinit std::atomic<uint32_t (*)()> g_features{nullptr};
constinit std::atomic<void (*)()> g_write_sums{nullptr}, g_leave_out_thread{nullptr};

template <typename Function>
void FindFunction(const char* name, std::atomic<Function*>& function) {
  function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

void HooksLink::Find() {
  FindFunction("geckoprof_hooks_features", g_features);
  FindFunction("geckoprof_hooks_write_sums", g_write_sums);
  FindFunction("geckoprof_hooks_leave_out_thread", g_leave_out_thread);
  g_is_found = true;
}

uint32_t HooksLink::Features() {
  if (!g_is_found) Find();
  auto* const features = g_features.load();
  return features != nullptr ? features() : 0;
}

void HooksLink::WriteSums() {
  if (auto* const write_sums = g_write_sums.load()) write_sums();
}

void HooksLink::LeaveOutThread() {
  if (auto* const leave_out = g_leave_out_thread.load()) leave_out();
}

}  // namespace geckoprof
