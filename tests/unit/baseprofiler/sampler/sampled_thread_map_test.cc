#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <random>

#include "sampler/thread_list.h"

namespace geckoprof {
namespace {

ThreadId Tid(int32_t number) { return ThreadId::FromNumber(number); }

TEST_CASE("an empty map has nobody") {
  const SampledThreadMap map;
  CHECK(map.Find(Tid(1)) == nullptr);
}

TEST_CASE("thousands of threads that come and go are found while they are in, and only then") {
  SampledThreadMap map;
  std::deque<SampledThread> threads;
  std::map<int32_t, SampledThread*> expected;
  std::mt19937 random(7);
  for (int32_t next = 1; next < 20'000; ++next) {
    SampledThread& thread = threads.emplace_back();
    thread.tid = Tid(next);
    map.Add(&thread);
    expected[next] = &thread;
    // As many go as come once there are a thousand.
    if (expected.size() < 1000) continue;
    auto gone = expected.lower_bound(static_cast<int32_t>(random() % static_cast<uint32_t>(next)));
    if (gone == expected.end()) gone = expected.begin();
    map.Remove(Tid(gone->first));
    expected.erase(gone);
    if (next % 500 != 0) continue;
    for (int32_t number = 1; number <= next; ++number) {
      const auto found = expected.find(number);
      REQUIRE(map.Find(Tid(number)) == (found != expected.end() ? found->second : nullptr));
    }
  }
  for (const auto& [number, thread] : expected) map.Remove(Tid(number));
  for (int32_t number = 1; number < 20'000; ++number) REQUIRE(map.Find(Tid(number)) == nullptr);
}

}  // namespace
}  // namespace geckoprof
