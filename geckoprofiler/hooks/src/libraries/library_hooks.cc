// Hooks of the functions that load and unload libraries.
//
//   caller --> dlopen --must not be measured--> jump to the real function: the caller stays the same
//                    \--else--> clock, real function, LoadRecorder
//
// The real function looks at its caller. It searches the caller's DT_RPATH and DT_RUNPATH, and puts the caller's folder
// in the place of $ORIGIN. So the hook measures a call only if that makes no difference. dlclose has no such question.
#include <dlfcn.h>

#include "geckoprof/config/start_features.h"
#include "libraries/load_recorder.h"
#include "runtime/hook_features.h"
#include "runtime/inside_hook.h"
#include "runtime/next_function.h"

extern "C" void __gmon_start__();

namespace geckoprof {
namespace {

constinit NextFunction g_next_dlopen{"dlopen", &dlopen};
constinit NextFunction g_next_dlmopen{"dlmopen", &dlmopen};
constinit NextFunction g_next_dlclose{"dlclose", &dlclose};

// A call without a name is for the program itself, and one with RTLD_NOLOAD loads nothing.
bool IsMeasured(const char* name, int mode, const void* caller) {
  return HookFeatures(kFeatureLibraries) != 0 && name != nullptr && *name != '\0' && (mode & RTLD_NOLOAD) == 0 &&
         !IsInsideHook() && g_load_recorder.MayCallFor(name, caller);
}

template <typename Next, typename... Arguments>
[[gnu::noinline]] void* Load(const char* function, Next* next, const char* name, int mode, Arguments... first) {
  const void* const frame = __builtin_frame_address(0);
  LoadRecorder::Call* const call = g_load_recorder.Begin(frame);
  void* const handle = next(first..., name, mode);
  if (call != nullptr) g_load_recorder.End(call, frame, function, name, handle != nullptr, 3);
  return handle;
}

}  // namespace

void FindNextLibraryFunctions() { FindAll(g_next_dlopen, g_next_dlmopen, g_next_dlclose); }

}  // namespace geckoprof

using namespace geckoprof;  // NOLINT: for the hooks below

GECKOPROF_HOOK void* dlopen(const char* name, int mode) noexcept {
  auto* const next = g_next_dlopen.get();
  if (!IsMeasured(name, mode, __builtin_return_address(0))) return next(name, mode);
  return Load("dlopen", next, name, mode);
}

GECKOPROF_HOOK void* dlmopen(Lmid_t space, const char* name, int mode) noexcept {
  auto* const next = g_next_dlmopen.get();
  if (!IsMeasured(name, mode, __builtin_return_address(0))) return next(space, name, mode);
  return Load("dlmopen", next, name, mode, space);
}

GECKOPROF_HOOK int dlclose(void* handle) noexcept {
  auto* const next = g_next_dlclose.get();
  if (HookFeatures(kFeatureLibraries) == 0 || IsInsideHook()) return next(handle);
  const geckoprof_time start = geckoprof_base_time();
  const int result = next(handle);
  g_load_recorder.Close(start, geckoprof_base_time());
  return result;
}

// _init of a library calls it, after the library was relocated and before its constructors. Programs that were built
// for gprof have one of their own, which comes first.
GECKOPROF_HOOK void __gmon_start__() {
  if (HookFeatures(kFeatureLibraries) == 0 || IsInsideHook()) return;
  g_load_recorder.BeginConstructors(__builtin_return_address(0), __builtin_frame_address(0));
}
