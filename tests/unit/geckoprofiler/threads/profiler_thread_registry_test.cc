#include "geckoprofiler/profiler_thread_registry.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base_double.h"
#include "catch2/catch.hpp"
#include "geckoprofiler/thread_registration.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

using Registry = ProfilerThreadRegistry;

// A registered thread that waits until it is told to end.
class WaitingThread {
 public:
  explicit WaitingThread(const char* name)
      : thread_([this, name] {
          const ThreadRegistration registration(name);
          ThreadRegistration::WithOnThreadRef([this](const auto& ref) { info = &ref.UnlockedConstReader().Info(); });
          tid = profiler_current_thread_id();
          is_ready_ = true;
          while (!may_end_) std::this_thread::yield();
        }) {
    while (!is_ready_) std::this_thread::yield();
  }
  ~WaitingThread() { End(); }
  void End() {
    may_end_ = true;
    if (thread_.joinable()) thread_.join();
  }

  const ThreadRegistrationInfo* info = nullptr;
  ProfilerThreadId tid;

 private:
  std::atomic<bool> is_ready_{false}, may_end_{false};
  std::thread thread_;
};

ThreadProfilingFeatures FeaturesOf(ProfilerThreadId tid) {
  return Registry::WithOffThreadRefOr(
      tid, [](const auto& ref) { return ref.UnlockedConstReaderAndAtomicRW().ProfilingFeatures(); },
      ThreadProfilingFeatures::NotProfiled);
}

TEST_CASE("registry: the same data from another thread") {
  WaitingThread thread("seen");
  bool called = false;
  Registry::WithOffThreadRef(thread.tid, [&](const Registry::OffThreadRef& ref) {
    called = true;
    CHECK(&ref.UnlockedConstReader().Info() == thread.info);
    CHECK(&ref.UnlockedConstReaderAndAtomicRW().Info() == thread.info);
    CHECK(ref.WithUnlockedConstReader([&](const auto& access) { return &access.Info() == thread.info; }));
    CHECK(ref.WithUnlockedConstReaderAndAtomicRW([&](auto& access) { return !access.IsSleeping(); }));
    CHECK(Registry::IsRegistryMutexLockedOnCurrentThread());
    CHECK_FALSE(ThreadRegistration::IsDataMutexLockedOnCurrentThread());
    CHECK(ref.WithLockedRWFromAnyThread([&](auto& access) {
      CHECK(&access.Info() == thread.info);
      CHECK(ThreadRegistration::IsDataMutexLockedOnCurrentThread());
    }));
    {
      const auto locked = ref.LockedRWFromAnyThread();
      CHECK(locked->IsRegistered());
      CHECK(ThreadRegistration::IsDataMutexLockedOnCurrentThread());
    }
    CHECK_FALSE(ThreadRegistration::IsDataMutexLockedOnCurrentThread());
  });
  CHECK(called);
  CHECK_FALSE(Registry::IsRegistryMutexLockedOnCurrentThread());
}

TEST_CASE("registry: a thread that is not registered is not found") {
  ProfilerThreadId gone;
  {
    WaitingThread thread("gone");
    gone = thread.tid;
    CHECK(Registry::WithOffThreadRefOr(
        gone, [](const auto&) { return true; }, false));
  }
  for (const ProfilerThreadId tid : {gone, ProfilerThreadId(), ProfilerThreadId::FromNumber(-1)}) {
    Registry::WithOffThreadRef(tid, [](const auto&) { FAIL("found"); });
    CHECK(Registry::WithOffThreadRefOr(
              tid, [](const auto&) { return 1; }, 2) == 2);
  }
}

TEST_CASE("registry: all threads in a walk") {
  WaitingThread a("a"), b("b"), c("c");
  b.End();
  std::multiset<std::string> names;
  const Registry::LockedRegistry registry;
  for (const Registry::OffThreadRef ref : registry) names.insert(ref.UnlockedConstReader().Info().Name());
  CHECK(names == std::multiset<std::string>{"a", "c"});
}

TEST_CASE("registry: threads begin and end while a walk lasts") {
  WaitingThread leaver("leaver");
  const Registry::LockedRegistry registry;
  Registry::LockedRegistry::Iterator at = registry.begin();
  REQUIRE(at != registry.end());
  const Registry::OffThreadRef ref = *at;
  leaver.End();  // would not return, if it waited for this walk
  WaitingThread newcomer("newcomer");
  CHECK(std::string(ref.UnlockedConstReader().Info().Name()) == "leaver");
  CHECK_FALSE(ref.UnlockedConstReaderAndAtomicRW().IsRegistered());
  CHECK_FALSE(ref.WithLockedRWFromAnyThread([](auto&) { FAIL("called"); }));
  CHECK(++at == registry.end());
  CHECK(Registry::WithOffThreadRefOr(
      newcomer.tid, [](const auto&) { return true; }, false));
}

TEST_CASE("registry: a thread does not end while its data lock is held") {
  WaitingThread thread("held");
  std::atomic<bool> has_ended{false};
  std::thread ender;
  Registry::WithOffThreadRef(thread.tid, [&](const Registry::OffThreadRef& ref) {
    const auto locked = ref.LockedRWFromAnyThread();
    ender = std::thread([&] {
      thread.End();
      has_ended = true;
    });
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    CHECK_FALSE(has_ended);
    CHECK(locked->IsRegistered());
  });
  ender.join();
  CHECK(has_ended);
}

TEST_CASE("registry: a policy holds for threads there are and for those to come") {
  BaseDouble base;
  WaitingThread before("Worker one"), other("Compositor");
  CHECK(FeaturesOf(before.tid) == ThreadProfilingFeatures::NotProfiled);
  Registry::StartProfiling(PolicyFor("WORKER", kFeatureMarkersAllThreads));
  CHECK(FeaturesOf(before.tid) == ThreadProfilingFeatures::Any);
  CHECK(FeaturesOf(other.tid) == ThreadProfilingFeatures::Markers);
  WaitingThread after("Worker two"), other_after("Renderer");
  CHECK(FeaturesOf(after.tid) == ThreadProfilingFeatures::Any);
  CHECK(FeaturesOf(other_after.tid) == ThreadProfilingFeatures::Markers);

  Registry::StartProfiling(PolicyFor("Renderer"));
  CHECK(FeaturesOf(before.tid) == ThreadProfilingFeatures::Markers);
  CHECK(FeaturesOf(other_after.tid) == ThreadProfilingFeatures::Any);
  Registry::StopProfiling();
  CHECK(FeaturesOf(other_after.tid) == ThreadProfilingFeatures::NotProfiled);
  WaitingThread late("Renderer");
  CHECK(FeaturesOf(late.tid) == ThreadProfilingFeatures::NotProfiled);
}

TEST_CASE("registry: three starts in a row, each with fewer filters") {
  BaseDouble base;
  WaitingThread a("thread a"), b("thread b"), c("thread c");
  const WaitingThread* const threads[] = {&a, &b, &c};
  for (int filters = 3; filters > 0; --filters) {
    ThreadProfilingPolicy policy;
    for (int i = 0; i < filters; ++i) (void)policy.filter.Add(threads[i]->info->Name());
    Registry::StartProfiling(policy);
    for (int i = 0; i < 3; ++i) {
      CHECK(FeaturesOf(threads[i]->tid) ==
            (i < filters ? ThreadProfilingFeatures::Any : ThreadProfilingFeatures::Markers));
    }
  }
}

TEST_CASE("registry: a start or a resumption asks sleepers for a real sample") {
  BaseDouble base;
  WaitingThread thread("sleeper");
  Registry::WithOffThreadRef(thread.tid, [](const Registry::OffThreadRef& ref) {
    auto& words = ref.UnlockedConstReaderAndAtomicRW();
    words.SetSleeping();
    const auto look_twice = [&] {
      const bool first = words.CanDuplicateLastSampleDueToSleep();
      return std::pair(first, words.CanDuplicateLastSampleDueToSleep());
    };
    CHECK(look_twice() == std::pair(false, true));
    CHECK(look_twice() == std::pair(true, true));
    Registry::ReinitializeOnResume();
    CHECK(look_twice() == std::pair(false, true));
    Registry::StartProfiling(PolicyFor("*"));
    CHECK(look_twice() == std::pair(false, true));
    words.SetAwake();
  });
}

TEST_CASE("registry: starts and stops while threads come and go leave none behind") {
  BaseDouble base;
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        const ThreadRegistration registration("Worker");
        std::this_thread::yield();
      }
      const ThreadRegistration registration("Worker");
      while (FeaturesOf(profiler_current_thread_id()) != ThreadProfilingFeatures::Any) std::this_thread::yield();
    });
  }
  for (int n = 0; n < 200; ++n) {
    Registry::StartProfiling(PolicyFor("Worker"));
    WaitingThread* const thread = new WaitingThread("Worker");
    wrong += FeaturesOf(thread->tid) != ThreadProfilingFeatures::Any;
    Registry::StopProfiling();
    wrong += FeaturesOf(thread->tid) != ThreadProfilingFeatures::NotProfiled;
    delete thread;
  }
  Registry::StartProfiling(PolicyFor("Worker"));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

// One second of registrations and unregistrations against readers that take the data lock.
TEST_CASE("registry: race of registrations with readers that lock") {
  std::atomic<bool> stop{false};
  std::atomic<ProfilerThreadId> tid{ProfilerThreadId()};
  uint64_t registrations = 0, seen = 0, walked = 0;
  std::thread writer([&] {
    tid = profiler_current_thread_id();
    while (!stop) {
      const ThreadRegistration registration("raced");
      ThreadRegistration::GetOnThreadPtr()->WithLockedRWOnThread(
          [&](auto& access) { (void)access.SetLanguageContext(std::make_shared<uint64_t>(registrations)); });
      ++registrations;
    }
  });
  std::thread walker([&] {
    while (!stop) {
      for (const Registry::OffThreadRef ref : Registry::LockedRegistry()) {
        walked += ref.WithLockedRWFromAnyThread([](auto& access) { (void)access.SetRecordingData(nullptr); });
      }
    }
  });
  while (!tid.load().IsSpecified()) std::this_thread::yield();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (std::chrono::steady_clock::now() < end) {
    Registry::WithOffThreadRef(tid, [&](const Registry::OffThreadRef& ref) {
      ref.WithLockedRWFromAnyThread([&](auto& access) {
        if (access.LanguageContext() != nullptr) (void)*static_cast<uint64_t*>(access.LanguageContext().get());
        ++seen;
      });
    });
  }
  stop = true;
  writer.join();
  walker.join();
  std::printf("race: %llu registrations, %llu looks by id, %llu in walks\n",
              static_cast<unsigned long long>(registrations), static_cast<unsigned long long>(seen),
              static_cast<unsigned long long>(walked));
  std::fflush(stdout);  // or a forked child of a later test may say it again
  CHECK(registrations > 100);
  CHECK(seen + walked > 0);
}

TEST_CASE("registry: a forked child has the thread that forked, and no lock of others") {
  BaseDouble base;
  WaitingThread other("other");
  const ThreadRegistration registration("forker");
  std::atomic<int> step{0};
  std::thread holder([&] {
    const Registry::LockedRegistry registry;
    for (const Registry::OffThreadRef ref : registry) {
      if (ref.UnlockedConstReader().Info().ThreadId() != profiler_main_thread_id()) continue;
      const auto locked = ref.LockedRWFromAnyThread();
      step = 1;
      while (step != 2) std::this_thread::yield();
    }
  });
  while (step != 1) std::this_thread::yield();
  const int status = StatusInChild([] {
    int count = 0;
    for (const Registry::OffThreadRef ref : Registry::LockedRegistry()) {
      ++count;
      if (ref.UnlockedConstReader().Info().ThreadId() != profiler_current_thread_id()) return 1;
      if (!ref.WithLockedRWFromAnyThread([](auto&) {})) return 2;
    }
    if (count != 1) return 3;
    Registry::StartProfiling(PolicyFor("forker"));
    if (FeaturesOf(profiler_current_thread_id()) != ThreadProfilingFeatures::Any) return 4;
    return 0;
  });
  step = 2;
  holder.join();
  CHECK(status == 0);
}

}  // namespace
}  // namespace geckoprof
