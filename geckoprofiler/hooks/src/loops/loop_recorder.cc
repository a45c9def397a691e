#include "loops/loop_recorder.h"

#include "baseprofiler/category.h"
#include "baseprofiler/counter_abi.h"
#include "runtime/hook_marker.h"
#include "runtime/inside_hook.h"

namespace geckoprof {
namespace {

constexpr const char* kDisplay[] = {"marker-chart", "marker-table", "timeline-overview"};

consteval geckoprof_marker_type MakeType() {
  geckoprof_marker_type type = {};
  type.size_bytes = sizeof(type);
  type.name = "LoopBlocked";
  type.description = "An event loop was busy for so long that it could handle no event. The samples show the reason.";
  type.display = kDisplay;
  type.display_count = 3;
  return type;
}
constinit geckoprof_marker_type g_type = MakeType();
constinit geckoprof_marker_site g_site =
    MakeHookMarkerSite("LoopBlocked", &g_type, baseprofiler::ToCategoryPair(MarkerCategory::OTHER));

geckoprof_counter* DelayCounter() {
  static geckoprof_counter* counter = nullptr;
  static constexpr geckoprof_counter_description kDescription = {sizeof(kDescription),
                                                                 GECKOPROF_COUNTER_ACCUMULATED,
                                                                 "Event loop delay",
                                                                 "Responsiveness",
                                                                 "How long the last iteration of an event loop took",
                                                                 "ns",
                                                                 "red"};
  return geckoprof_base_counter_create_once(&counter, &kDescription);
}

}  // namespace

constinit LoopRecorder g_loop_recorder;

void LoopRecorder::RecordLong(geckoprof_time begin, geckoprof_time end) {
  if (IsInsideHook()) return;
  const InsideHook inside;
  const int64_t busy_ns = geckoprof_base_ns_between(begin, end);
  if (busy_ns < 0) return;
  if (busy_ns < kCountedNs) {
    if (short_ticks_.load(std::memory_order_relaxed) == 0) geckoprof_base_counter_set(DelayCounter(), 0);
    const uint64_t ticks = end - begin;
    short_ticks_.store(ticks < kMostShortTicks ? ticks : kMostShortTicks, std::memory_order_relaxed);
    return;
  }
  geckoprof_base_counter_set(DelayCounter(), busy_ns);
  short_ticks_.store(0, std::memory_order_relaxed);  // the next short iteration sets the counter
  if (busy_ns < threshold_ns_.load(std::memory_order_relaxed)) return;
  const geckoprof_marker_options options = HookIntervalOptions(begin, end);
  (void)geckoprof_base_add_marker(&g_site, &options, nullptr, 0);
}

}  // namespace geckoprof
