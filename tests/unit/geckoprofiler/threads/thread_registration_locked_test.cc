#include "geckoprofiler/thread_registration_locked.h"

#include <memory>
#include <type_traits>

#include "base_double.h"
#include "catch2/catch.hpp"
#include "geckoprofiler/thread_registration.h"

namespace geckoprof {
namespace {

template <typename More, typename Less>
constexpr bool kAllowsMore = std::is_base_of_v<Less, More> && !std::is_same_v<Less, More>;
static_assert(kAllowsMore<ThreadRegistrationUnlockedConstReader, ThreadRegistrationData>);
static_assert(kAllowsMore<ThreadRegistrationUnlockedConstReaderAndAtomicRW, ThreadRegistrationUnlockedConstReader>);
static_assert(
    kAllowsMore<ThreadRegistrationUnlockedRWForLockedProfiler, ThreadRegistrationUnlockedConstReaderAndAtomicRW>);
static_assert(
    kAllowsMore<ThreadRegistrationUnlockedReaderAndAtomicRWOnThread, ThreadRegistrationUnlockedRWForLockedProfiler>);
static_assert(
    kAllowsMore<ThreadRegistrationLockedRWFromAnyThread, ThreadRegistrationUnlockedReaderAndAtomicRWOnThread>);
static_assert(kAllowsMore<ThreadRegistrationLockedRWOnThread, ThreadRegistrationLockedRWFromAnyThread>);

template <typename Layer>
concept CanSetContext = requires(Layer& layer) {
  layer.SetLanguageContext(nullptr);
};
static_assert(!CanSetContext<ThreadRegistrationLockedRWFromAnyThread>);
static_assert(CanSetContext<ThreadRegistrationLockedRWOnThread>);

template <typename Layer>
concept CanSetRecordingData = requires(Layer& layer) {
  layer.SetRecordingData(nullptr);
};
static_assert(!CanSetRecordingData<ThreadRegistrationUnlockedReaderAndAtomicRWOnThread>);
static_assert(CanSetRecordingData<ThreadRegistrationLockedRWFromAnyThread>);

TEST_CASE("locked access: each layer on the thread, and the lock's state inside and outside") {
  OnNewThread([] {
    const ThreadRegistration registration("layers");
    const auto ptr = ThreadRegistration::GetOnThreadPtr();
    REQUIRE(ptr);
    const auto is_locked = ThreadRegistration::IsDataMutexLockedOnCurrentThread;
    const ThreadRegistrationInfo* const info = &ptr->UnlockedConstReader().Info();

    const auto unlocked = [&](auto& access) { return &access.Info() == info && !is_locked(); };
    CHECK(ptr->WithUnlockedConstReader(unlocked));
    CHECK(ptr->WithUnlockedConstReaderAndAtomicRW(unlocked));
    CHECK(ptr->WithUnlockedReaderAndAtomicRWOnThread(unlocked));
    CHECK(ptr->WithLockedRWOnThread([&](auto& access) { return &access.Info() == info && is_locked(); }));
    CHECK_FALSE(is_locked());
    {
      const auto locked = ptr->LockedRWOnThread();
      CHECK(is_locked());
      CHECK(&locked->Info() == info);
      CHECK(&(*locked).Info() == info);
    }
    CHECK_FALSE(is_locked());
  });
}

TEST_CASE("locked access: what is kept for others") {
  const auto context = std::make_shared<int>(1), second = std::make_shared<int>(2), data = std::make_shared<int>(3);
  OnNewThread([&] {
    const ThreadRegistration registration("kept");
    const auto ref = *ThreadRegistration::GetOnThreadPtr();
    CHECK(ref.UnlockedReaderAndAtomicRWOnThread().LanguageContext() == nullptr);
    CHECK(ref.LockedRWOnThread()->SetLanguageContext(context) == nullptr);
    CHECK(ref.LockedRWOnThread()->SetLanguageContext(second) == context);
    CHECK(ref.UnlockedReaderAndAtomicRWOnThread().LanguageContext() == second);
    CHECK(ref.LockedRWOnThread()->SetRecordingData(data) == nullptr);
    CHECK(ref.LockedRWOnThread()->RecordingData() == data);
  });
  CHECK(context.use_count() == 1);
  CHECK(second.use_count() == 1);
  CHECK(data.use_count() == 1);
}

}  // namespace
}  // namespace geckoprof
