#include "geckoprofiler/profiler_thread_sleep.h"

#include <sched.h>

#include <cinttypes>
#include <cstdio>

#include "baseprofiler/marker_abi.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/labels/builtin_categories.h"
#include "geckoprofiler/profiler_thread_state.h"
#include "geckoprofiler/thread_base_link.h"
#include "thread_registration_current.h"
#include "thread_registration_record.h"

namespace {

void MarkAwake(uint32_t phase, const char* text) {
  geckoprof::ThreadBaseLink::Current().Mark("Awake", geckoprof::kOtherCategory << 8, phase, text);
}

}  // namespace

void profiler_thread_sleep() {
  if (geckoprof::current_thread_record == nullptr) return;
  profiler_mark_thread_asleep();
  geckoprof::current_thread_record->SetSleeping();
}

void profiler_thread_wake() {
  if (geckoprof::current_thread_record == nullptr) return;
  geckoprof::current_thread_record->SetAwake();
  profiler_mark_thread_awake();
}

bool profiler_thread_is_sleeping() {
  return geckoprof::current_thread_record != nullptr && geckoprof::current_thread_record->IsSleeping();
}

void profiler_mark_thread_asleep() {
  geckoprof::ThreadRegistrationRecord* const record = geckoprof::current_thread_record;
  if (record == nullptr) return;
  if (!profiler_thread_is_being_profiled_for_markers()) {
    record->cpu_at_sleep_ns = -1;  // whatever is used from here on is not since the last sleep that was marked
    return;
  }
  const int64_t cpu_ns = record->CpuTimeNs();
  char text[48] = "";
  if (cpu_ns >= 0 && record->cpu_at_sleep_ns >= 0) {
    const int64_t used_us = (cpu_ns - record->cpu_at_sleep_ns) / geckoprof::kNsPerUs;
    std::snprintf(text, sizeof text, "CPU time %" PRId64 ".%03" PRId64 " ms", used_us / 1000, used_us % 1000);
  }
  record->cpu_at_sleep_ns = cpu_ns < 0 ? -1 : cpu_ns;
  MarkAwake(GECKOPROF_MARKER_INTERVAL_END, text);
}

void profiler_mark_thread_awake() {
  if (geckoprof::current_thread_record == nullptr || !profiler_thread_is_being_profiled_for_markers()) return;
  char text[24];
  std::snprintf(text, sizeof text, "CPU %d", sched_getcpu());
  MarkAwake(GECKOPROF_MARKER_INTERVAL_START, text);
}
