#include "geckoprofiler/profiler_threads.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "baseprofiler/marker_options.h"
#include "catch2/catch.hpp"
#include "geckoprof/base/thread_name.h"
#include "tests/support/forked_check.h"
#include "threads/base_double.h"
#include "threads/current_thread.h"

namespace geckoprof {
namespace {

template <typename IdType>
constexpr bool IsAnId() {
  return std::is_trivially_copyable_v<IdType> && !std::is_convertible_v<int32_t, IdType> &&
         !std::is_convertible_v<IdType, int32_t> && !std::is_constructible_v<IdType, int32_t>;
}
static_assert(IsAnId<ProfilerProcessId>() && IsAnId<ProfilerThreadId>());
static_assert(!std::is_convertible_v<ProfilerProcessId, ProfilerThreadId>);
static_assert(MarkerThreadId(ProfilerThreadId::FromNumber(77)).tid() == 77);
static_assert(!std::is_constructible_v<MarkerThreadId, ProfilerProcessId>);

using enum ThreadProfilingFeatures;
static_assert(Combine(CPUUtilization, Sampling, Markers) == Any);
static_assert(Combine(NotProfiled, NotProfiled) == NotProfiled);
static_assert(Intersect(CPUUtilization, Sampling) == NotProfiled);
static_assert(Intersect(Any, Combine(Sampling, Markers), Markers) == Markers);
static_assert(!DoFeaturesIntersect(CPUUtilization, Combine(Sampling, Markers)));
static_assert(DoFeaturesIntersect(Markers, Combine(Sampling, Markers)) && DoFeaturesIntersect(Any, CPUUtilization));

std::string KernelName() {
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  return name;
}

std::string NameNow() {
  std::string name = "not registered";
  ProfilerThreadRegistry::WithThread({}, [&](const LockedThreadData& thread) { name = thread.Name(); });
  return name;
}

TEST_CASE("ids: 0 is unspecified, numbers go round") {
  CHECK_FALSE(ProfilerThreadId().IsSpecified());
  CHECK(ProfilerThreadId().ToNumber() == 0);
  CHECK(ProfilerThreadId() == ProfilerThreadId::FromNumber(0));
  CHECK(ProfilerThreadId::FromNumber(77).IsSpecified());
  CHECK(ProfilerThreadId::FromNumber(77).ToNumber() == 77);
  CHECK(ProfilerProcessId::FromNumber(77) != ProfilerProcessId::FromNumber(78));
}

TEST_CASE("ids: the kernel's, on the main thread and on others") {
  CHECK(profiler_current_process_id().ToNumber() == getpid());
  CHECK(profiler_current_thread_id().ToNumber() == gettid());
  CHECK(profiler_is_main_thread());
  const ProfilerThreadId main_id = profiler_main_thread_id();
  CHECK(main_id == profiler_current_thread_id());
  OnNewThread([main_id] {
    CHECK(profiler_current_thread_id().ToNumber() == gettid());
    CHECK(profiler_current_thread_id() != main_id);
    CHECK(profiler_main_thread_id() == main_id);
    CHECK_FALSE(profiler_is_main_thread());
  });
}

TEST_CASE("ids: of the child after a fork") {
  const ProfilerThreadId parent_main = profiler_main_thread_id();
  std::thread([&] {
    CHECK(StatusInChild([&] {
            if (profiler_current_process_id().ToNumber() != getpid()) return 1;
            if (!profiler_is_main_thread()) return 2;
            return profiler_main_thread_id() == parent_main ? 3 : 0;
          }) == 0);
  }).join();
}

TEST_CASE("register: the main thread is GeckoMain, and its name in the kernel stays") {
  BaseDouble base;
  const std::string before = KernelName();
  profiler_register_thread(kMainThreadName.data(), __builtin_frame_address(0));
  const bool found = ProfilerThreadRegistry::WithThread({}, [](const LockedThreadData& thread) {
    CHECK(std::string(thread.Name()) == "GeckoMain");
    CHECK(thread.IsMainThread());
    CHECK(thread.ThreadId() == profiler_main_thread_id());
    CHECK(thread.RegisterTimeNs() > 0);
    CHECK(thread.CpuTimeNs() > 0);
    CHECK_FALSE(thread.IsSelected());
  });
  CHECK(found);
  CHECK(KernelName() == before);
  CHECK(base.Registered() == std::vector<std::string>{"GeckoMain"});
  profiler_unregister_thread();
  CHECK_FALSE(ThreadRegistration::IsRegistered());
}

TEST_CASE("register: functions and macros, matched and unmatched") {
  BaseDouble base;
  OnNewThread([] {
    const std::string kernel_name = KernelName();
    PROFILER_UNREGISTER_THREAD();
    PROFILER_REGISTER_THREAD("by macro");
    CHECK(ThreadRegistration::IsRegistered());
    CHECK(KernelName() == kernel_name);
    PROFILER_REGISTER_THREAD("again");
    {
      AUTO_PROFILER_REGISTER_THREAD("scope");
      AUTO_PROFILER_REGISTER_THREAD("and another one");
      CHECK(ThreadRegistration::RegistrationCount() == 4);
    }
    PROFILER_UNREGISTER_THREAD();
    PROFILER_UNREGISTER_THREAD();
    CHECK_FALSE(ThreadRegistration::IsRegistered());
    PROFILER_UNREGISTER_THREAD();
    profiler_register_thread(nullptr);
    CHECK(ThreadRegistration::IsRegistered());
    CHECK(NameNow().empty());
    profiler_unregister_thread();
  });
  CHECK(base.Registered() == std::vector<std::string>{"by macro", ""});
}

TEST_CASE("visits: each thread is shown by its name, and stays while it is visited") {
  BaseDouble base;
  base.state = 1;
  ThreadDirectory::StartProfiling(FilterFor("other"));
  const ThreadRegistration registration("visitor");
  std::atomic<int> step{0};
  std::atomic<int32_t> other_id{0};
  std::thread other([&] {
    {
      const ThreadRegistration own("other");
      profiler_thread_sleep();
      other_id = profiler_current_thread_id().ToNumber();
      while (step == 0) std::this_thread::yield();
    }
    step = 2;
  });
  while (other_id == 0) std::this_thread::yield();

  std::vector<std::string> names;
  ProfilerThreadRegistry::ForEach([&](const LockedThreadData& thread) {
    names.emplace_back(thread.Name());
    const bool is_other = thread.ThreadId().ToNumber() == other_id;
    CHECK(thread.IsSleeping() == is_other);
    CHECK(thread.IsSelected() == is_other);
    CHECK(thread.IsMainThread() != is_other);
  });
  CHECK(names == std::vector<std::string>{"other", "visitor"});

  const bool found = ProfilerThreadRegistry::WithThread(ProfilerThreadId::FromNumber(other_id), [&](const auto&) {
    step = 1;
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    CHECK(step == 1);  // its end waits
    // What would wait for this thread itself is refused.
    CHECK_FALSE(ProfilerThreadRegistry::WithThread({}, [](const auto&) { FAIL("visited"); }));
    ProfilerThreadRegistry::ForEach([](const auto&) { FAIL("visited"); });
    CHECK(profiler_unregister_thread() == ProfilerStatus::kWrongThread);
    CHECK_FALSE(CurrentThread::IsProfiled(ThreadId::FromNumber(other_id), GECKOPROF_THREAD_SAMPLING));
  });
  CHECK(found);
  other.join();
  const auto gone = ProfilerThreadId::FromNumber(other_id);
  CHECK_FALSE(ProfilerThreadRegistry::WithThread(gone, [](const auto&) { FAIL("visited"); }));
  ThreadDirectory::StopProfiling();
}

TEST_CASE("visits: none on a thread that is not registered, or with an id that is none") {
  OnNewThread([] {
    CHECK(NameNow() == "not registered");
    CHECK_FALSE(ProfilerThreadRegistry::WithThread(ProfilerThreadId::FromNumber(-1), [](const auto&) {}));
    geckoprof_visit_threads(nullptr, nullptr);
    CHECK(geckoprof_visit_thread(0, nullptr, nullptr) == 0);
  });
}

TEST_CASE("sleep: on any thread, whether the profiler is active or not") {
  OnNewThread([] {
    const ThreadRegistration registration("sleeper");
    CHECK_FALSE(profiler_thread_is_sleeping());
    {
      AUTO_PROFILER_THREAD_SLEEP;
      CHECK(profiler_thread_is_sleeping());
      {
        AUTO_PROFILER_THREAD_WAKE;
        CHECK_FALSE(profiler_thread_is_sleeping());
      }
      CHECK(profiler_thread_is_sleeping());
    }
    CHECK_FALSE(profiler_thread_is_sleeping());
    {
      AUTO_PROFILER_THREAD_WAKE;
      CHECK_FALSE(profiler_thread_is_sleeping());
    }
    CHECK_FALSE(profiler_thread_is_sleeping());
  });
}

TEST_CASE("profiled: each way to ask about the calling thread") {
  BaseDouble base;
  base.state = 1;
  ThreadDirectory::StartProfiling(FilterFor("asker"));
  OnNewThread([] {
    CHECK(profiler_thread_is_being_profiled_for_markers());
    CHECK_FALSE(profiler_thread_is_being_profiled(Sampling));
    const ThreadRegistration registration("asker");
    const ProfilerThreadId own = profiler_current_thread_id();
    for (const auto features : {CPUUtilization, Sampling, Markers, Any}) {
      CHECK(profiler_thread_is_being_profiled(features));
      CHECK(profiler_thread_is_being_profiled(own, features));
      CHECK(profiler_thread_is_being_profiled({}, features));
    }
    CHECK_FALSE(profiler_thread_is_being_profiled(NotProfiled));
    CHECK(profiler_thread_is_being_profiled_for_markers(own));
    // The profiler is asked, and not the double: there is no base library here.
    CHECK_FALSE(profiler_is_active_and_thread_is_registered());
  });
}

}  // namespace
}  // namespace geckoprof
