// The begin and the end of libgeckoprofiler_hooks.so, and its functions for the full library.
#include <stdlib.h>

#include "allocations/allocation_sampler.h"
#include "allocations/next_allocator.h"
#include "api/process_end.h"
#include "geckoprof/config/start_features.h"
#include "geckoprof/config/start_number.h"
#include "io/io_hook.h"
#include "io/io_recorder.h"
#include "libraries/load_recorder.h"
#include "locks/wait_hooks.h"
#include "locks/wait_recorder.h"
#include "loops/loop_recorder.h"
#include "runtime/hook_features.h"
#include "runtime/hook_marker.h"
#include "runtime/inside_hook.h"
#include "runtime/own_process.h"
#include "system_calls/syscall_hook.h"

namespace geckoprof {
namespace {

void Tell(geckoprof_marker_site& site) {
  geckoprof_base_begin_in_place(&site, GECKOPROF_MARKER_INSTANT | GECKOPROF_MARKER_NOW, 0, 0, 0);
}

void TellOfOtherAllocator() {
  if (HookFeatures(kFeatureNativeAllocations | kFeatureMemory) == 0) return;
  static constinit geckoprof_marker_site site = MakeHookMarkerSite("Allocations are not recorded", nullptr, 0);
  if (HasOtherAllocator()) Tell(site);
}

// A variable of the environment, and the marker that says that its value is of no use.
struct Setting {
  const char* variable;
  geckoprof_marker_site invalid;
};
#define GECKOPROF_SETTING(variable) \
  { variable, MakeHookMarkerSite(variable " has an invalid value: the default is used", nullptr, 0) }
constinit Setting g_io_threshold = GECKOPROF_SETTING("GECKOPROF_IO_THRESHOLD");
constinit Setting g_lock_threshold = GECKOPROF_SETTING("GECKOPROF_LOCK_THRESHOLD");
constinit Setting g_loop_threshold = GECKOPROF_SETTING("GECKOPROF_LOOP_THRESHOLD");
constinit Setting g_allocation_interval = GECKOPROF_SETTING("GECKOPROF_ALLOCATION_INTERVAL");

// Returns the ns of a number of milliseconds, or `otherwise` if the variable has none.
int64_t ReadMilliseconds(Setting& setting, int64_t otherwise) {
  const char* const text = getenv(setting.variable);
  if (text == nullptr) return otherwise;
  const std::optional<uint64_t> ns = ParseFixedPoint(text, 6);
  if (ns.has_value() && *ns <= uint64_t{INT64_MAX}) return static_cast<int64_t>(*ns);
  Tell(setting.invalid);
  return otherwise;
}

void PrepareIo() {
  FindNextDescriptorFunctions();
  FindNextFileFunctions();
  FindNextSocketFunctions();
  FindNextStreamFunctions();
  g_io_recorder.Prepare(ReadMilliseconds(g_io_threshold, IoRecorder::kDefaultThresholdNs));
}

void PrepareLocks() {
  FindNextLockFunctions();
  FindNextWaitFunctions();
  FindNextSystemCall();
  g_wait_recorder.Prepare(ReadMilliseconds(g_lock_threshold, WaitRecorder::kDefaultThresholdNs));
}

[[gnu::constructor]] void PrepareHooks() {
  OwnProcess::Prepare();
  FindNextEndFunctions();
  PrepareLocks();
  FindNextLoopFunctions();
  g_loop_recorder.Prepare(ReadMilliseconds(g_loop_threshold, LoopRecorder::kDefaultThresholdNs));
  (void)FindNextAllocator();
  if (!g_allocation_sampler.Prepare()) Tell(g_allocation_interval.invalid);
  TellOfOtherAllocator();
  PrepareIo();
  FindNextLibraryFunctions();
  g_load_recorder.FinishStart();
}

[[gnu::destructor]] void EndOfLibrary() { WriteHookSums(); }

}  // namespace
}  // namespace geckoprof

// Returns the features that hooks have. Signal safe.
extern "C" [[gnu::visibility("default")]] uint32_t geckoprof_hooks_features() { return geckoprof::kHookFeatures; }

// A recording is about to end, or to be written. Signal safe.
extern "C" [[gnu::visibility("default")]] void geckoprof_hooks_write_sums() { geckoprof::WriteHookSums(); }

// The calling thread is none of the program's. Signal safe.
extern "C" [[gnu::visibility("default")]] void geckoprof_hooks_leave_out_thread() {
  geckoprof::InsideHook::LeaveOutThread();
}
