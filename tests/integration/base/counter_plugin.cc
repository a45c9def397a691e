// A library that counts, and is unloaded before the program's end.
#include "baseprofiler/counters.h"

namespace {

PROFILER_DEFINE_COUNT_TOTAL(plugin_bytes, "Memory", "Bytes of a library that is gone", {.unit = "bytes"});

}  // namespace

extern "C" __attribute__((visibility("default"))) void CountInPlugin(int times) {
  for (int i = 0; i < times; ++i) AUTO_PROFILER_COUNT_TOTAL(plugin_bytes, 3);
}
