#include "geckoprofiler/profiler_thread_state.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "geckoprofiler/profiler_thread_registry.h"
#include "geckoprofiler/thread_base_link.h"
#include "thread_registration_current.h"
#include "thread_registration_record.h"

namespace {

using geckoprof::ProfilerThreadId;
using geckoprof::ProfilerThreadRegistry;
using geckoprof::ThreadProfilingFeatures;

constexpr uint32_t kInactive = 0;  // as geckoprof_base_state
constexpr uint32_t kActive = 1;

uint32_t State() {
  uint32_t (*const state)(void) = geckoprof::ThreadBaseLink::Current().state;
  return state != nullptr ? state() : kInactive;
}

}  // namespace

bool profiler_is_active_and_thread_is_registered() {
  return geckoprof::current_thread_record != nullptr && State() != kInactive;
}

bool profiler_thread_is_being_profiled(ThreadProfilingFeatures features) {
  if (DoFeaturesIntersect(features, ThreadProfilingFeatures::Markers)) return State() == kActive;
  const geckoprof::ThreadRegistrationRecord* const record = geckoprof::current_thread_record;
  return record != nullptr && record->IsProfiledFor(features) && State() == kActive;
}

bool profiler_thread_is_being_profiled(ProfilerThreadId tid, ThreadProfilingFeatures features) {
  const geckoprof::ThreadRegistrationRecord* const record = geckoprof::current_thread_record;
  if (!tid.IsSpecified() || (record != nullptr && record->Info().ThreadId() == tid)) {
    return profiler_thread_is_being_profiled(features);
  }
  if (State() != kActive) return false;
  // Of every thread, registered or not: what is there to ask is whether it is one.
  if (DoFeaturesIntersect(features, ThreadProfilingFeatures::Markers)) {
    return syscall(SYS_tgkill, getpid(), tid.ToNumber(), 0) == 0;
  }
  const auto is_profiled = [features](const ProfilerThreadRegistry::OffThreadRef& ref) {
    return ref.UnlockedConstReaderAndAtomicRW().IsProfiledFor(features);
  };
  return ProfilerThreadRegistry::WithOffThreadRefOr(tid, is_profiled, false);
}
