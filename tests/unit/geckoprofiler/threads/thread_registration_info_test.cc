#include "geckoprofiler/thread_registration_info.h"

#include <memory>
#include <string>
#include <thread>
#include <type_traits>

#include "catch2/catch.hpp"
#include "geckoprofiler/thread_registration.h"

namespace geckoprof {
namespace {

static_assert(!std::is_copy_constructible_v<ThreadRegistrationInfo>);
static_assert(!std::is_copy_assignable_v<ThreadRegistrationInfo>);
static_assert(std::is_nothrow_move_constructible_v<ThreadRegistrationInfo>);

TEST_CASE("registration info: copies the name") {
  std::string name =
      "a name that is longer than any buffer of fixed size that somebody might have thought to be enough";
  const std::string same = name;
  const ThreadRegistrationInfo info(name.c_str(), ThreadId::FromNumber(12), true, 345);
  name.assign(name.size(), 'x');
  CHECK(info.Name() == same);
  CHECK(info.ThreadId() == ThreadId::FromNumber(12));
  CHECK(info.IsMainThread());
  CHECK(info.RegisterTimeNs() == 345);
  CHECK(std::string(ThreadRegistrationInfo(nullptr, ThreadId(), false, 0).Name()).empty());
}

TEST_CASE("registration info: moves and copies") {
  ThreadRegistrationInfo first("first", ThreadId::FromNumber(1), false, 10);
  ThreadRegistrationInfo second(std::move(first));
  CHECK(std::string(second.Name()) == "first");
  CHECK(std::string(first.Name()).empty());  // NOLINT: what is left is defined
  const ThreadRegistrationInfo copy = second.Copy();
  second = ThreadRegistrationInfo("other", ThreadId::FromNumber(2), true, 20);
  CHECK(std::string(second.Name()) == "other");
  CHECK(std::string(copy.Name()) == "first");
  CHECK(copy.ThreadId() == ThreadId::FromNumber(1));
  CHECK(copy.RegisterTimeNs() == 10);
  CHECK_FALSE(copy.IsMainThread());
}

TEST_CASE("registration info: survives the thread's end") {
  std::unique_ptr<ThreadRegistrationInfo> kept;
  ThreadId tid;
  std::thread([&] {
    const ThreadRegistration registration("short lived");
    tid = profiler_current_thread_id();
    ThreadRegistration::WithOnThreadRef([&](const ThreadRegistration::OnThreadRef& ref) {
      kept = std::make_unique<ThreadRegistrationInfo>(ref.UnlockedConstReader().Info().Copy());
    });
  }).join();
  const ThreadRegistrationInfo moved = std::move(*kept);
  kept.reset();
  CHECK(std::string(moved.Name()) == "short lived");
  CHECK(moved.ThreadId() == tid);
  CHECK_FALSE(moved.IsMainThread());
}

}  // namespace
}  // namespace geckoprof
