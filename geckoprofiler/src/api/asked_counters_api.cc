// geckoprofiler/c/geckoprof_asked_counters.h.
#include <dlfcn.h>
#include <stdlib.h>

#include <cstddef>
#include <mutex>

#include "core/full_profiler.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/sized_struct.h"
#include "geckoprofiler/c/geckoprof_asked_counters.h"
#include "runtime/api_call.h"

using geckoprof::AnswerC;
using geckoprof::ApiCall;
using geckoprof::FullProfiler;
using geckoprof::kNsPerSecond;
using geckoprof::ProfilerOutcome;
using geckoprof::ProfilerStatus;

namespace {

using Asked = geckoprof::SizedStruct<geckoprof_asked_counter>;
constexpr uint32_t kLeastBytes = sizeof(geckoprof_asked_counter);
constexpr int64_t kMostIntervalNs = 3600 * kNsPerSecond;

bool IsValid(const geckoprof_asked_counter& asked) {
  const bool is_graph_known =
      asked.graph == 0 || asked.graph == GECKOPROF_COUNTER_RATE || asked.graph == GECKOPROF_COUNTER_ACCUMULATED;
  return asked.name != nullptr && asked.name[0] != '\0' && asked.ask != nullptr &&
         (asked.flags & ~GECKOPROF_ASKED_CHANGE) == 0 && is_graph_known && asked.reserved == 0 &&
         asked.least_interval_ns >= 0 && asked.least_interval_ns <= kMostIntervalNs;
}

// A thread may be in a function of the program for as long as it likes, and then returns into this library. So the
// library stays. When the process exits, functions must not find the objects destroyed that they use. Those were there
// before the function was registered, so this handler runs first.
void StayAndWatchExit() {
  static std::once_flag once;
  std::call_once(once, [] {
    Dl_info info = {};
    const auto* const code = reinterpret_cast<const void*>(&geckoprof_add_asked_counter);
    if (dladdr(code, &info) != 0 && info.dli_fname != nullptr) {
      (void)dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    }
    (void)atexit([] { (void)ApiCall::Run([] { FullProfiler::Get().asked_counters().StopForExit(); }); });
  });
}

}  // namespace

int geckoprof_add_asked_counter(const geckoprof_asked_counter* given, uint64_t* id) {
  geckoprof_asked_counter asked = {};
  if (id != nullptr) *id = 0;
  if (!Asked::Read(given, kLeastBytes, Asked::Surplus::kMustBeZero, asked)) return GECKOPROF_OUT_OF_RANGE;
  ProfilerOutcome outcome = {ProfilerStatus::kBadArgument, {}};
  uint64_t added = 0;
  if (IsValid(asked)) {
    outcome = ApiCall::Answer([&] {
      ProfilerOutcome owned = FullProfiler::Get().Init();
      if (!owned) return owned;
      StayAndWatchExit();
      return FullProfiler::Get().asked_counters().Register(asked, added);
    });
  }
  if (id != nullptr) *id = added;
  if (added == 0 && asked.release != nullptr) asked.release(asked.user);
  return AnswerC(outcome);
}

int geckoprof_remove_asked_counter(uint64_t id) {
  return AnswerC(ApiCall::Answer([id] { return FullProfiler::Get().asked_counters().Remove(id); }));
}
