#include "geckoprofiler/thread_data_lock.h"

#include <thread>

#include "catch2/catch.hpp"
#include "geckoprofiler/thread_lock_order.h"
#include "thread_registration_record.h"

namespace geckoprof {
namespace {

TEST_CASE("data lock: held while the holder lives, by one at a time") {
  ThreadRegistrationRecord record(ThreadRegistrationInfo("a", ThreadId::FromNumber(1), false, 0), nullptr, 1, false);
  int count = 0;
  const auto work = [&] {
    for (int n = 0; n < 1000; ++n) {
      const ThreadDataLockHolder<int> holder(record, count);
      ++*holder;
    }
  };
  std::thread other(work);
  work();
  other.join();
  CHECK(count == 2000);
  CHECK_FALSE(ThreadLockOrder::Holds(ThreadLockRank::kData));
  const ThreadDataLock lock(record);
  CHECK(ThreadLockOrder::Holds(ThreadLockRank::kData));
}

}  // namespace
}  // namespace geckoprof
