#include "geckoprofiler/thread_registration_unlocked.h"

#include <pthread.h>

#include <concepts>
#include <memory>
#include <string>

#include "base_double.h"
#include "catch2/catch.hpp"
#include "geckoprofiler/thread_registration.h"

namespace geckoprof {
namespace {

// What the layers must not allow; each line has its twin, the next layer, which must.
template <typename Layer>
concept CanSleep = requires(Layer& layer) {
  layer.SetSleeping();
};
static_assert(!CanSleep<ThreadRegistrationUnlockedConstReader>);
static_assert(CanSleep<ThreadRegistrationUnlockedConstReaderAndAtomicRW>);
static_assert(!CanSleep<const ThreadRegistrationUnlockedConstReaderAndAtomicRW>);

template <typename Layer>
concept CanSetFeatures = requires(Layer& layer, const ThreadPolicyLock& lock) {
  layer.ClearProfilingFeatures(lock);
};
static_assert(!CanSetFeatures<ThreadRegistrationUnlockedConstReaderAndAtomicRW>);
static_assert(CanSetFeatures<ThreadRegistrationUnlockedRWForLockedProfiler>);

template <typename Layer>
concept CanSetFeaturesWithoutProof = requires(Layer& layer) {
  layer.ClearProfilingFeatures();
};
static_assert(!CanSetFeaturesWithoutProof<ThreadRegistrationUnlockedRWForLockedProfiler>);

static_assert(!std::destructible<ThreadRegistrationUnlockedConstReader>);

TEST_CASE("unlocked access: what never changes") {
  OnNewThread([] {
    int local = 0;
    const ThreadRegistration registration("const", &local);
    const auto ref = *ThreadRegistration::GetOnThreadPtr();
    const ThreadRegistrationUnlockedConstReader& reader = ref.UnlockedConstReader();
    CHECK(std::string(reader.Info().Name()) == "const");
    CHECK(reader.Info().ThreadId() == profiler_current_thread_id());
    CHECK(reader.Info().RegisterTimeNs() > 0);
    CHECK(&ref.UnlockedConstReader() == &reader);

    pthread_attr_t attributes;
    REQUIRE(pthread_getattr_np(pthread_self(), &attributes) == 0);
    void* low = nullptr;
    size_t bytes = 0;
    REQUIRE(pthread_attr_getstack(&attributes, &low, &bytes) == 0);
    pthread_attr_destroy(&attributes);
    CHECK(reader.StackTop() == static_cast<char*>(low) + bytes);
  });
}

TEST_CASE("unlocked access: a frame on the program's own stack is believed") {
  const auto own_stack = std::make_unique<char[]>(4096);
  OnNewThread([&] {
    const ThreadRegistration registration("coroutine", own_stack.get() + 4000);
    CHECK((*ThreadRegistration::GetOnThreadPtr()).UnlockedConstReader().StackTop() == own_stack.get() + 4000);
  });
}

TEST_CASE("unlocked access: CPU time goes on while the thread works") {
  OnNewThread([] {
    const ThreadRegistration registration("busy");
    const auto ref = *ThreadRegistration::GetOnThreadPtr();
    const int64_t before_ns = ref.UnlockedConstReader().CpuTimeNs();
    REQUIRE(before_ns > 0);
    volatile int work = 0;
    while (ref.UnlockedConstReader().CpuTimeNs() < before_ns + 1'000'000) {
      for (int i = 0; i < 1000; ++i) work = work + 1;
    }
    CHECK(ref.UnlockedConstReader().CpuTimeNs() > before_ns);
  });
}

TEST_CASE("unlocked access: atomic words, and those that need the policy lock") {
  OnNewThread([] {
    const ThreadRegistration registration("atomic");
    const auto ref = *ThreadRegistration::GetOnThreadPtr();
    auto& words = ref.UnlockedConstReaderAndAtomicRW();
    CHECK(words.IsRegistered());
    CHECK_FALSE(words.IsSleeping());
    words.SetSleeping();
    CHECK(words.IsSleeping());
    CHECK_FALSE(words.CanDuplicateLastSampleDueToSleep());
    CHECK(words.CanDuplicateLastSampleDueToSleep());
    CHECK(words.ProfilingFeatures() == ThreadProfilingFeatures::NotProfiled);
    {
      const ThreadPolicyLock lock;
      auto& access = ref.UnlockedRWForLockedProfiler(lock);
      access.SetProfilingFeatures(ThreadProfilingFeatures::Markers, lock);
      access.ReinitializeOnResume(lock);
    }
    CHECK_FALSE(words.CanDuplicateLastSampleDueToSleep());
    CHECK(words.IsProfiledFor(ThreadProfilingFeatures::Any));
    CHECK_FALSE(words.IsProfiledFor(ThreadProfilingFeatures::Sampling));
    const ThreadPolicyLock lock;
    ref.UnlockedRWForLockedProfiler(lock).ClearProfilingFeatures(lock);
    CHECK_FALSE(words.IsProfiledFor(ThreadProfilingFeatures::Any));
  });
}

}  // namespace
}  // namespace geckoprof
