// handover_dependency_program FILE: a program that was linked with the full library alone and uses nothing of base.
#include <dlfcn.h>
#include <stdio.h>

#include <chrono>
#include <cstring>
#include <string>

#include "geckoprofiler/profiler_control.h"
#include "geckoprofiler/profiler_output.h"

namespace {

// The file of the library that a function of this name is found in.
std::string LibraryOf(const char* function) {
  Dl_info info = {};
  void* const found = dlsym(RTLD_DEFAULT, function);
  if (found == nullptr || dladdr(found, &info) == 0) return "none";
  const char* const slash = strrchr(info.dli_fname, '/');
  return slash != nullptr ? slash + 1 : info.dli_fname;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (const char* const function : {"sigaction", "setuid", "pthread_create"}) {
    printf("%s: %s\n", function, LibraryOf(function).c_str());
  }
  printf("start: %s\n", profiler_start(1 << 20, 1, 0).outcome.Text().c_str());
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  for (volatile long turns = 0; std::chrono::steady_clock::now() < end;) turns = turns + 1;
  printf("save: %s\n", profiler_save_profile(argv[1]).Text().c_str());
  return 0;
}
