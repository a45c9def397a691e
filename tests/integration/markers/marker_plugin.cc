// A plugin that marks: its literals, sites and types are gone when it is unloaded.
#include "baseprofiler/base_profiler.h"
#include "baseprofiler/ipc_marker.h"
#include "baseprofiler/network_request.h"

namespace {
struct OfPlugin : geckoprof::BaseMarkerType<OfPlugin> {
  using MS = geckoprof::MarkerSchema;
  static constexpr const char* Name = "OfPlugin";
  static constexpr MS::PayloadField PayloadFields[] = {{"p", MS::InputType::CString, "P"}};
};
}  // namespace

extern "C" __attribute__((visibility("default"))) void MarkInPlugin() {
  PROFILER_MARKER_UNTYPED("literal of the plugin", OTHER);
  PROFILER_MARKER_TEXT("text of the plugin", OTHER, {}, "t");
  PROFILER_MARKER("type of the plugin", OTHER, {}, OfPlugin, "value of the plugin");
  geckoprof::NetworkRequest("https://example.org/plugin").Finish();
  geckoprof::profiler_add_ipc_marker({.other_pid = 7}, geckoprof::IpcDirection::kSending);
}

extern "C" {
__attribute__((visibility("default"))) void (*call_at_end)(const char*) = nullptr;
}

__attribute__((destructor)) static void AtEnd() {
  if (call_at_end != nullptr) call_at_end("at the plugin's end");
  asm volatile("" ::: "memory");
}

extern "C" __attribute__((visibility("default"), noinline)) void CallFromPlugin(void (*function)(const char*)) {
  function("from the plugin");
  asm volatile("" ::: "memory");
}
