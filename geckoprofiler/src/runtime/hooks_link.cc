#include "runtime/hooks_link.h"

#include <dlfcn.h>

#include <atomic>

namespace geckoprof {
namespace {

using Function = void();
constinit std::atomic<Function*> g_leave_out{nullptr};

template <typename Signature>
Signature* FindFunction(const char* name) {
  return reinterpret_cast<Signature*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

uint32_t FeaturesOfHooks() {
  auto* const features = FindFunction<uint32_t()>("geckoprof_hooks_features");
  return features != nullptr ? features() : 0;
}

void WriteHookSums() {
  auto* const write = FindFunction<Function>("geckoprof_hooks_write_sums");
  if (write != nullptr) write();
}

void FindHooks() { g_leave_out = FindFunction<Function>("geckoprof_hooks_leave_out_thread"); }

void LeaveOutThread() {
  Function* const leave_out = g_leave_out;
  if (leave_out != nullptr) leave_out();
}

}  // namespace geckoprof
