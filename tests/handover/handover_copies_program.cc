// handover_copies_program MODE FILE: two copies of the full library by their C functions. The first controls the
// recording; it was loaded before main (preloaded), or is FILE.first, loaded locally or globally. The second,
// FILE.copy, is used and closed.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>

#include "geckoprofiler/c/geckoprof_full.h"
#include "geckoprofiler/c/geckoprof_output.h"
#include "marker_load.h"

namespace {

constexpr int kWatchdogSeconds = 40;

struct Library {
  void* handle;

  template <typename Function>
  Function* Find(Function*, const char* name) const {
    void* const found = dlsym(handle, name);
    if (found == nullptr) printf("no %s\n", name);
    return reinterpret_cast<Function*>(found);
  }
};
#define FIND(library, function) (library).Find(&function, #function)

Library Load(const char* path, int flags) {
  const Library library{dlopen(path, RTLD_NOW | flags)};
  if (library.handle != nullptr) return library;
  printf("%s\n", dlerror());
  exit(3);
}

void Say(const char* what, int status) {
  printf("%s: %d\n", what, status);
  fflush(stdout);
}

int g_told = 0, g_sampled = 0;
void Told(void*, uint32_t) { ++g_told; }
void Sampled(void*, uint32_t) { ++g_sampled; }

// Whose functions, state and callbacks are whose.
void Use(const Library& first, const Library& copy) {
  const auto pause = FIND(first, geckoprof_pause), resume = FIND(first, geckoprof_resume);
  if (FIND(copy, geckoprof_pause) == pause) printf("one copy\n");
  Say("start", FIND(first, geckoprof_start)(nullptr, nullptr));
  BASE_PROFILER_MARKER_UNTYPED("of the first", OTHER);
  Say("copy's init", FIND(copy, geckoprof_init)());
  Say("copy's start", FIND(copy, geckoprof_start)(nullptr, nullptr));
  Say("copy's ensure", FIND(copy, geckoprof_ensure_started)(nullptr, nullptr));
  Say("copy's pause", FIND(copy, geckoprof_pause)());
  Say("copy's resume", FIND(copy, geckoprof_resume)());
  Say("copy's pause_sampling", FIND(copy, geckoprof_pause_sampling)());
  Say("copy's resume_sampling", FIND(copy, geckoprof_resume_sampling)());
  Say("copy's stop", FIND(copy, geckoprof_stop)());
  Say("copy's shutdown", FIND(copy, geckoprof_shutdown)());
  Say("copy's after", FIND(copy, geckoprof_call_after_sampling)(&Sampled, nullptr));
  Say("copy's listen", FIND(copy, geckoprof_add_state_callback)(255, &Told, nullptr, nullptr));
  FIND(copy, geckoprof_register_thread)("by the copy");
  g_told = 0;  // that it is active already
  dlclose(copy.handle);
  Say("pause", pause());
  Say("resume", resume());
  for (int i = 0; i < 20; ++i) WorkFor(2 * kMs);
  Say("told", g_told);
  Say("sampled", g_sampled);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  alarm(kWatchdogSeconds);
  const std::string mode = argv[1], file = std::string("./") + argv[2];
  const int scope = mode == "copies_global" ? RTLD_GLOBAL : RTLD_LOCAL;
  const Library first =
      mode == "copies_preloaded" ? Load("libgeckoprofiler.so.0", RTLD_NOLOAD) : Load((file + ".first").c_str(), scope);
  Library copy = Load((file + ".copy").c_str(), scope);
  Use(first, copy);
  Say("save", FIND(first, geckoprof_save_profile)(argv[2], nullptr, 0));
  Say("shutdown", FIND(first, geckoprof_shutdown)());
  // Whose turn it is now.
  copy = Load((file + ".copy").c_str(), scope);
  Say("copy's init", FIND(copy, geckoprof_init)());
  Say("init", FIND(first, geckoprof_init)());
  Say("stop", FIND(first, geckoprof_stop)());
  dlclose(copy.handle);
  Say("init", FIND(first, geckoprof_init)());
  Say("stop", FIND(first, geckoprof_stop)());
}
