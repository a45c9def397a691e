// Threads: their ids, their registration, their sleep, and what is recorded of them. Named as in Firefox.
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_THREADS_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_THREADS_H_

#include <cstdint>
#include <type_traits>

#include "baseprofiler/base_profiler_ids.h"
#include "geckoprofiler/c/geckoprof_full.h"
#include "geckoprofiler/c/geckoprof_threads.h"
#include "geckoprofiler/profiler_result.h"

// --- ids ---

namespace geckoprof {

// The kernel's ids, as base's API has them. 0 is unspecified.
using ProfilerProcessId = baseprofiler::BaseProfilerProcessId;
using ProfilerThreadId = baseprofiler::BaseProfilerThreadId;

}  // namespace geckoprof

// Both APIs have the same functions.
using geckoprof::baseprofiler::profiler_current_process_id;
using geckoprof::baseprofiler::profiler_current_thread_id;
using geckoprof::baseprofiler::profiler_is_main_thread;
using geckoprof::baseprofiler::profiler_main_thread_id;

namespace geckoprof {

// --- what is recorded of a thread ---

// A set of what is recorded of one thread. A thread that the filters select has all, another one its markers alone.
enum class ThreadProfilingFeatures : uint32_t {
  NotProfiled = 0,
  CPUUtilization = GECKOPROF_THREAD_CPU,
  Sampling = GECKOPROF_THREAD_SAMPLING,
  Markers = GECKOPROF_THREAD_MARKERS,
  Any = 7,
};

constexpr ThreadProfilingFeatures Combine(ThreadProfilingFeatures a, ThreadProfilingFeatures b) {
  return static_cast<ThreadProfilingFeatures>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}
template <typename... More>
constexpr ThreadProfilingFeatures Combine(ThreadProfilingFeatures a, ThreadProfilingFeatures b, More... more) {
  return Combine(Combine(a, b), more...);
}

constexpr ThreadProfilingFeatures Intersect(ThreadProfilingFeatures a, ThreadProfilingFeatures b) {
  return static_cast<ThreadProfilingFeatures>(static_cast<uint32_t>(a) & static_cast<uint32_t>(b));
}
template <typename... More>
constexpr ThreadProfilingFeatures Intersect(ThreadProfilingFeatures a, ThreadProfilingFeatures b, More... more) {
  return Intersect(Intersect(a, b), more...);
}

constexpr bool DoFeaturesIntersect(ThreadProfilingFeatures a, ThreadProfilingFeatures b) {
  return Intersect(a, b) != ThreadProfilingFeatures::NotProfiled;
}

// --- registered threads ---

// LockedThreadData: one registered thread while it is visited. The thread cannot unregister meanwhile, so a visit
// should be short. Valid during the visit alone. Threads: the visiting thread.
class LockedThreadData {
 public:
  explicit LockedThreadData(const geckoprof_thread_info& info) : info_(info) {}
  LockedThreadData(const LockedThreadData&) = delete;
  LockedThreadData& operator=(const LockedThreadData&) = delete;

  // The name that the thread registered with. Never null.
  const char* Name() const { return info_.name; }
  ProfilerThreadId ThreadId() const { return ProfilerThreadId::FromNumber(info_.tid); }
  bool IsMainThread() const { return (info_.flags & GECKOPROF_THREAD_IS_MAIN) != 0; }
  // On CLOCK_MONOTONIC. The time of the registration with base, if that was earlier.
  int64_t RegisterTimeNs() const { return info_.register_time_ns; }
  // CPU time that the thread has used so far, in ns, or -errno.
  int64_t CpuTimeNs() const { return info_.cpu_time_ns; }
  // True between profiler_thread_sleep and profiler_thread_wake.
  bool IsSleeping() const { return (info_.flags & GECKOPROF_THREAD_IS_SLEEPING) != 0; }
  // True if something is recorded and the filters select the thread. A pause does not change it.
  bool IsSelected() const { return (info_.flags & GECKOPROF_THREAD_IS_SELECTED) != 0; }

 private:
  const geckoprof_thread_info& info_;
};

// ProfilerThreadRegistry: all threads that are registered.
//
//   ProfilerThreadRegistry::ForEach([&](const LockedThreadData& thread) { names.emplace_back(thread.Name()); });
//
// A walk keeps no thread from beginning, and from ending only the thread that it visits just then. Functions of this
// library that take locks answer kWrongThread during a visit, and visits inside a visit find no thread. A visitor must
// not throw. Threads: any that libc knows. Context: not signal context.
class ProfilerThreadRegistry {
 public:
  // Calls `visit` with each thread. Threads that begin or end meanwhile may be left out.
  template <typename Visit>
  static void ForEach(Visit&& visit) {
    geckoprof_visit_threads(&Call<Visit>, const_cast<void*>(static_cast<const volatile void*>(&visit)));
  }
  // Calls `visit` with one thread. An unspecified id means the calling thread. False: the thread is not registered.
  template <typename Visit>
  static bool WithThread(ProfilerThreadId tid, Visit&& visit) {
    void* const user = const_cast<void*>(static_cast<const volatile void*>(&visit));
    return geckoprof_visit_thread(tid.ToNumber(), &Call<Visit>, user) != 0;
  }

 private:
  template <typename Visit>
  static int Call(void* user, const geckoprof_thread_info* info) {
    using Visitor = std::remove_reference_t<Visit>;
    (*static_cast<Visitor*>(user))(LockedThreadData(*info));
    return 1;
  }
};

// ThreadRegistration: names the calling thread to the end of a scope. Best the first object of the thread's function.
//
// Registrations nest. The first one is the root. Its name stays, and the others are counted. A root that is an object
// lasts until its own end. A root by RegisterThread lasts until there were as many ends as beginnings. Ends without a
// beginning do nothing, and so does an object that ends on another thread. A thread that ends while it is registered is
// unregistered. Repeated registrations are noted in the profile, as markers of the thread.
//
// The thread's name in the kernel is left alone. Threads: each for itself. Context: not signal context; a thread that
// libc knows.
class ThreadRegistration {
 public:
  // `name` is copied. Callers in Firefox pass `stack_top`; stacks are known here without it.
  explicit ThreadRegistration(const char* name, const void* /*stack_top*/ = nullptr)
      : scope_(geckoprof_begin_thread_scope(name)) {}
  ~ThreadRegistration() { geckoprof_end_thread_scope(scope_); }
  ThreadRegistration(const ThreadRegistration&) = delete;
  ThreadRegistration& operator=(const ThreadRegistration&) = delete;

  // kNoMemory: the thread is as before. kWrongThread: called in a handler, or by an allocator, that interrupted this
  // library on this thread. Unregistering a thread that is not registered: kUnchanged.
  static ProfilerStatus RegisterThread(const char* name, const void* /*stack_top*/ = nullptr) {
    return static_cast<ProfilerStatus>(geckoprof_register_thread(name));
  }
  static ProfilerStatus UnregisterThread() { return static_cast<ProfilerStatus>(geckoprof_unregister_thread()); }

  static bool IsRegistered() { return RegistrationCount() != 0; }
  // How often the calling thread is registered: 0, 1, or more with nested registrations.
  static uint32_t RegistrationCount() { return geckoprof_thread_registrations(); }

 private:
  const uint64_t scope_;
};

}  // namespace geckoprof

GECKOPROF_BEGIN_HIDDEN_

// See ThreadRegistration for what nests and what is tolerated.
inline geckoprof::ProfilerStatus profiler_register_thread(const char* name, const void* stack_top = nullptr) {
  return geckoprof::ThreadRegistration::RegisterThread(name, stack_top);
}
inline geckoprof::ProfilerStatus profiler_unregister_thread() {
  return geckoprof::ThreadRegistration::UnregisterThread();
}

// Paused counts as active here.
inline bool profiler_is_active_and_thread_is_registered() {
  return (geckoprof_get_state() & GECKOPROF_STATE_ACTIVE) != 0 && geckoprof::ThreadRegistration::IsRegistered();
}

// True if the profiler is active and not paused, and at least one of the features is recorded of the calling thread.
// A pause of sampling alone does not count. Markers are recorded of every thread. The others are said of registered
// threads that the filters select. A few loads.
inline bool profiler_thread_is_being_profiled(geckoprof::ThreadProfilingFeatures features) {
  return geckoprof_thread_is_profiled(0, static_cast<uint32_t>(features)) != 0;
}
// The same of another thread of this process. An unspecified id means the calling thread.
inline bool profiler_thread_is_being_profiled(geckoprof::ProfilerThreadId tid,
                                              geckoprof::ThreadProfilingFeatures features) {
  return geckoprof_thread_is_profiled(tid.ToNumber(), static_cast<uint32_t>(features)) != 0;
}
inline bool profiler_thread_is_being_profiled_for_markers() {
  return profiler_thread_is_being_profiled(geckoprof::ThreadProfilingFeatures::Markers);
}
inline bool profiler_thread_is_being_profiled_for_markers(geckoprof::ProfilerThreadId tid) {
  return profiler_thread_is_being_profiled(tid, geckoprof::ThreadProfilingFeatures::Markers);
}

// --- sleep ---
//
//   thread:  profiler_thread_sleep() ......... profiler_thread_wake() ....... profiler_thread_sleep()
//   markers:                                   Awake begins: CPU Id 3,        Awake ends: CPU Time 1.25 ms
//                                              OS priority 0
//
// These functions concern the calling thread, and do nothing if it is not registered. The state is kept whether the
// profiler is active or not. The markers have the type Awake. The priority is the thread's nice value, from -20 to 19.
// Sleeping does not nest. Context: not signal context.
inline void profiler_thread_sleep() { geckoprof_thread_sleep(); }
inline void profiler_thread_wake() { geckoprof_thread_wake(); }
inline bool profiler_thread_is_sleeping() { return geckoprof_thread_is_sleeping() != 0; }
// The markers alone.
inline void profiler_mark_thread_asleep() { geckoprof_mark_thread_asleep(); }
inline void profiler_mark_thread_awake() { geckoprof_mark_thread_awake(); }

GECKOPROF_END_VISIBILITY_

namespace geckoprof {

// The thread sleeps to the end of the scope.
class ProfilerThreadSleepScope {
 public:
  ProfilerThreadSleepScope() { profiler_thread_sleep(); }
  ~ProfilerThreadSleepScope() { profiler_thread_wake(); }
  ProfilerThreadSleepScope(const ProfilerThreadSleepScope&) = delete;
  ProfilerThreadSleepScope& operator=(const ProfilerThreadSleepScope&) = delete;
};

// The thread is awake to the end of the scope, and sleeps again afterwards if it slept. For a call back into the
// program from the middle of a sleep.
class ProfilerThreadWakeScope {
 public:
  ProfilerThreadWakeScope() : was_sleeping_(profiler_thread_is_sleeping()) {
    if (was_sleeping_) profiler_thread_wake();
  }
  ~ProfilerThreadWakeScope() {
    if (was_sleeping_) profiler_thread_sleep();
  }
  ProfilerThreadWakeScope(const ProfilerThreadWakeScope&) = delete;
  ProfilerThreadWakeScope& operator=(const ProfilerThreadWakeScope&) = delete;

 private:
  const bool was_sleeping_;
};

}  // namespace geckoprof

#if GECKOPROF_IS_ENABLED_

#define GECKOPROF_THREAD_JOIN_(a, b) a##b
#define GECKOPROF_THREAD_JOIN(a, b) GECKOPROF_THREAD_JOIN_(a, b)

#define PROFILER_REGISTER_THREAD(name) ::profiler_register_thread(name)
#define PROFILER_UNREGISTER_THREAD() ::profiler_unregister_thread()
// To the end of the scope. Best the first object of the thread's function.
#define AUTO_PROFILER_REGISTER_THREAD(name) \
  const ::geckoprof::ThreadRegistration GECKOPROF_THREAD_JOIN(profiler_thread_, __LINE__)(name)
#define AUTO_PROFILER_THREAD_SLEEP \
  const ::geckoprof::ProfilerThreadSleepScope GECKOPROF_THREAD_JOIN(profiler_sleep_, __LINE__)
#define AUTO_PROFILER_THREAD_WAKE \
  const ::geckoprof::ProfilerThreadWakeScope GECKOPROF_THREAD_JOIN(profiler_wake_, __LINE__)

#else

#define PROFILER_REGISTER_THREAD(name) GECKOPROF_NOTHING_
#define PROFILER_UNREGISTER_THREAD() GECKOPROF_NOTHING_
#define AUTO_PROFILER_REGISTER_THREAD(name) GECKOPROF_NOTHING_
#define AUTO_PROFILER_THREAD_SLEEP GECKOPROF_NOTHING_
#define AUTO_PROFILER_THREAD_WAKE GECKOPROF_NOTHING_

#endif  // GECKOPROF_IS_ENABLED_

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_THREADS_H_
