// The full library's one header brings all that a program marks with; beside base's namespace no macro is ambiguous,
// nor is any function, since base's yield.
#include <type_traits>

#include "baseprofiler/base_profiler.h"
#include "geckoprofiler/gecko_profiler.h"

using namespace geckoprof::baseprofiler;  // NOLINT: as a user of base's would

PROFILER_DEFINE_STATIC_COUNT(included, "Test", "Calls");

// Which of the two is meant can be seen by what it answers.
static_assert(std::is_same_v<decltype(profiler_pause_sampling()), geckoprof::ProfilerOutcome>);
static_assert(std::is_same_v<decltype(profiler_resume_sampling()), geckoprof::ProfilerOutcome>);
static_assert(std::is_same_v<decltype(profiler_init()), geckoprof::ProfilerOutcome>);
static_assert(std::is_same_v<decltype(profiler_shutdown()), geckoprof::ProfilerOutcome>);
static_assert(std::is_same_v<decltype(profiler_start()), geckoprof::ProfilerStartResult>);
static_assert(std::is_same_v<decltype(profiler_start(1 << 20, 1, 0)), geckoprof::ProfilerStartResult>);
static_assert(std::is_same_v<decltype(profiler_ensure_started()), geckoprof::ProfilerStartResult>);
static_assert(std::is_same_v<decltype(profiler_stop()), geckoprof::ProfilerOutcome>);
static_assert(std::is_same_v<decltype(profiler_pause()), geckoprof::ProfilerOutcome>);
static_assert(std::is_same_v<decltype(profiler_resume()), geckoprof::ProfilerOutcome>);
static_assert(std::is_same_v<decltype(profiler_register_thread("a")), geckoprof::ProfilerStatus>);
static_assert(std::is_same_v<decltype(profiler_unregister_thread()), geckoprof::ProfilerStatus>);
static_assert(std::is_same_v<decltype(profiler_current_process_id()), geckoprof::ProfilerProcessId>);
static_assert(std::is_same_v<decltype(profiler_main_thread_id()), geckoprof::ProfilerThreadId>);
static_assert(std::is_same_v<decltype(geckoprof::baseprofiler::profiler_main_thread_id()), BaseProfilerThreadId>);
static_assert(std::is_same_v<decltype(geckoprof::baseprofiler::profiler_pause_sampling()), bool>);

bool SameAnswers() {
  namespace base = geckoprof::baseprofiler;
  return profiler_is_active() && profiler_is_active_and_unpaused() && !profiler_is_paused() &&
         profiler_is_main_thread() && base::profiler_is_main_thread() && !profiler_is_sampling_paused() &&
         profiler_current_thread_id().ToNumber() == base::profiler_current_thread_id().ToNumber() &&
         profiler_get_available_features() == base::profiler_get_available_features() &&
         profiler_feature_active(ProfilerFeature::CPUUtilization) &&
         !profiler_active_without_feature(ProfilerFeature::CPUUtilization) && profiler_time() > 0 &&
         base::profiler_time() - profiler_time() < 60'000;
}

int main() {
  AUTO_BASE_PROFILER_INIT;
  AUTO_PROFILER_INIT;
  if (!profiler_start(PROFILER_DEFAULT_ENTRIES, 1, 0)) return 1;
  if (!SameAnswers()) return 2;
  AUTO_PROFILER_LABEL("one", OTHER_Profiling);
  AUTO_BASE_PROFILER_LABEL_DYNAMIC_CSTR("two", GRAPHICS_LayerBuilding, "text");
  AUTO_PROFILER_LABEL_IN("three", profiler_add_category("Own", "blue"));
  PROFILER_MARKER_UNTYPED("marker", GRAPHICS_LayerBuilding);
  ++profiler_count_included;
  return geckoprof_base_labels != nullptr && geckoprof_base_labels->depth == 3 ? 0 : 1;
}
