// Two threads at the same places, for the first time at once: a program under the thread sanitizer sees no race in what
// the headers put into it.
#include <atomic>
#include <thread>

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/firefox_names.h"
#include "baseprofiler/markers.h"

namespace {

// As the original's older types: without fields that are declared.
struct Older {
  static constexpr mozilla::Span<const char> MarkerTypeName() { return mozilla::MakeStringSpan("Older"); }
  static void StreamJSONMarkerData(mozilla::baseprofiler::SpliceableJSONWriter& writer, int number) {
    writer.IntProperty("number", number);
  }
  static mozilla::MarkerSchema MarkerTypeDisplay() {
    using MS = mozilla::MarkerSchema;
    MS schema(MS::Location::MarkerTable);
    schema.AddKeyFormat("number", MS::Format::Integer);
    return schema;
  }
};

std::atomic<int> g_ready{0};

void Mark() {
  ++g_ready;
  while (g_ready.load() < 2) {
  }
  for (int i = 0; i < 1000; ++i) {
    AUTO_PROFILER_LABEL("racing", OTHER);
    PROFILER_MARKER_UNTYPED("untyped", OTHER);
    PROFILER_MARKER_TEXT("text", OTHER, {}, "a text");
    PROFILER_MARKER("older", OTHER, {}, Older, i);
    AUTO_PROFILER_MARKER_UNTYPED("scope", OTHER);
  }
}

}  // namespace

int main() {
  std::thread first(Mark), second(Mark);
  first.join();
  second.join();
  return geckoprof_base_wants_markers() ? 0 : 1;
}
