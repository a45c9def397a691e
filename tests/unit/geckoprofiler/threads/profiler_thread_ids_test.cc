#include "geckoprofiler/profiler_thread_ids.h"

#include <unistd.h>

#include <thread>
#include <type_traits>

#include "baseprofiler/marker_options.h"
#include "catch2/catch.hpp"
#include "tests/support/forked_check.h"

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

  ProfilerThreadId other, main_seen_there;
  int32_t kernel_id = 0;
  bool is_main = true;
  std::thread([&] {
    other = profiler_current_thread_id();
    kernel_id = gettid();
    main_seen_there = profiler_main_thread_id();
    is_main = profiler_is_main_thread();
  }).join();
  CHECK(other.ToNumber() == kernel_id);
  CHECK(other != main_id);
  CHECK(main_seen_there == main_id);
  CHECK_FALSE(is_main);
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

}  // namespace
}  // namespace geckoprof
