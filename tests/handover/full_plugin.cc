// A plugin that brings the full library with it.
#include <atomic>

#include "geckoprofiler/gecko_profiler.h"

extern "C" __attribute__((visibility("default"))) int PluginTakeOver() {
  return static_cast<int>(profiler_init().status);
}
extern "C" __attribute__((visibility("default"))) int PluginSave(const char* file) {
  return profiler_save_profile_to_file(file);
}
extern "C" __attribute__((visibility("default"))) int PluginCallAfterSampling() {
  static std::atomic<int> called{0};
  if (!profiler_callback_after_sampling([](SamplingState) { called = 1; })) return -1;
  while (called == 0) {
  }
  return called;
}
